package session

import (
	"encoding/binary"

	"ksniff/decode"
	"ksniff/decode/legacy"
	"ksniff/decode/records"
	"ksniff/reassembly"
)

// legacyFrame takes a frame of 0.6 or 0.7 that lies in one piece.
func (s *Session) legacyFrame(c *conn, f *reassembly.Frame, body []byte) reassembly.Fate {
	if int8(f.Side) == c.client {
		return s.legacyRequest(c, f, body)
	}
	r := s.turn(c, f, body)
	if r == nil {
		if c.hasCorr && c.turns.doubt != inDoubt && s.holdBack(c, f, body) {
			return reassembly.Undecodable
		}
		return s.unmatched(c, f, body)
	}
	return s.legacyAnswer(c, f, r, body)
}

// legacyRequest takes a legacy request, of which body is all or the beginning.
func (s *Session) legacyRequest(c *conn, f *reassembly.Frame, body []byte) reassembly.Fate {
	out, k := s.fresh(c, f), s.client(c, nil)
	r := s.request(f, Legacy, k)
	out.Kind, out.Client = decode.Request, k
	c.ident, c.hasCorr = out.Client, true
	typ := int16(-1)
	if len(body) >= 2 {
		typ = int16(binary.BigEndian.Uint16(body))
	}
	out.Key = typ
	r.Key, r.Version, r.Silent = typ, -1, !legacy.Answered(typ)
	s.legacyParts(out, nil, body, f.Length)
	s.topicsOf(r, out.Parts)
	for i := range out.Parts {
		r.asked = append(r.asked, partition{out.Parts[i].Topic, out.Parts[i].Partition})
	}
	if len(body) < f.Length {
		s.incomplete(out)
	}
	return s.endRequest(c, out, r)
}

// legacyAnswer takes the answer to a legacy request, of which body is all or the beginning.
func (s *Session) legacyAnswer(c *conn, f *reassembly.Frame, r *Request, body []byte) reassembly.Fate {
	out := s.fresh(c, f)
	out.Kind, out.Request, out.Client, out.Key, out.Guessed = decode.Response, r, r.Client, r.Key, r.guessed
	s.legacyParts(out, r, body, f.Length)
	if len(body) < f.Length {
		s.incomplete(out)
	}
	s.sink.Frame(out)
	fate := fateOf(out)
	s.recycle(r)
	return fate
}

// legacyParts reads a frame part by part. Answers name no partition: the request does, by order.
func (s *Session) legacyParts(out *Frame, r *Request, body []byte, length int) {
	v := &s.old
	v.Begin(out.Kind, out.Key, length)
	opt := records.Options{Legacy: true, Deep: s.cfg.Deep, Exact: out.Kind == decode.Request}
	for at := 0; ; {
		advance, _, state := v.Next(body[min(at, len(body)):])
		at += advance
		if state != legacy.Entry {
			break
		}
		part := Part{Partition: v.Part.Partition, Error: v.Part.Error, Offset: -1, HighWatermark: -1}
		part.Sets.Uncompressed = -1
		switch n := len(out.Parts); {
		case out.Kind == decode.Request:
			part.Topic = s.topic(v.Part.Topic)
			if out.Key == FETCH || out.Key == MULTIFETCH {
				part.Offset = v.Part.Offset
			}
		case n < len(r.asked):
			part.Topic, part.Partition = r.asked[n].topic, r.asked[n].index
		default:
			part.Topic = s.topic(nil)
		}
		if v.Part.SetSize >= 0 {
			end := min(len(body), at+v.Part.SetSize)
			s.set.Begin(v.Part.SetSize, opt)
			for pos := at; ; {
				n, need, done := s.set.Next(body[min(pos, end):end])
				if pos += n; !done && pos+need > end {
					s.set.Missing(max(at+v.Part.SetSize-end, 1))
					done = true
				}
				if done {
					break
				}
			}
			part.Sets.take(&s.set.Summary, at)
			at += v.Part.SetSize
		}
		out.Parts = append(out.Parts, part)
	}
	out.ErrorCode = v.ErrorCode
	if v.Faulty {
		out.Fault, out.Faulty = v.Fault, true
	}
	for i := range out.Parts {
		out.blame(&out.Parts[i].Sets)
	}
}

// legacyPiece takes a legacy frame that is not there from end to end.
func (s *Session) legacyPiece(c *conn, f *reassembly.Frame) reassembly.Fate {
	var head []byte
	if len(f.Runs) > 0 && f.Runs[0].Off == 0 {
		head = f.Runs[0].Bytes
	}
	if int8(f.Side) == c.client {
		if len(head) >= 2 {
			s.legacyRequest(c, f, head)
		} else {
			c.turns.lost(false)
		}
	} else if r := s.turn(c, f, head); r != nil {
		s.legacyAnswer(c, f, r, head)
	}
	return reassembly.Undecodable
}

// findLegacyRequest searches a legacy request.
func (s *Session) findLegacyRequest(w *reassembly.Window, last bool) (int, bool) {
	b, keep := w.Bytes, -1
	most := budget(w, w.Searched)
	p, stop := w.Searched, max(w.Searched, len(b)-9)
	for ; w.Spent < most; p++ {
		if p = nextAsked(b, p, stop); p == stop {
			break
		}
		if b[p] > 6 || b[p+5] > byte(OFFSETS) {
			continue
		}
		length := int(be32(b[p:]))
		g := legacyGrade(b[p+4:], length)
		end := p + 4 + length
		if g != not {
			w.Spent += int64(min(length, len(b)-p))
		}
		if g == sure && (w.Aligned(p) && (end >= len(b) || w.Aligned(end)) ||
			end+10 <= len(b) && legacyGrade(b[end+4:], int(int32(be32(b[end:])))) > not) {
			return p, true
		}
		if g != not && keep < 0 && !last {
			keep = p
		}
	}
	if keep < 0 && !last {
		keep = p // as in findRequest
	}
	if keep < 0 {
		keep = len(b)
	}
	w.Searched = keep
	return keep, false
}

// findLegacyResponse searches the answer to the latest legacy request: it begins with a packet, ends
// with one, and fits the request.
func (s *Session) findLegacyResponse(c *conn, w *reassembly.Window, last bool) (int, bool) {
	b := w.Bytes
	most := budget(w, w.Searched)
	for _, m := range w.Marks {
		p := m.Off
		if w.Spent >= most {
			break
		}
		if p < w.Searched || m.Inside || len(b)-p < 6 || c.pending.len() == 0 {
			continue
		}
		r := c.pending.reqs[len(c.pending.reqs)-1]
		if m.At.Packet < r.Packet {
			continue // what was captured before it answers an older one
		}
		length := int(int32(be32(b[p:])))
		if length < 2 {
			continue
		}
		end := p + 4 + length
		if end > len(b) || !w.Aligned(end) || legacy.ErrorName(int16(binary.BigEndian.Uint16(b[p+4:]))) == "" {
			continue
		}
		w.Spent += int64(length)
		if s.fitsLegacy(r, b[p+4:end]) {
			return p, true
		}
	}
	if last {
		w.Searched = len(b)
		return len(b), false
	}
	return 0, false
}

// fitsLegacy says whether a body reads as the answer to a request: MULTIFETCH has an entry for each that
// was asked for.
func (s *Session) fitsLegacy(r *Request, body []byte) bool {
	v := &s.old
	v.Begin(decode.Response, r.Key, len(body))
	for at, entries := 0, 0; ; entries++ {
		advance, _, state := v.Next(body[min(at, len(body)):])
		at += advance
		if state != legacy.Entry {
			return state == legacy.Done && !v.Faulty && (r.Key != MULTIFETCH || entries > 0 && entries == len(r.asked))
		}
		if n := v.Part.SetSize; n >= 5 && at+5 <= len(body) && (int32(be32(body[at:])) < 5 || body[at+4] > 1) {
			return false
		}
		at += max(v.Part.SetSize, 0)
	}
}
