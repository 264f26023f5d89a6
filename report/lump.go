package report

import (
	"ksniff/decode"
	"ksniff/reassembly/session"
)

// lump is a note that is still open: frames that are like the one that began it (session.Like) are added to it, which takes
// a tenth of the time that a note of each takes to write, to read and to add up. What is not like it in all that a Report
// counts is noted by itself. The order in which notes are added up does not matter, so a lump may come late.
//
// What each frame touches comes first, in few lines of the processor's cache.
type lump struct {
	of      *Report
	round   uint32
	open    bool // its first frame told no errors: others may be added
	alike   bool // what is counted of each is the same: it need not be asked
	kind    decode.Kind
	side    side
	codec   int8
	replica bool
	acks    int16
	taken   uint16 // so many of took
	endOf   int32
	end     *int64 // of endOf's log, where records were produced; nil where it is not followed
	topic   *session.Topic
	client  *session.Client

	times, sets              int64
	bytes, batches, messages int64
	control                  int64
	spread                   spread
	took                     [24]answer
	note                     note // that began it
}

// lump adds a frame that is like others to their lump. Not done: it must be noted by itself.
func (r *Report) lump(f *session.Frame, s *Notes) (done, full bool) {
	l, _ := f.Like.User.(*lump)
	if l == nil || l.of != r || l.round != f.Like.Round {
		return r.beginLump(f, s, l), s.full()
	}
	p := &f.Parts[0]
	sets := &p.Sets
	if !l.open || f.Faulty || f.ErrorCode|p.Error != 0 || uint32(p.Partition) >= uint32(len(l.spread)*64) || sets.Codecs[l.codec] != sets.Batches ||
		!l.alike && !l.asks(f) {
		return false, false
	}
	l.times++
	ns, poll := int64(-1), false
	switch { // as polls.follow does
	case l.side == fetch:
		ns, poll = r.polls.follow(f, fetch)
	case l.kind == decode.Response:
		ns = took(f)
	case sets.Bytes > 0:
		if l.end == nil || l.endOf != p.Partition {
			l.end, l.endOf = r.polls.end(l.topic, p.Partition), p.Partition
		}
		if l.end != nil {
			*l.end += sets.Messages + sets.Control
		}
	}
	if sets.Bytes > 0 {
		l.sets++
		l.bytes += sets.Bytes
		l.batches += sets.Batches
		l.messages += sets.Messages
		l.control += sets.Control
		l.spread[uint32(p.Partition)/64] |= 1 << (uint32(p.Partition) % 64)
	}
	if ns >= 0 {
		l.took[l.taken] = answerOf(ns, poll)
		if l.taken++; int(l.taken) == len(l.took) {
			l.settle(s)
			return true, s.full()
		}
	}
	return true, false
}

// asks says whether a frame asks for the same, or answers what did.
func (l *lump) asks(f *session.Frame) bool {
	q := f.Request
	return f.Client == l.client && len(q.Topics) == 1 && q.Topics[0] == l.topic && q.Acks == l.acks && q.Replica >= 0 == l.replica
}

// beginLump notes a frame by itself and lets those like it be added up. What l stood for is noted before.
func (r *Report) beginLump(f *session.Frame, s *Notes, l *lump) bool {
	if r.rows.dims != 0 || r.series.on || f.Faulty || f.Request == nil || len(f.Request.Topics) != 1 || f.Parts[0].Sets.Uncompressed >= 0 {
		return false
	}
	if f.Request.Topics[0] != f.Parts[0].Topic { // an answer about a topic that its request does not name
		return false
	}
	if l == nil || l.of != r {
		l = &lump{of: r}
		r.lumps = append(r.lumps, l)
		f.Like.User = l
	} else {
		l.settle(s)
	}
	n := r.noteFrame(f, s)
	l.note, l.round = *n, f.Like.Round
	l.kind, l.side, l.acks, l.replica, l.client = n.kind, n.side, n.acks, n.replica, n.client
	l.open, l.alike = n.codes.from == n.codes.to, n.kind == decode.Request && n.side == produce
	l.topic, l.codec, l.end = f.Request.Topics[0], max(s.parts[n.parts.from].codec, 0), nil
	return true
}

// settle notes what was added up, if anything was.
func (l *lump) settle(s *Notes) {
	if l.times == 0 {
		return
	}
	n := s.next()
	*n = l.note
	n.times = l.times
	n.parts, n.codes, n.failures = span{}, span{}, span{}
	if l.sets > 0 {
		n.parts.from = int32(len(s.parts))
		s.parts = append(s.parts, partNote{topic: l.topic, bytes: l.bytes, batches: l.batches, messages: l.messages, control: l.control,
			uncompressed: -1, codec: l.codec, coded: l.batches, sets: l.sets, partition: int32(len(s.spreads)), spread: true})
		n.parts.to = int32(len(s.parts))
		s.spreads = append(s.spreads, l.spread)
		l.sets, l.bytes, l.batches, l.messages, l.control, l.spread = 0, 0, 0, 0, 0, spread{}
	}
	n.topics.from = int32(len(s.topics))
	s.topics = append(s.topics, l.topic)
	n.topics.to = int32(len(s.topics))
	n.answers.from = int32(len(s.answers))
	s.answers = append(s.answers, l.took[:l.taken]...)
	n.answers.to = int32(len(s.answers))
	l.times, l.taken = 0, 0
}

// settle adds up all that is noted.
func (r *Report) settle() {
	r.Add(&r.own)
	for _, l := range r.lumps {
		if l.settle(&r.own); r.own.full() {
			r.Add(&r.own)
		}
	}
	r.Add(&r.own)
}
