package audit

import (
	"math"
)

var ks5001 = Rule{ID: "KS5001", Title: "fetch session epoch is wrong", Severity: Error, Who: Client, Since: "1.1",
	Source:  "FetchMetadata.nextEpoch, FetchSession.newContext; KIP-227; brokers answer INVALID_FETCH_SESSION_EPOCH",
	Explain: "Each request of a fetch session has the epoch after the one before: 1 after the request that began it, then 2 and so on, and 1 after 2147483647.",
	Example: "epoch 5 after a request with epoch 3 that was answered without error",
	Needs:   Start | NoGap}

var ks5002 = Rule{ID: "KS5002", Title: "incremental fetch without a session", Severity: Error, Who: Client, Since: "1.1",
	Source:  "FetchSession.newContext; KIP-227; brokers answer FETCH_SESSION_ID_NOT_FOUND",
	Explain: "An epoch above 0 goes on with a session, and the session id is 0, which is none.",
	Example: "Fetch 7 with session id 0 and epoch 1"}

var ks5003 = Rule{ID: "KS5003", Title: "fetch session goes from names to ids", Severity: Error, Who: Client, Since: "3.1",
	Source:  "FetchSession.newContext; KIP-516; brokers answer FETCH_SESSION_TOPIC_ID_ERROR",
	Explain: "Up to version 12 a Fetch names topics, from 13 on it gives their ids. A session that began with one must go on with it.",
	Example: "a session that began with Fetch 12, gone on with Fetch 13"}

var ks5004 = Rule{ID: "KS5004", Title: "two requests of a fetch session in flight", Severity: Warning, Who: Client, Since: "1.1",
	Source:  "KIP-227: the epoch orders the requests of a session",
	Explain: "A request of a session was sent before the one before it was answered. If that fails, the broker's and the client's idea of the session differ.",
	Example: "epoch 4 while the request with epoch 3 waits for data",
	Needs:   Both | NoGap}

// fetchPart is what a request wants of a partition.
type fetchPart struct {
	at     producedPart
	offset int64
	most   int32 // PartitionMaxBytes
}

// following is a fetch session of a connection.
type following struct {
	id       int32
	epoch    int32 // of the latest request
	answered bool  // that one, without error
	waiting  int   // requests without answer
	ids      bool  // it names topics by id
	whole    bool  // it was seen from its begin, and has room for its partitions
	parts    map[producedPart]fetchPart
}

// Bounds: sessions of a connection, partitions of a session.
const (
	maxFollowed      = 8
	maxFollowedParts = 5000
)

var sessionsSlot = newConnSlot[[]*following]()

func findSession(all []*following, id int32) *following {
	for _, s := range all {
		if s.id == id {
			return s
		}
	}
	return nil
}

// addSession adds a session, in place of the oldest where there is no room.
func addSession(all *[]*following, s *following) *following {
	dropSession(all, s.id)
	if len(*all) >= maxFollowed {
		*all = append((*all)[:0], (*all)[1:]...)
	}
	s.parts = map[producedPart]fetchPart{}
	*all = append(*all, s)
	return s
}

func dropSession(all *[]*following, id int32) {
	for i, s := range *all {
		if s.id == id {
			*all = append((*all)[:i], (*all)[i+1:]...)
			return
		}
	}
}

// want adds what a request wants to a session.
func (s *following) want(p fetchPart) {
	if _, have := s.parts[p.at]; !have && len(s.parts) >= maxFollowedParts {
		s.whole = false
		return
	}
	s.parts[p.at] = p
}

// fetchAsked is what is kept of a Fetch request until its answer.
type fetchAsked struct {
	known   bool
	session *following  // that it goes on with, nil where it is a full request
	parts   []fetchPart // of a full request
}

func (a *fetchAsked) reset() { a.known, a.session, a.parts = false, nil, a.parts[:0] }

// fetchAskedOf is that of the request that is answered, nil where it is not known.
func fetchAskedOf(c *Ctx) *fetchAsked {
	if c.kept == nil || !c.kept.fetch.known {
		return nil
	}
	return &c.kept.fetch
}

// nextEpoch is the epoch that follows.
func nextEpoch(epoch int32) int32 {
	if epoch == math.MaxInt32 {
		return 1
	}
	return epoch + 1
}

// lookFetchSession follows the session of a Fetch request.
func lookFetchSession(c *Ctx) {
	if c.kept == nil {
		return
	}
	r, asked := c.Request(), &c.kept.fetch
	asked.known = true
	id, epoch := r.SessionID, r.SessionEpoch
	if epoch > 0 && id == 0 {
		c.Find(&ks5002).Say("epoch %d with session id 0", epoch).With("epoch", epoch)
	}
	if epoch <= 0 || id == 0 {
		if id != 0 && epoch <= 0 {
			dropSession(sessionsSlot.of(c.Conn), id)
		}
		for i := range c.Parts {
			asked.parts = append(asked.parts, wanted(c, i))
		}
		return
	}
	all := sessionsSlot.of(c.Conn)
	s := findSession(*all, id)
	if s == nil {
		s = addSession(all, &following{id: id, ids: c.Version >= 13})
	} else {
		lookEpoch(c, s, epoch)
	}
	s.epoch, s.answered = epoch, false
	s.waiting++
	for i := range c.Parts {
		s.want(wanted(c, i))
	}
	for i := range c.Forgotten {
		delete(s.parts, producedPart{c.Forgotten[i].Topic, c.Forgotten[i].Partition})
	}
	asked.session = s
}

func wanted(c *Ctx, i int) fetchPart {
	p := &c.Parts[i]
	return fetchPart{producedPart{p.Topic, p.Partition}, p.Offset, p.MaxBytes}
}

// lookEpoch compares a request with the one before in its session.
func lookEpoch(c *Ctx, s *following, epoch int32) {
	switch {
	case s.waiting > 0:
		c.Find(&ks5004).Say("session %d, epoch %d: the request with epoch %d waits for its answer", s.id, epoch, s.epoch).
			With("session", s.id).With("epoch", epoch).With("waiting", s.epoch)
	case s.answered && epoch != nextEpoch(s.epoch):
		c.Find(&ks5001).Say("session %d, epoch %d: after %d comes %d", s.id, epoch, s.epoch, nextEpoch(s.epoch)).
			With("session", s.id).With("expected", nextEpoch(s.epoch)).With("got", epoch)
	}
	if s.ids != (c.Version >= 13) {
		c.Find(&ks5003).Byte(2, "RequestHeader.RequestApiVersion").Say("session %d goes on with Fetch %d", s.id, c.Version).With("session", s.id)
	}
}

// noteSession follows the answer.
func noteSession(c *Ctx) {
	asked := fetchAskedOf(c)
	if asked == nil || c.Version < 7 {
		return
	}
	if s := asked.session; s != nil {
		s.waiting = max(s.waiting-1, 0)
		s.answered = c.ErrorCode == 0
		if !s.answered {
			dropSession(sessionsSlot.of(c.Conn), s.id)
		}
		return
	}
	if c.Frame.Request.SessionEpoch == 0 && c.ErrorCode == 0 && c.SessionID != 0 {
		s := addSession(sessionsSlot.of(c.Conn), &following{id: c.SessionID, answered: true, ids: c.Version >= 13, whole: c.guards&NoGap != 0})
		for _, p := range asked.parts {
			s.want(p)
		}
	}
}

func noteSessionUnanswered(c *Ctx) {
	if asked := fetchAskedOf(c); asked != nil && asked.session != nil {
		asked.session.waiting = max(asked.session.waiting-1, 0)
		asked.session = nil
	}
}

// asked is what the request wanted of a partition of its answer, which is probably at place i; ok is false
// where it did not name it. whole says that all that the request wanted is known.
func (c *Ctx) fetchAsked(a *fetchAsked, i int, at producedPart) (p fetchPart, ok bool) {
	if a.session != nil {
		p, ok = a.session.parts[at]
		return p, ok
	}
	if i < len(a.parts) && a.parts[i].at == at {
		return a.parts[i], true
	}
	for _, p := range a.parts {
		if p.at == at {
			return p, true
		}
	}
	return p, false
}
