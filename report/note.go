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
}

// note is what is needed of a frame or, where why is set, of a request without a response.
type note struct {
	time     int64
	asked    int64 // of a response, the time of its request
	request  *session.Request
	client   *session.Client
	schema   *schema.API
	parts    span
	topics   span
	codes    span
	failures span
	silence  int32 // in silences, -1: none
	maxWait  int32 // of the request, as the next two
	minBytes int32
	replica  int32
	acks     int16

	key, version, code int16
	kind               decode.Kind
	generation         session.Generation
	side               side
	why                session.Why
	fault              decode.Code
	token              bool
	inferred           bool
	faulty             bool // fault is set
	cut                bool // more partitions may be named than could be read
	aborted            bool
	within             bool // fault is a record set's, which is counted there
	raft               bool // a Fetch that a controller answers, see raftFetch
}

// span is a range of one of the lists of Notes.
type span struct{ from, to int32 }

// partNote is what is needed of a session.Part.
type partNote struct {
	topic                 *session.Topic
	offset, highWatermark int64
	bytes, batches        int64
	messages, control     int64
	uncompressed          int64
	coded                 int64 // batches of codec or, where that is several, the place in Notes.codecs
	partition             int32
	error                 int16
	codec                 int8
	fault                 decode.Code
	faulty, cut           bool // fault is set; the record set is not all there
}

// several is the codec of batches that have not all the same.
const several = -1

// enoughNotes is how many are worth waking another goroutine for; enoughParts, of all kinds, for those of large frames.
const (
	enoughNotes = 1024
	enoughParts = 4096
)

func (s *Notes) full() bool {
	return len(s.list) >= enoughNotes || len(s.parts) >= enoughParts || len(s.topics)+len(s.codes) >= enoughParts || len(s.text) >= enoughParts*16
}

func (s *Notes) reset() {
	if cap(s.parts) > 4*enoughParts || cap(s.text) > enoughParts*64 { // one huge frame is no reason to keep its room
		*s = Notes{list: s.list[:0]}
		return
	}
	s.list, s.parts, s.topics, s.codes = s.list[:0], s.parts[:0], s.topics[:0], s.codes[:0]
	s.codecs, s.failures, s.text, s.silences = s.codecs[:0], s.failures[:0], s.text[:0], s.silences[:0]
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
	n, well := s.frame(f)
	switch {
	case f.Token:
	case f.Kind == decode.Response:
		if f.Key >= 0 && !well {
			r.noteErrors(n, f, s)
		}
	case f.Key == endTxn && f.Tree != nil && f.Generation == session.Modern:
		c := f.Tree.Body().Field("Committed")
		n.aborted = c.OnWire() && !c.Bool()
	}
	return s.full()
}

// frame notes a frame but for errors, and says whether it is known that there are none.
func (s *Notes) frame(f *session.Frame) (n *note, well bool) {
	n = s.next()
	q := f.Request
	// Field by field: what is made aside and copied makes the processor wait.
	n.time, n.request, n.client, n.schema = f.Last.Time, q, f.Client, f.API
	n.key, n.version, n.code, n.kind, n.generation = f.Key, f.Version, f.ErrorCode, f.Kind, f.Generation
	n.side, n.why, n.token, n.inferred = sideOf(f), 0, f.Token, f.Inferred
	n.faulty, n.within, n.cut, n.aborted, n.raft = false, false, false, false, n.side == fetch && raftFetch(f.Parts)
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
	if q != nil {
		n.asked, n.maxWait, n.minBytes, n.replica, n.acks = q.Time, q.MaxWait, q.MinBytes, q.Replica, q.Acks
		if q.Unseen || f.Unseen {
			n.asked = noTime // so that there is no latency
		}
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

// part notes a part.
func (s *Notes) part(p *session.Part) {
	if n := len(s.parts); n < cap(s.parts) {
		s.parts = s.parts[:n+1]
	} else {
		s.parts = append(s.parts, partNote{})
	}
	x, sets := &s.parts[len(s.parts)-1], &p.Sets
	x.topic, x.partition, x.error, x.offset, x.highWatermark = p.Topic, p.Partition, p.Error, p.Offset, p.HighWatermark
	x.bytes, x.batches, x.messages, x.control, x.uncompressed = sets.Bytes, sets.Batches, sets.Messages, sets.Control, sets.Uncompressed
	x.faulty, x.cut, x.codec, x.coded = false, false, 0, 0
	if sets.Faulty {
		x.fault, x.faulty, x.cut = sets.Fault.Code, true, sets.Fault.Class == decode.Incomplete
	}
	if sets.Bytes == 0 {
		return
	}
	all, codec := int64(0), 0
	for i, n := range &sets.Codecs {
		if all += n; n != 0 {
			codec = i
		}
	}
	if x.coded = sets.Codecs[codec]; x.coded == all {
		x.codec = int8(codec)
		return
	}
	x.codec, x.coded = several, int64(len(s.codecs))
	s.codecs = append(s.codecs, sets.Codecs)
}

// NoteUnanswered does the same for a request that should have had an answer.
func (r *Report) NoteUnanswered(c *reassembly.Conn, q *session.Request, why session.Why, s *Notes) (full bool) {
	n := s.next()
	n.request, n.why, n.silence = q, why, -1
	if why != session.Silent && r.noted < mostSilences {
		if x, known := silenceOf(c, q, why); known {
			r.noted++
			n.silence = int32(len(s.silences))
			s.silences = append(s.silences, x)
		}
	}
	return s.full()
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
		r.polls.forget(n.request)
		if n.why != session.Silent {
			r.frames.unanswered++
		}
		if n.silence >= 0 && r.budget.take(silenceCost) {
			r.silences = append(r.silences, s.silences[n.silence])
		}
	}
	s.reset()
}
