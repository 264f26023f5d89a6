package session

import (
	"bytes"

	"ksniff/decode"
	"ksniff/reassembly"
)

// Find implements reassembly.Judge: the next frame that is one beyond doubt. What is known of the
// connection validates it: the client id and the order of correlation ids for requests, the requests
// that wait for responses.
func (j *judge) Find(rc *reassembly.Conn, side int, w *reassembly.Window, last bool) (n int, found bool) {
	s, c := j.session(), of(rc)
	if !c.seen[side] && !c.sought[side] && len(w.Marks) > 0 { // begun before the capture
		c.sought[side] = true
		c.gapped[side] = c.gapped[side] || int8(side) == c.client
		if int8(side) == c.client || c.pending.len() > 1 {
			c.turns.lost(false)
		}
		s.cfg.Watch.Lost(rc, side, w.Marks[0].At)
	}
	switch client := int8(side) == c.client; {
	case client && c.gen == Legacy:
		return s.findLegacyRequest(w, last)
	case client:
		return s.findRequest(c, w, last)
	case c.gen == Legacy:
		n, found = s.findLegacyResponse(c, w, last)
	case c.alone:
		n, found = s.findAlone(w, last)
	default:
		n, found = s.findResponse(c, w, last)
	}
	c.turns.skipped(n)
	return n, found
}

// How far correlation ids may run ahead over a gap, and behind: a client may number requests before it
// sends others.
const (
	corrAhead  = 100_000
	corrBehind = 64
)

// searchCost bounds how many bytes of candidates are decoded in one search, in times of the bytes searched.
const searchCost = 16

// budget is what Window.Spent may come to in a search that begins now. The bytes themselves are looked through at
// a sixteenth of what decoding them takes.
func budget(w *reassembly.Window, from int) int64 {
	n := int64(len(w.Bytes))
	w.Spent += (n - int64(from)) / 16
	return w.Spent + searchCost*n + searchCost<<12
}

// findRequest searches a request; c is nil where nothing is known of the connection.
func (s *Session) findRequest(c *conn, w *reassembly.Window, last bool) (int, bool) {
	b, keep := w.Bytes, -1
	most := budget(w, w.Searched)
	p, end := w.Searched, max(w.Searched, len(b)-11)
	for ; w.Spent < most; p++ {
		if p = nextAsked(b, p, end); p == end {
			break
		}
		// length below 2^27, key and version below 256, correlation id not negative
		if b[p] > 6 || b[p+6] != 0 || b[p+8] > 0x7f || b[p+5] > 127 {
			continue
		}
		length := int(be32(b[p:]))
		g := s.grade(b[p+4:], length)
		w.Spent += int64(s.graded)
		if g == not || g == open && c == nil && !w.Aligned(p) {
			continue
		}
		if s.requestStands(c, w, p, length, g) {
			return p, true
		}
		if keep < 0 && !last && (g < fits || p+4+length+12 > len(b)) {
			keep = p
		}
	}
	if keep < 0 && !last {
		keep = p // less than a header, which may go on, or more than may be spent
	}
	if keep < 0 {
		keep = len(b)
	}
	w.Searched = keep
	return keep, false
}

// requestStands says whether a request at p is one beyond doubt.
func (s *Session) requestStands(c *conn, w *reassembly.Window, p, length int, g grade) bool {
	b, end := w.Bytes, p+4+length
	h, need, _ := decode.ParseRequestHeader(b[p+4:])
	if need > 0 {
		return false
	}
	id := h.ClientID
	known := c != nil && c.ident != nil && c.ident.ID == string(id) && c.ident.NullID == (id == nil)
	inOrder := c != nil && c.hasCorr && h.CorrelationID > c.corr-corrBehind && h.CorrelationID < c.corr+corrAhead
	if c != nil && c.stands > 0 && g >= newer && w.Aligned(p) && w.First(p).Packet == c.stands {
		return true
	}
	switch g {
	case odd, newer:
		return known && inOrder && w.Aligned(p) && w.Aligned(end)
	case sure:
		if c == nil && s.likeFetched(b[p+4:min(len(b), end)]) {
			return s.requestAt(w, end) && goesOn(b[p:], b[end:]) && !bytes.Equal(b[p+8:p+12], b[end+8:end+12])
		}
		return known && inOrder || w.Aligned(p) && w.Aligned(end) || s.requestAt(w, end) && (c != nil && (known || c.ident == nil) || c == nil && goesOn(b[p:], b[end:]))
	case fits:
		return (known && inOrder || w.Aligned(p)) && s.requestAt(w, end) && (c != nil || goesOn(b[p:], b[end:])) || known && inOrder && w.Aligned(p) && w.Aligned(end)
	case named:
		if w.Aligned(p) && len(id) >= 4 {
			return known && inOrder // a snap length may leave no more than the header
		}
		return known && inOrder && (len(id) >= 4 || w.Aligned(p)) && len(b)-p >= 32+len(id)
	}
	return false
}

// goesOn says whether two frames may be requests of one client. Answers whose ids count up look like requests
// of one API whose versions do, which no client sends.
func goesOn(a, b []byte) bool { return !bytes.Equal(a[4:6], b[4:6]) || bytes.Equal(a[6:8], b[6:8]) }

// requestAt says whether a request lies or begins at p.
func (s *Session) requestAt(w *reassembly.Window, p int) bool {
	b := w.Bytes
	return p+14 <= len(b) && s.grade(b[p+4:], int(int32(be32(b[p:])))) >= named
}

// lateRequests is how many bytes of responses are looked at again, since the requests that they answer
// may be handed out later.
const lateRequests = 16 << 10

// findResponse searches a response to a request that waits for one.
func (s *Session) findResponse(c *conn, w *reassembly.Window, last bool) (int, bool) {
	b, keep := w.Bytes, len(w.Bytes)
	if !last { // requests may be late: what is younger is looked at again
		keep = max(0, len(b)-lateRequests)
	}
	low, high := c.pending.span()
	most := budget(w, 0)
	for p := 0; low <= high && w.Spent < most; p++ {
		if p = nextAnswer(b, p, low, high); p == len(b) {
			break
		}
		length, id := int(be32(b[p:])), int32(be32(b[p+4:]))
		w.Spent += int64(c.pending.len() / 64) // where nothing waits for it, that is what it costs
		r := c.pending.youngest(id)
		if r == nil || (c.repeats || id == c.first) && r.Packet > w.First(p).Packet { // asked after it: the id may have been used before
			continue
		}
		have := b[p+4 : min(len(b), p+4+length)]
		whole := len(have) == length
		fits, read := s.fits(r, have, length), len(have)
		if f, bad := s.tree.Fault(); bad && !f.Tolerated {
			read = min(f.Offset, read) // most fail at once
		}
		w.Spent += int64(16 + read)
		if !fits && !(whole && s.borneAnswer() && w.Aligned(p) && w.Aligned(p+4+length)) {
			continue
		}
		if s.responseStands(c, w, p, length, whole, len(have)) {
			return p, true
		}
		if !last {
			keep = min(keep, p)
		}
	}
	return keep, false
}

// responseStands says whether a response at p, which decodes as far as it is there, is one beyond doubt.
func (s *Session) responseStands(c *conn, w *reassembly.Window, p, length int, whole bool, have int) bool {
	end := p + 4 + length
	if !whole {
		return have >= 24 && w.Aligned(p)
	}
	if w.Aligned(p) && (w.Aligned(end) || length >= 24) {
		return true
	}
	if end+8 <= len(w.Bytes) {
		next, _ := c.pending.find(int32(be32(w.Bytes[end+4:])))
		return next != nil && int32(be32(w.Bytes[end:])) >= 4
	}
	return length >= 24 && w.Aligned(end)
}
