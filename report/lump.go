package report

import (
	"ksniff/decode"
	"ksniff/reassembly/session"
)

// lump is a note that is still open: frames that are like the one that began it (session.Like) are added to it, which takes
// a tenth of the time that a note of each takes to write, to read and to add up. What is not like it in all that a Report
// counts is noted by itself. The order in which notes are added up does not matter, so a lump may come late.
type lump struct {
	note
	of     *Report
	round  uint32
	open   bool
	topic  *session.Topic
	part   partNote
	spread spread
	took   [24]answer // answers.to of them
	end    *int64     // of endOf's log, where records were produced; nil where it is not followed
	endOf  int32
}

// lump adds a frame that is like others to their lump. False: it must be noted by itself; nothing was done.
func (r *Report) lump(f *session.Frame, s *Notes) bool {
	l, _ := f.Like.User.(*lump)
	if l == nil || l.of != r || l.round != f.Like.Round {
		return r.beginLump(f, s, l)
	}
	p, q := &f.Parts[0], f.Request
	x, sets := &l.part, &p.Sets
	if !l.open || f.Faulty || f.ErrorCode != 0 || p.Error != 0 || uint32(p.Partition) >= uint32(len(l.spread)*64) || f.Client != l.client ||
		len(q.Topics) != 1 || q.Topics[0] != l.topic || q.Acks != l.acks || q.Replica >= 0 != l.replica ||
		sets.Codecs[x.codec] != sets.Batches {
		return false
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
		x.bytes += sets.Bytes
		x.batches += sets.Batches
		x.messages += sets.Messages
		x.control += sets.Control
		x.coded += sets.Batches
		x.sets++
		l.spread[p.Partition/64] |= 1 << (p.Partition % 64)
	}
	if ns >= 0 {
		l.took[l.answers.to] = answerOf(ns, poll)
		if l.answers.to++; int(l.answers.to) == len(l.took) {
			l.settle(s)
		}
	}
	return true
}

// beginLump notes a frame by itself and lets those like it be added up. What l stood for is noted before.
func (r *Report) beginLump(f *session.Frame, s *Notes, l *lump) bool {
	if r.rows.dims != 0 || r.series.on || f.Faulty || f.Request == nil || len(f.Request.Topics) != 1 || f.Parts[0].Sets.Uncompressed >= 0 {
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
	l.note = *n
	l.round, l.topic, l.end, l.open = f.Like.Round, f.Request.Topics[0], nil, n.codes.from == n.codes.to
	l.times, l.answers, l.spread = 0, span{}, spread{}
	p := &s.parts[n.parts.from]
	l.part = partNote{topic: p.topic, uncompressed: -1, codec: max(p.codec, 0)}
	return true
}

// settle notes what was added up, if anything was.
func (l *lump) settle(s *Notes) {
	if l.times == 0 {
		return
	}
	n := s.next()
	*n = l.note
	n.parts = span{}
	if l.part.sets > 0 {
		l.part.partition, l.part.spread = int32(len(s.spreads)), true
		s.spreads = append(s.spreads, l.spread)
		n.parts.from = int32(len(s.parts))
		s.parts = append(s.parts, l.part)
		n.parts.to = int32(len(s.parts))
	}
	n.topics.from = int32(len(s.topics))
	s.topics = append(s.topics, l.topic)
	n.topics.to = int32(len(s.topics))
	n.answers.from = int32(len(s.answers))
	s.answers = append(s.answers, l.took[:l.answers.to]...)
	n.answers.to = int32(len(s.answers))
	l.times, l.answers, l.spread = 0, span{}, spread{}
	x := &l.part
	x.bytes, x.batches, x.messages, x.control, x.coded, x.sets = 0, 0, 0, 0, 0, 0
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
