package session

import "ksniff/decode"

// maxSession bounds the partitions of a fetch session that are followed.
const maxSession = 100_000

// fetchSession is an incremental fetch session (KIP-227): the broker remembers which partitions the
// client wants, and requests name only what changes.
type fetchSession struct {
	id     int32
	topics []*Topic // each once; a new slice after a change, since requests share it
	order  []*Topic // in the order in which they came, also some that have gone
	stale  bool     // topics must be made anew
	parts  map[partition]struct{}
	count  map[*Topic]int
}

type partition struct {
	topic *Topic
	index int32
}

// joinSession notes a partition as part of a session.
func (s *Session) joinSession(f *fetchSession, t *Topic, index int32) {
	if _, have := f.parts[partition{t, index}]; have {
		return
	}
	if len(f.parts) >= maxSession || s.inSessions >= s.maxInSessions {
		s.Dropped.Partitions++
		return
	}
	s.inSessions++
	f.parts[partition{t, index}] = struct{}{}
	if f.count[t]++; f.count[t] == 1 {
		f.order, f.stale = append(f.order, t), true
	}
}

// quitSession takes a partition out of a session.
func (s *Session) quitSession(f *fetchSession, t *Topic, index int32) {
	if _, have := f.parts[partition{t, index}]; !have {
		return
	}
	delete(f.parts, partition{t, index})
	s.inSessions--
	if f.count[t]--; f.count[t] == 0 {
		delete(f.count, t)
		f.stale = true
	}
}

// list gives the topics of a session, each once.
func (f *fetchSession) list() []*Topic {
	if !f.stale {
		return f.topics
	}
	f.topics, f.stale = make([]*Topic, 0, len(f.count)), false
	for _, t := range f.order {
		if f.count[t] > 0 {
			f.count[t] = -f.count[t] // taken
			f.topics = append(f.topics, t)
		}
	}
	for _, t := range f.topics {
		f.count[t] = -f.count[t]
	}
	f.order = append(f.order[:0], f.topics...)
	return f.topics
}

// leave ends the fetch session of a connection.
func (s *Session) leave(c *conn) {
	if c.fetch != nil {
		s.inSessions -= len(c.fetch.parts)
		c.fetch = nil
	}
}

func newFetchSession(id int32) *fetchSession {
	return &fetchSession{id: id, parts: map[partition]struct{}{}, count: map[*Topic]int{}}
}

// follow follows the fetch session of a connection through what was read of a frame.
func (s *Session) follow(c *conn, out *Frame, r *Request, v *decode.Facts, drops []Part) {
	switch {
	case r == nil || out.Key != keyFetch || out.Version < 7:
	case out.Kind == decode.Request:
		out.Forgotten = drops
		s.fetchRequested(c, out, r, v, drops)
	default:
		s.fetchAnswered(c, out, r, v)
	}
}

// fetchRequested follows the session that a Fetch request asks for or goes on with. Epoch 0 begins a
// session, -1 wants none; both are full requests and end the session that was.
func (s *Session) fetchRequested(c *conn, out *Frame, r *Request, v *decode.Facts, drops []Part) {
	r.session, r.epoch = v.SessionID, v.SessionEpoch
	if r.epoch <= 0 {
		s.leave(c)
		if r.epoch == 0 {
			c.fetch = newFetchSession(0)
			for i := range out.Parts {
				s.joinSession(c.fetch, out.Parts[i].Topic, out.Parts[i].Partition)
			}
		}
		return
	}
	if c.fetch == nil || c.fetch.id != r.session && c.fetch.id != 0 {
		s.leave(c)
		c.fetch = newFetchSession(r.session) // begun before the capture: what is in it shows by and by
	}
	f := c.fetch
	for i := range out.Parts {
		s.joinSession(f, out.Parts[i].Topic, out.Parts[i].Partition)
	}
	for i := range drops {
		s.quitSession(f, drops[i].Topic, drops[i].Partition)
	}
	r.own, r.Topics, r.shared = r.Topics, f.list(), true
}

// fetchAnswered follows the session that a Fetch response gives or goes on with.
func (s *Session) fetchAnswered(c *conn, out *Frame, r *Request, v *decode.Facts) {
	f := c.fetch
	switch {
	case f == nil || r.epoch < 0:
	case r.epoch == 0:
		if f.id != 0 {
			return
		}
		if f.id = v.SessionID; f.id == 0 { // the broker gives no session
			s.leave(c)
		}
	case f.id != r.session:
	case out.ErrorCode != 0: // FETCH_SESSION_ID_NOT_FOUND, INVALID_FETCH_SESSION_EPOCH
		s.leave(c)
	default:
		for i := range out.Parts {
			s.joinSession(f, out.Parts[i].Topic, out.Parts[i].Partition)
		}
	}
}
