package frames

import (
	"slices"

	"ksniff/decode"
	"ksniff/reassembly"
	"ksniff/reassembly/session"
	"ksniff/report/filter"
)

// Lines are frames whose lines are still to be written. They hold copies, and pointers to what never changes: nothing
// in them lies in a frame, so they may go to another goroutine.
type Lines struct {
	list   []line
	topics []string // of all lines
	text   []byte   // of names that lay in frames
	faults []fault
}

// line is what the line of a frame says.
type line struct {
	packet     uint64
	time       int64
	latency    int64 // ns, -1 where there is none
	conn       *reassembly.Conn
	client     *session.Client // whose id the line shows, nil where it has none
	name       string          // of the API, "" where it has none
	error      string          // the first of a response, "" where there is none
	length     int32
	id         int32 // correlation id
	from, to   int32 // in Lines.topics
	fault      int32 // in Lines.faults, -1: none
	key        int16
	version    int16
	side       uint8
	kind       decode.Kind
	doubt      doubt
	generation session.Generation
	token      bool
	header     bool // id is there
	inferred   bool
	orphan     bool // a response without request
}

// fault is one, with the path of the field it is in.
type fault struct {
	decode.Fault
	path string
}

const (
	// enoughLines and enoughText are what is worth waking another goroutine for.
	enoughLines = 1024
	enoughText  = 256 << 10
)

func (s *Lines) reset() {
	s.list, s.topics, s.faults, s.text = s.list[:0], s.topics[:0], s.faults[:0], s.text[:0]
	if cap(s.text) > 4*enoughText || cap(s.topics) > enoughText { // one huge frame is no reason to keep its room
		s.text, s.topics = nil, nil
	}
}

func (s *Lines) full() bool {
	return len(s.list) >= enoughLines || len(s.topics) >= enoughText/64 || len(s.text) >= enoughText
}

func (s *Lines) topicsOf(l *line) []string { return s.topics[l.from:l.to] }

// Note puts the line of a frame into s, which Print empties, and says whether s is full. It may run in
// another goroutine than Print.
func (p *Printer) Note(f *session.Frame, s *Lines) (full bool) {
	p.frame.Set(f)
	if len(s.list) == cap(s.list) {
		s.list = slices.Grow(s.list, 1)
	}
	s.list = s.list[:len(s.list)+1]
	l := &s.list[len(s.list)-1]
	// Field by field: what is made aside and copied makes the processor wait.
	l.packet, l.time, l.latency, l.doubt = f.Last.Packet, f.Last.Time, -1, noDoubt
	if ns, ok := p.frame.Latency(); ok {
		l.latency = ns
	} else {
		l.doubt = doubtOf(f)
	}
	l.conn, l.name, l.length, l.id = f.Conn, p.frame.Name(), int32(f.Length), f.CorrelationID
	l.client = f.Client
	if f.Generation != session.Modern || l.client != nil && l.client.NullID {
		l.client = nil
	}
	l.key, l.version, l.side, l.kind, l.generation = f.Key, f.Version, uint8(f.Side), f.Kind, f.Generation
	l.token, l.header, l.inferred = f.Token, f.HasHeader, f.Inferred
	l.orphan = f.Kind == decode.Response && f.Request == nil && !f.Inferred && f.Generation == session.Modern && !f.Token
	l.from = int32(len(s.topics))
	p.topics.collect(&p.frame, s)
	l.to = int32(len(s.topics))
	l.error = p.errors.of(&p.frame)
	l.fault = -1
	if f.Faulty {
		l.fault = int32(len(s.faults))
		s.faults = append(s.faults, p.fault())
	}
	return s.full()
}

// NoteUnanswered notes nothing: a request was printed when it came.
func (p *Printer) NoteUnanswered(*reassembly.Conn, *session.Request, session.Why, *Lines) bool {
	return false
}

// fault gives the fault of the frame with the path of the field it is in; the session may have found it without a tree.
func (p *Printer) fault() fault {
	f := &p.frame.Fault
	if t := p.frame.Tree(); t != nil {
		for _, own := range t.Faults {
			if own.Code == f.Code && own.Offset == f.Offset {
				return fault{own, own.Path(t)}
			}
		}
	}
	return fault{*f, ""}
}

// topics collects the names of a frame's topics, each once, in the order of the frame.
type topics struct {
	lines *Lines
	first int                 // in lines.topics
	seen  map[string]struct{} // once there are many
	add   func(filter.Value) bool
}

// manyTopics is where looking through the names takes longer than a map.
const manyTopics = 16

func (t *topics) collect(f *filter.Frame, s *Lines) {
	t.first = len(s.topics)
	if t.plain(f, s) {
		return
	}
	s.topics = s.topics[:t.first]
	clear(t.seen)
	t.lines = s
	f.Any(filter.Topic, t.add)
}

// plain does so where parts name the topics, and few.
func (t *topics) plain(f *filter.Frame, s *Lines) bool {
	var last *session.Topic
	for i := range f.Parts {
		topic := f.Parts[i].Topic
		if topic == last {
			continue
		}
		if last = topic; topic == nil || topic.Name == "" || len(s.topics)-t.first == manyTopics {
			return false
		}
		if !slices.Contains(s.topics[t.first:], topic.Name) {
			s.topics = append(s.topics, topic.Name)
		}
	}
	return len(f.Parts) > 0
}

func (t *topics) take(v filter.Value) bool {
	s := t.lines
	names := s.topics[t.first:]
	if len(names) < manyTopics {
		if !slices.Contains(names, v.Text) {
			s.keep(v.Text)
		}
		return false
	}
	if t.seen == nil {
		t.seen = map[string]struct{}{}
	}
	if len(t.seen) == 0 {
		for _, name := range names {
			t.seen[name] = struct{}{}
		}
	}
	if _, there := t.seen[v.Text]; !there {
		s.keep(v.Text)
		t.seen[s.topics[len(s.topics)-1]] = struct{}{}
	}
	return false
}

// keep adds a copy of a name.
func (s *Lines) keep(name string) {
	at := len(s.text)
	s.text = append(s.text, name...) // what lies in a smaller one stays valid
	s.topics = append(s.topics, text(s.text[at:]))
}

// errorOf finds the name of the first error of a response that is not 0.
type errorOf struct {
	name string
	add  func(filter.Value) bool
}

// of gives it, "" where there is none.
func (e *errorOf) of(f *filter.Frame) string {
	if f.Kind == decode.Request || len(f.Parts) > 0 && allWell(f.Frame) {
		return ""
	}
	e.name = ""
	f.Any(filter.ErrorCode, e.add)
	return e.name
}

// allWell says whether all parts of an answer, which tell all, have no error.
func allWell(f *session.Frame) bool {
	for i := range f.Parts {
		if f.Parts[i].Error != 0 {
			return false
		}
	}
	return f.ErrorCode == 0
}

func (e *errorOf) take(v filter.Value) bool {
	if v.Int != 0 {
		e.name = v.Text
	}
	return v.Int != 0
}
