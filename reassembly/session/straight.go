package session

import (
	"ksniff/decode"
	"ksniff/decode/records"
)

// readStraight reads the message behind a header that lies in one piece and is as nearly all are: see
// decode.Straight. False: a reader must read it. What both can read both read alike.
func (s *Session) readStraight(c *conn, out *Frame, r *Request, body []byte, header int) bool {
	x, byID, byName := &s.straight, c.byID, c.byName
	if !x.Read(out.Key, out.Version, out.Kind, body, header) {
		return false
	}
	for topic, at, i := (*Topic)(nil), int32(-1), 0; i < len(x.Parts); i++ {
		piece := &x.Parts[i]
		if piece.Topic != at {
			topic, at = s.topicOf(c, piece, body), piece.Topic
		}
		p := out.part()
		p.Topic, p.Partition, p.Error, p.MaxBytes = topic, piece.Index, piece.ErrorCode, piece.MaxBytes
		p.Offset, p.HighWatermark, p.LastStable = piece.FetchOffset, piece.HighWatermark, piece.LastStableOffset
		if piece.Length > 0 || s.cfg.Deep {
			s.readSet(out, &p.Sets, body, int(piece.Records), int(piece.Length))
		}
	}
	if out.Kind == decode.Response {
		out.take(&x.Facts)
	} else {
		s.keepFacts(r, out, &x.Facts)
	}
	if out.Key == keyFetch {
		s.followStraight(c, out, r, body)
	}
	if len(x.Parts) == 1 && s.quick { // of the same topic as what was before
		if t := out.Parts[0].Topic; t == byID || t == byName {
			s.learnModel(c, out, body, t)
		}
	}
	return true
}

// part makes a part more, of which only the fault and the sums are cleared: all else must be set. Cleared as a whole
// it would take longer than to read it.
func (f *Frame) part() *Part {
	n := len(f.Parts)
	if n == cap(f.Parts) {
		f.Parts = append(f.Parts, Part{})
	} else {
		f.Parts = f.Parts[:n+1]
	}
	p := &f.Parts[n]
	r := &p.Sets
	r.At, r.Bytes, r.Batches, r.Messages, r.Control, r.Uncompressed = 0, 0, 0, 0, 0, -1
	r.Codecs = [8]int64{} // by itself: with the others it would be made aside
	if r.Faulty {
		r.Fault, r.Faulty = decode.Fault{}, false
	}
	return p
}

// topicOf finds the topic of a partition. Most connections tell of the same one again and again.
func (s *Session) topicOf(c *conn, x *decode.Piece, body []byte) *Topic {
	if x.Size < 0 {
		if id := x.ID(body); *id != [16]byte{} {
			if c.byID == nil || c.byID.ID != *id {
				c.byID = s.topicByID(*id)
			}
			return c.byID
		}
	}
	name := x.Name(body)
	if c.byName == nil || c.byName.Name == "" || c.byName.Name != string(name) {
		c.byName = s.topic(name)
	}
	return c.byName
}

// readSet reads the record set of n bytes at an offset of the body.
func (s *Session) readSet(out *Frame, r *Records, body []byte, at, n int) {
	if !s.cfg.Deep {
		if batches, messages, control, codec, ok := records.Plain(body[at : at+n]); ok {
			r.At, r.Bytes, r.Batches, r.Messages, r.Control, r.Codecs[codec&7] = at, int64(n), batches, messages, control, batches
			return
		}
	}
	switch {
	case n > 0:
		s.set.Begin(n, records.Options{Deep: s.cfg.Deep, Exact: out.Kind == decode.Request})
		s.set.Next(body[at : at+n])
		r.take(&s.set.Summary, at)
		out.blame(r)
	case n == 0:
		r.Uncompressed = 0
	}
}

// followStraight does what follow does, where there is a session at all.
func (s *Session) followStraight(c *conn, out *Frame, r *Request, body []byte) {
	s.drops = s.drops[:0]
	for i := range s.straight.Drops {
		if x := &s.straight.Drops[i]; len(s.drops) < maxSession {
			s.drops = append(s.drops, Part{Topic: s.topicOf(c, x, body), Partition: x.Index})
		}
	}
	s.follow(c, out, r, &s.straight.Facts, s.drops)
}
