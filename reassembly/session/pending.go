package session

import "ksniff/reassembly"

import "ksniff/decode"

// maxPending bounds the requests of a connection that wait for their response.
const maxPending = 4096

// pending holds the requests of a connection that wait for their response, in their order.
type pending struct {
	reqs []*Request
	head int
}

func (p *pending) len() int { return len(p.reqs) - p.head }

func (p *pending) push(r *Request) {
	if p.head > 16 && p.head*2 > len(p.reqs) {
		p.reqs = p.reqs[:copy(p.reqs, p.reqs[p.head:])]
		p.head = 0
	}
	p.reqs = append(p.reqs, r)
}

// pop takes the oldest, nil where there is none.
func (p *pending) pop() *Request {
	if p.head == len(p.reqs) {
		return nil
	}
	r := p.reqs[p.head]
	p.reqs[p.head] = nil
	if p.head++; p.head == len(p.reqs) {
		p.reqs, p.head = p.reqs[:0], 0
	}
	return r
}

// unpop puts back what pop took.
func (p *pending) unpop(r *Request) {
	if p.head > 0 {
		p.head--
		p.reqs[p.head] = r
		return
	}
	p.reqs = append(p.reqs, nil)
	copy(p.reqs[1:], p.reqs)
	p.reqs[0] = r
}

// find gives the oldest with a correlation id and its place, nil where there is none.
func (p *pending) find(id int32) (*Request, int) {
	for i := p.head; i < len(p.reqs); i++ {
		if p.reqs[i].CorrelationID == id {
			return p.reqs[i], i
		}
	}
	return nil, -1
}

// youngest gives the latest with a correlation id, nil where there is none.
func (p *pending) youngest(id int32) *Request {
	for i := len(p.reqs) - 1; i >= p.head; i-- {
		if p.reqs[i].CorrelationID == id {
			return p.reqs[i]
		}
	}
	return nil
}

// remove takes out the one at place i.
func (p *pending) remove(i int) {
	if i == p.head {
		p.pop()
		return
	}
	p.reqs = append(p.reqs[:i], p.reqs[i+1:]...)
}

// span gives the least and the greatest correlation id, 1 and 0 where there is none.
func (p *pending) span() (low, high int32) {
	low, high = 1, 0
	for i := p.head; i < len(p.reqs); i++ {
		id := p.reqs[i].CorrelationID
		if i == p.head {
			low, high = id, id
		}
		low, high = min(low, id), max(high, id)
	}
	return low, high
}

// request lends a Request that a frame brings; what only some requests have is not there.
func (s *Session) request(f *reassembly.Frame, g Generation, k *Client) *Request {
	var r *Request
	if n := len(s.free); n > 0 {
		r = s.free[n-1]
		s.free = s.free[:n-1]
	} else {
		r = &Request{}
	}
	r.Packet, r.Time, r.Client, r.Generation = f.Last.Packet, f.Last.Time, k, g
	r.Unseen = f.Unseen
	r.Acks, r.MaxWait, r.MinBytes, r.Replica, r.epoch = -128, -1, -1, -1, -1
	return r
}

// recycle takes a Request back. A slice of topics that belongs to a fetch session is not written to again.
func (s *Session) recycle(r *Request) {
	topics, asked := r.Topics[:0], r.asked[:0]
	if r.shared {
		topics = r.own[:0]
	}
	*r = Request{}
	r.Topics, r.asked = topics, asked
	if len(s.free) < 1024 {
		s.free = append(s.free, r)
	}
}

// wait puts a request among those that wait for their response.
func (s *Session) wait(c *conn, r *Request) {
	if c.pending.len() >= maxPending {
		s.giveUpOldest(c)
	}
	c.pending.push(r)
	s.enlist(c, 1)
	for s.waiting > s.maxWaiting && s.oldest.newer != &s.oldest {
		if old := s.oldest.newer; old.pending.len() > 0 {
			s.giveUpOldest(old)
		} else {
			old.delist()
		}
	}
}

// giveUpOldest forgets the request of a connection that waits for longest.
func (s *Session) giveUpOldest(c *conn) {
	old := c.pending.pop()
	s.enlist(c, -1)
	s.Dropped.Requests++
	s.sink.Unanswered(c.tcp, old, Full)
	s.recycle(old)
}

// enlist counts n more requests that wait, and keeps the list of the connections that have some: the one
// whose latest request is oldest goes first. Connections whose last request was answered stay in it, since the next comes soon.
func (s *Session) enlist(c *conn, n int) {
	if s.waiting += n; n < 0 || c.newer == &s.oldest {
		return
	}
	c.delist()
	c.newer, c.older = &s.oldest, s.oldest.older
	c.older.newer, s.oldest.older = c, c
}

// delist takes a connection out of that list, if it is there.
func (c *conn) delist() {
	if c.newer != nil {
		c.older.newer, c.newer.older = c.newer, c.older
		c.newer, c.older = nil, nil
	}
}

// answered takes the request that a response answers, nil where there is none. A broker answers the
// requests of a connection in their order: when something was missing before this answer, the
// answers to older requests were in it. Clients of 0.8 give all their requests one id: of several with
// the id the oldest is right, after a loss the youngest, if the response (as far as body has it) fits. Brokers
// of 0.8 number the requests of each API apart: after a loss of requests the response must fit.
func (s *Session) answered(c *conn, id int32, body []byte, length int) *Request {
	_, first := c.pending.find(id)
	if first < 0 {
		c.turns.varied = c.turns.varied || id != c.first
		return nil
	}
	side := 1 - c.client
	at := first
	if last := len(c.pending.reqs) - 1; c.repeats && first < last {
		at = -1
		for i := first; i <= last; i++ {
			n := i
			if c.gapped[side] {
				n = last - (i - first)
			}
			if r := c.pending.reqs[n]; r.CorrelationID == id && s.fits(r, body, length) {
				at = n
				break
			}
		}
		if at < 0 {
			at = first
		}
	}
	if c.gapped[c.client] && !s.fits(c.pending.reqs[at], body, length) && (s.tree.Trailing > 0 || !s.borneAnswer()) {
		return nil // to a request that was lost, of another API with the same id
	}
	r := c.pending.reqs[at]
	if c.byOrder(r) {
		c.turns.guess(c, r)
	}
	if c.gapped[side] {
		for c.pending.reqs[c.pending.head] != r {
			s.lost(c)
		}
		c.gapped[side] = false
		at = c.pending.head
	}
	c.gapped[c.client] = false
	c.pending.remove(at)
	s.enlist(c, -1)
	return r
}

// fits says whether a response, of which body is all or the beginning, decodes as the answer to r.
func (s *Session) fits(r *Request, body []byte, length int) bool {
	whole := len(body) == length
	t := &s.tree
	t.Decode(decode.Frame{Length: length, Runs: []decode.Run{{Off: 0, Bytes: body}}, Missing: !whole}, r.Key, answeredAs(r.Key, r.Version), decode.Response)
	f, bad := t.Fault()
	return !bad || !whole && f.Class == decode.Incomplete
}

// lost gives up the request that waits for longest: its answer is missing.
func (s *Session) lost(c *conn) {
	old := c.pending.pop()
	s.enlist(c, -1)
	s.sink.Unanswered(c.tcp, old, Lost)
	s.recycle(old)
}

// next takes the request that waits for longest, nil where there is none.
func (s *Session) next(c *conn) *Request {
	r := c.pending.pop()
	if r != nil {
		s.enlist(c, -1)
	}
	return r
}
