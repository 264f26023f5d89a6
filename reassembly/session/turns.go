package session

import "ksniff/reassembly"

// turns says how certain it is which request a response answers, where nothing in it tells: legacy ones have no
// correlation id, and some clients of 0.8 give all requests the same. A broker answers the requests of a connection in
// their order. While all of both sides is there, that is proof. After a loss it is again where the bytes leave no choice,
// or when a request comes while none waits, from a client that was never seen to send one before it had the answer to the
// one before.
type turns struct {
	doubt   doubt
	ahead   bool   // the client sends requests before older ones are answered
	assumed bool   // that it does not was taken for proof
	varied  bool   // a response had another correlation id than the first request
	heard   uint64 // packet of the latest response, also of one to nothing that is known
}

// byOrder says that the response to a request does not tell, or may not, what it answers: there is no correlation id,
// it is always the same one, or so far there was one only, from a client that may be of 0.8.
func (c *conn) byOrder(r *Request) bool {
	return c.gen == Legacy || c.repeats || r.Version <= 1 && c.corr == c.first && !c.turns.varied
}

type doubt uint8

const (
	noDoubt    doubt = iota
	answerLost       // an answer or more are missing, and nothing else is
	inDoubt          // requests may be missing, or answers were skipped
)

// lost notes that bytes of a side are missing between its frames. answers says that they were nothing but answers.
func (t *turns) lost(answers bool) {
	if answers && t.doubt != inDoubt {
		t.doubt = answerLost
	} else {
		t.doubt = inDoubt
	}
}

// skipped notes that n bytes of answers are skipped.
func (t *turns) skipped(n int) {
	if n > 0 && t.doubt == noDoubt {
		t.doubt = inDoubt
	}
}

// ask takes a request that will be answered, before it waits. One that was found late may have been answered already.
func (s *Session) ask(c *conn, r *Request) {
	t, none, broker := &c.turns, c.pending.len() == 0, 1-c.client
	switch {
	case !none && c.seen[broker] && !c.gapped[broker] && t.doubt == noDoubt:
		if t.ahead = true; t.assumed {
			t.doubt = inDoubt
		}
	case t.doubt == noDoubt:
	case none && !t.ahead && !c.gapped[broker] && r.Packet > t.heard:
		t.doubt, t.assumed = noDoubt, true
		fallthrough
	default:
		for len(c.held) > 0 { // they answer what is missing
			s.giveUp(c)
		}
	}
}

// guess marks a request that waits and that a response is taken to answer, unless that is certain.
func (t *turns) guess(c *conn, r *Request) {
	if t.doubt == answerLost && c.pending.len() == 2 && r == c.pending.reqs[c.pending.head+1] {
		t.doubt = noDoubt
	} else if t.doubt != noDoubt {
		t.doubt, r.Unseen, r.guessed = inDoubt, true, true
	}
}

// turn takes the request that a legacy response answers, of which body is all or the beginning; nil where there is none.
// In doubt a client that waits for each answer has sent it last; of others one answer is missing.
func (s *Session) turn(c *conn, f *reassembly.Frame, body []byte) *Request {
	t, p, broker := &c.turns, &c.pending, 1-c.client
	t.heard = f.Last.Packet
	if p.len() == 0 {
		return nil
	}
	r := p.reqs[p.head]
	switch {
	case t.doubt == noDoubt:
	case !t.ahead:
		r = p.reqs[len(p.reqs)-1]
	case c.gapped[broker] && p.len() > 1:
		r = p.reqs[p.head+1]
	}
	if t.guess(c, r); r.guessed && len(body) == f.Length && !s.fitsLegacy(r, body) {
		return nil
	}
	for c.gapped[broker] = false; p.reqs[p.head] != r; {
		s.lost(c)
	}
	return s.next(c)
}
