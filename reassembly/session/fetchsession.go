package session

import "ksniff/decode"

// maxSession bounds the partitions of a fetch session that are followed.
const maxSession = 100_000

// fetchSession is an incremental fetch session (KIP-227): the broker remembers which partitions the
// client wants, and requests name only what changes.
type fetchSession struct {
	id     int32
	topics []*Topic // each once; a new slice after each change, since requests share it
	parts  map[partition]struct{}
	count  map[*Topic]int
}

type partition struct {
	topic *Topic
	index int32
}

func (f *fetchSession) add(t *Topic, index int32) {
	if _, have := f.parts[partition{t, index}]; have || len(f.parts) >= maxSession {
		return
	}
	f.parts[partition{t, index}] = struct{}{}
	if f.count[t]++; f.count[t] == 1 {
		f.topics = append(f.topics[:len(f.topics):len(f.topics)], t)
	}
}

func (f *fetchSession) forget(t *Topic, index int32) {
	if _, have := f.parts[partition{t, index}]; !have {
		return
	}
	delete(f.parts, partition{t, index})
	if f.count[t]--; f.count[t] > 0 {
		return
	}
	delete(f.count, t)
	topics := make([]*Topic, 0, len(f.topics))
	for _, other := range f.topics {
		if other != t {
			topics = append(topics, other)
		}
	}
	f.topics = topics
}

func newFetchSession(id int32) *fetchSession {
	return &fetchSession{id: id, parts: map[partition]struct{}{}, count: map[*Topic]int{}}
}

// fetchRequested follows the session that a Fetch request asks for or goes on with.
func (s *Session) fetchRequested(c *conn, out *Frame, r *Request) {
	id, epoch, ok := s.fetchIDs(out)
	if !ok {
		return
	}
	r.session, r.epoch = id, epoch
	if epoch <= 0 { // full: 0 begins a session, -1 wants none; both end the one that was
		c.fetch = nil
		if epoch == 0 {
			c.fetch = newFetchSession(0)
			for i := range out.Parts {
				c.fetch.add(out.Parts[i].Topic, out.Parts[i].Partition)
			}
		}
		return
	}
	if c.fetch == nil || c.fetch.id != id && c.fetch.id != 0 {
		c.fetch = newFetchSession(id) // begun before the capture: what is in it shows by and by
	}
	for i := range out.Parts {
		c.fetch.add(out.Parts[i].Topic, out.Parts[i].Partition)
	}
	s.fetchForgotten(c.fetch)
	r.Topics, r.shared = c.fetch.topics, true
}

// fetchForgotten takes out the partitions that the client does not want any more.
func (s *Session) fetchForgotten(f *fetchSession) {
	for topic := range s.tree.Body().Field("ForgottenTopicsData").Elements() {
		t := s.topicOf(topic)
		for p := range topic.Field("Partitions").Elements() {
			f.forget(t, int32(p.Int()))
		}
	}
}

// fetchAnswered follows the session that a Fetch response gives or goes on with.
func (s *Session) fetchAnswered(c *conn, out *Frame, r *Request) {
	f := c.fetch
	if f == nil || r.epoch < 0 || out.Faulty && out.Fault.Class == decode.Incomplete {
		return
	}
	id := int32(s.tree.Body().Field("SessionId").Int())
	switch {
	case r.epoch == 0 && f.id == 0:
		if f.id = id; id == 0 { // the broker gives no session
			c.fetch = nil
		}
	case out.ErrorCode != 0: // FETCH_SESSION_ID_NOT_FOUND, INVALID_FETCH_SESSION_EPOCH
		if f.id == r.session {
			c.fetch = nil
		}
	case f.id == r.session:
		for i := range out.Parts {
			f.add(out.Parts[i].Topic, out.Parts[i].Partition)
		}
	}
}

// fetchIDs reads session id and epoch of a Fetch request; false before version 7.
func (s *Session) fetchIDs(out *Frame) (id, epoch int32, ok bool) {
	body := s.tree.Body()
	e := body.Field("SessionEpoch")
	if !e.OnWire() {
		return 0, -1, false
	}
	return int32(body.Field("SessionId").Int()), int32(e.Int()), true
}
