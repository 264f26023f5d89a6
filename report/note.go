package report

import (
	"unsafe"

	"ksniff/decode"
	"ksniff/decode/schema"
	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

// Notes are what a Report needs of some frames, in order. They hold copies, and pointers to what lives as long as the
// session: nothing in them lies in a frame, so they may be added up in another goroutine.
type Notes struct {
	list     []note
	parts    []partNote
	topics   []*session.Topic // that requests name
	codes    []int16          // errors of responses
	codecs   [][8]int64       // of record sets with several
	failures []failure
	text     []byte // of their topics
	silences []Silence
	answers  []answer
	spreads  []spread
}

// note is what is needed of a frame, of several that are like each other (see lump) or, where why is set, of a request
// without a response.
type note struct {
	time     int64 // of one
	times    int64 // so many frames
	client   *session.Client
	schema   *schema.API
	parts    span
	topics   span // of the request
	codes    span
	failures span
	answers  span  // how long they took, as far as that is known
	silence  int32 // in silences, -1: none
	acks     int16 // of the request

	key, version int16
	kind         decode.Kind
	generation   session.Generation
	side         side
	why          session.Why
	fault        decode.Code
	token        bool
	inferred     bool
	faulty       bool // fault is set
	cut          bool // more partitions may be named than could be read
	aborted      bool
	within       bool // fault is a record set's, which is counted there
	asked        bool // the request is known
	replica      bool // and comes from a replica
}

// span is a range of one of the lists of Notes.
type span struct{ from, to int32 }

// enoughNotes is how many are worth waking another goroutine for; enoughParts, of all kinds, for those of large frames.
const (
	enoughNotes = 1024
	enoughParts = 4096
)

func (s *Notes) full() bool {
	return len(s.list) >= enoughNotes || len(s.parts) >= enoughParts || len(s.topics)+len(s.codes)+len(s.answers) >= enoughParts || len(s.text) >= enoughParts*16
}

func (s *Notes) reset() {
	if cap(s.parts) > 4*enoughParts || cap(s.text) > enoughParts*64 { // one huge frame is no reason to keep its room
		*s = Notes{list: s.list[:0]}
		return
	}
	s.list, s.parts, s.topics, s.codes = s.list[:0], s.parts[:0], s.topics[:0], s.codes[:0]
	s.codecs, s.failures, s.text, s.silences = s.codecs[:0], s.failures[:0], s.text[:0], s.silences[:0]
	s.answers, s.spreads = s.answers[:0], s.spreads[:0]
}

// next makes room for a note, whose fields are those of one that was used.
func (s *Notes) next() *note {
	if n := len(s.list); n < cap(s.list) {
		s.list = s.list[:n+1]
	} else {
		s.list = append(s.list, note{})
	}
	return &s.list[len(s.list)-1]
}

// Note puts into s what is needed of a frame, and says whether s is full and should be given to Add. It may run in
// another goroutine than Add, but not where rows are asked for (--by): they need the frame.
func (r *Report) Note(f *session.Frame, s *Notes) (full bool) {
	if f.Like != nil {
		if done, full := r.lump(f, s); done {
			return full
		}
	}
	r.noteFrame(f, s)
	return s.full()
}

// noteFrame notes a frame by itself.
func (r *Report) noteFrame(f *session.Frame, s *Notes) *note {
	n, well := s.frame(f)
	ns, poll := r.polls.follow(f, n.side)
	if f.Kind == decode.Response && !f.Token && f.Key >= 0 {
		if ns >= 0 {
			s.answers = append(s.answers, answerOf(ns, poll))
			n.answers.to++
		}
		if !well {
			r.noteErrors(n, f, s)
		}
		return n
	}
	if f.Key == endTxn && f.Tree != nil && !f.Token && f.Generation == session.Modern && f.Kind == decode.Request {
		c := f.Tree.Body().Field("Committed")
		n.aborted = c.OnWire() && !c.Bool()
	}
	return n
}

// frame notes a frame but for errors and times, and says whether it is known that there are no errors.
func (s *Notes) frame(f *session.Frame) (n *note, well bool) {
	n = s.next()
	q := f.Request
	// Field by field: what is made aside and copied makes the processor wait.
	n.time, n.times, n.client, n.schema = f.Last.Time, 1, f.Client, f.API
	n.key, n.version, n.kind, n.generation = f.Key, f.Version, f.Kind, f.Generation
	n.side, n.why, n.token, n.inferred = sideOf(f), 0, f.Token, f.Inferred
	n.faulty, n.within, n.cut, n.aborted, n.asked, n.replica = false, false, false, false, q != nil, false
	n.parts.from = int32(len(s.parts))
	well = f.ErrorCode == 0 && n.side != neither && f.Key != shareFetch && f.Tree == nil // then parts tell all
	for i := range f.Parts {
		s.part(&f.Parts[i])
		well = well && f.Parts[i].Error == 0
	}
	n.parts.to = int32(len(s.parts))
	if f.Faulty {
		n.fault, n.faulty, n.within = f.Fault.Code, true, ofSet(f)
		n.cut = !n.within && !f.Fault.Tolerated && f.Fault.Class == decode.Incomplete
	}
	n.topics, n.codes, n.failures = span{}, span{}, span{}
	n.answers = span{int32(len(s.answers)), int32(len(s.answers))}
	if q != nil {
		n.acks, n.replica = q.Acks, q.Replica >= 0
		if n.side != neither {
			n.topics.from = int32(len(s.topics))
			s.topics = append(s.topics, q.Topics...)
			n.topics.to = int32(len(s.topics))
		}
	}
	return n, well
}

func (r *Report) noteErrors(n *note, f *session.Frame, s *Notes) {
	codes, _ := r.errors.of(f)
	if len(codes) == 0 {
		return
	}
	n.codes.from = int32(len(s.codes))
	s.codes = append(s.codes, codes...)
	n.codes.to = int32(len(s.codes))
	if len(f.Parts) > 0 {
		return
	}
	n.failures.from = int32(len(s.failures))
	for e := range errorNodes(f.Tree) {
		at := len(s.text)
		s.text = append(s.text, topicOf(e)...) // what lies in a smaller one stays valid
		name := s.text[at:]
		s.failures = append(s.failures, failure{errorKey(f.Generation, int16(e.Int())), unsafe.String(unsafe.SliceData(name), len(name))})
	}
	n.failures.to = int32(len(s.failures))
}

// NoteUnanswered does the same for a request that should have had an answer.
func (r *Report) NoteUnanswered(c *reassembly.Conn, q *session.Request, why session.Why, s *Notes) (full bool) {
	r.polls.forget(q)
	n := s.next()
	n.why, n.silence = why, -1
	if why != session.Silent && r.noted < mostSilences {
		if x, known := silenceOf(c, q, why); known {
			r.noted++
			n.silence = int32(len(s.silences))
			s.silences = append(s.silences, x)
		}
	}
	return s.full()
}

// Follow takes a frame that does not count (-Y), for what it tells of those that do: whether they waited for data, and
// their group. It may run where Note may.
func (r *Report) Follow(f *session.Frame) {
	r.polls.follow(f, sideOf(f))
	if r.rows.dims&byGroup != 0 {
		r.rows.groups.of(f)
	}
}

// Forget ends a request that does not count and gets no answer.
func (r *Report) Forget(q *session.Request) {
	r.polls.forget(q)
	delete(r.rows.groups.pending, q)
}

// Add adds up what was noted, and empties it.
func (r *Report) Add(s *Notes) {
	r.notes = s
	for i := range s.list {
		n := &s.list[i]
		if n.why == 0 {
			r.add(n)
			continue
		}
		if n.why != session.Silent {
			r.frames.unanswered++
		}
		if n.silence >= 0 && r.budget.take(silenceCost) {
			r.silences = append(r.silences, s.silences[n.silence])
		}
	}
	s.reset()
}
