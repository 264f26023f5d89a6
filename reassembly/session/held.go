package session

import (
	"math"

	"ksniff/decode"
	"ksniff/reassembly"
)

// heldFor is how long, in capture time, a response waits for its request to turn up: packets may be
// captured in another order than they were sent. maxHeld bounds one such response.
const (
	heldFor = 1e9
	maxHeld = 1 << 20
)

// held holds the responses that wait for their request, the oldest first.
type held struct {
	list  []*heldResponse
	n     int
	bytes int
	limit int
}

// heldResponse is a response with a copy of its body. The ledger has it as undecodable until it is known better.
type heldResponse struct {
	conn  *conn
	frame reassembly.Frame
	body  []byte
}

// holdBack keeps a response until its request turns up; false where there is no room.
func (s *Session) holdBack(c *conn, f *reassembly.Frame, body []byte) bool {
	if len(body) > maxHeld || s.held.bytes+len(body) > s.held.limit || f.Last.Time == math.MinInt64 {
		return false
	}
	h := &heldResponse{conn: c, frame: *f, body: append([]byte(nil), body...)}
	h.frame.Runs = []reassembly.Run{{Off: 0, Bytes: h.body}}
	s.held.list = append(s.held.list, h)
	s.held.n++
	s.held.bytes += len(body) + 200
	c.waiting++
	return true
}

// release answers a request with the response that was captured before it.
func (s *Session) release(c *conn, id int32) {
	for i, h := range s.held.list {
		if h.conn != c || int32(be32(h.body)) != id {
			continue
		}
		r := s.answered(c, id)
		if r == nil {
			return
		}
		s.unhold(i)
		n := int64(4 + len(h.body))
		if s.answer(c, &h.frame, r, decode.Whole(h.body)) == reassembly.Decoded {
			s.cut.Ledger.Undecodable -= n
			s.cut.Ledger.Decoded += n
		}
		return
	}
}

// expire gives up the responses that have waited too long: those of a connection, or all.
func (s *Session) expire(c *conn, now reassembly.Moment, all bool) {
	for i := 0; i < len(s.held.list); {
		h := s.held.list[i]
		if c != nil && h.conn != c {
			i++
			continue
		}
		if !all && now.Time-h.frame.Last.Time < heldFor {
			return // the rest is younger
		}
		s.unhold(i)
		n := int64(4 + len(h.body))
		if s.unmatched(h.conn, &h.frame, h.body) == reassembly.Decoded {
			s.cut.Ledger.Undecodable -= n
			s.cut.Ledger.Decoded += n
		}
	}
}

func (s *Session) unhold(i int) {
	h := s.held.list[i]
	s.held.list = append(s.held.list[:i], s.held.list[i+1:]...)
	s.held.n--
	s.held.bytes -= len(h.body) + 200
	h.conn.waiting--
}
