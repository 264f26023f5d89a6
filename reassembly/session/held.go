package session

import (
	"math"

	"ksniff/decode"
	"ksniff/reassembly"
)

// heldFor is how long, in capture time, a response waits for its request to turn up: packets may be
// captured in another order than they were sent. The clock is that of the requests of its connection:
// while none come, the TCP layer may hold them back behind a hole, for as long as heldAtMost. A response
// of more than maxHeld bytes does not wait, nor more than maxWaits of one connection.
const (
	heldFor    = 1e9
	heldAtMost = 70e9
	maxHeld    = 1 << 20
	maxWaits   = 1024
)

// heldResponse is a response with a copy of its body. The ledger has it as undecodable until it is known better.
type heldResponse struct {
	frame reassembly.Frame
	body  []byte
}

// cost is what it takes of Session.held.
func (h *heldResponse) cost() int { return len(h.body) + 256 }

// holdBack keeps a response until its request turns up; false where there is no room.
func (s *Session) holdBack(c *conn, f *reassembly.Frame, body []byte) bool {
	if len(body) > maxHeld || f.Last.Time == math.MinInt64 {
		return false
	}
	if s.held+len(body) > s.maxHeld || len(c.held) >= maxWaits {
		s.Dropped.Responses++
		return false
	}
	h := &heldResponse{frame: *f, body: append([]byte(nil), body...)}
	h.frame.Runs = []reassembly.Run{{Off: 0, Bytes: h.body}}
	c.held = append(c.held, h)
	s.held += h.cost()
	return true
}

// release answers a request with the response that was captured before it.
func (s *Session) release(c *conn, r *Request) {
	for i, h := range c.held {
		if c.gen == Legacy {
			s.unhold(c, i)
			s.ledgerOf(h, s.legacyAnswer(c, &h.frame, s.next(c), h.body))
			return
		}
		if int32(be32(h.body)) != r.CorrelationID || c.repeats && (c.gapped[c.client] || !s.fits(r, h.body, len(h.body))) {
			continue
		}
		if r = s.answered(c, r.CorrelationID, h.body, len(h.body)); r == nil {
			return
		}
		s.unhold(c, i)
		s.ledgerOf(h, s.answer(c, &h.frame, r, decode.Whole(h.body)))
		return
	}
}

// expire gives up the responses of a connection that have waited too long when a frame of it, a request or
// not, is complete.
func (s *Session) expire(c *conn, request bool, now reassembly.Moment) {
	for len(c.held) > 0 {
		age := now.Time - c.held[0].frame.Last.Time
		if age < heldFor || !request && age < heldAtMost {
			return // the others are younger
		}
		s.giveUp(c)
	}
}

// giveUp takes the response of a connection that waits for longest for one to nothing.
func (s *Session) giveUp(c *conn) {
	h := c.held[0]
	s.unhold(c, 0)
	s.ledgerOf(h, s.unmatched(c, &h.frame, h.body))
}

// ledgerOf corrects the ledger once it is known what became of a held response.
func (s *Session) ledgerOf(h *heldResponse, fate reassembly.Fate) {
	if n := int64(4 + len(h.body)); fate == reassembly.Decoded {
		s.cut.Ledger.Undecodable -= n
		s.cut.Ledger.Decoded += n
	}
}

func (s *Session) unhold(c *conn, i int) {
	s.held -= c.held[i].cost()
	c.held = append(c.held[:i], c.held[i+1:]...)
}
