package session

// Models says after how many frames a connection has a model; 0: never, and the Judge is asked for each length, so
// that each frame goes the plain way.
func (s *Session) Models(after uint8) {
	if s.modelAfter = after; after == 0 {
		s.maxModels = 0
		s.cut.Usual(1, 0)
	}
}

// HasModels counts the connections that have one.
func (s *Session) HasModels() int { return s.models }

// Passes compares what searches pass over with what they would at each place.
var Passes = passes
