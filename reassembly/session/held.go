package session

import (
	"math"

	"ksniff/decode"
	"ksniff/reassembly"
)

// heldFor is how long, in capture time, a response waits for its request to turn up: packets may be
// captured in another order than they were sent. The clock is that of the requests of its connection:
// while none come, the TCP layer may hold them back behind a hole, for as long as heldAtMost.
// maxHeld bounds one such response.
const (
	heldFor    = 1e9
	heldAtMost = 70e9
	maxHeld    = 1 << 20
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
	if s.held.bytes+len(body) > s.held.limit {
		s.Dropped.Responses++
	}
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
func (s *Session) release(c *conn, r *Request) {
	id := r.CorrelationID
	for i, h := range s.held.list {
		if h.conn != c {
			continue
		}
		if c.gen == Legacy {
			s.unhold(i)
			s.ledgerOf(h, s.legacyAnswer(c, &h.frame, s.next(c), h.body))
			return
		}
		if int32(be32(h.body)) != id || c.repeats && (c.gapped[c.client] || !s.fits(r, h.body, len(h.body))) {
			continue
		}
		if r = s.answered(c, id, h.body, len(h.body)); r == nil {
			return
		}
		s.unhold(i)
		s.ledgerOf(h, s.answer(c, &h.frame, r, decode.Whole(h.body)))
		return
	}
}

// expire gives up the responses that have waited too long when a frame of c, a request or not, is complete.
func (s *Session) expire(c *conn, request bool, now reassembly.Moment) {
	s.giveUp(func(h *heldResponse) bool {
		age := now.Time - h.frame.Last.Time
		return age >= heldAtMost || request && h.conn == c && age >= heldFor
	})
}

// giveUp gives up those of the held responses that have waited too long.
func (s *Session) giveUp(tooLong func(*heldResponse) bool) {
	for i := 0; i < len(s.held.list); {
		h := s.held.list[i]
		if !tooLong(h) {
			i++
			continue
		}
		s.unhold(i)
		s.ledgerOf(h, s.unmatched(h.conn, &h.frame, h.body))
	}
}

// ledgerOf corrects the ledger once it is known what became of a held response.
func (s *Session) ledgerOf(h *heldResponse, fate reassembly.Fate) {
	if n := int64(4 + len(h.body)); fate == reassembly.Decoded {
		s.cut.Ledger.Undecodable -= n
		s.cut.Ledger.Decoded += n
	}
}

func (s *Session) unhold(i int) {
	h := s.held.list[i]
	s.held.list = append(s.held.list[:i], s.held.list[i+1:]...)
	s.held.n--
	s.held.bytes -= len(h.body) + 200
	h.conn.waiting--
}
