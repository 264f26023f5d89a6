package session

// TopicName is the name of the topic with an id as far as the frames so far tell, else "".
func (s *Session) TopicName(id [16]byte) string {
	if t := s.names.byID[id]; t != nil {
		return t.Name
	}
	return ""
}
