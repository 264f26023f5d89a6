package audit

import (
	"ksniff/decode"
	"ksniff/reassembly/session"
)

var ks7001 = Rule{ID: "KS7001", Title: "no new metadata after a leader's error", Severity: Warning, Who: Client, Since: "0.8",
	Source:  "Sender.completeBatch; FetchCollector; KIP-951",
	Explain: "The broker said that it does not lead the partition, or does not know it, and the client asks it again and again without a Metadata request in between. Ask for metadata after such an error, or follow the leader that the answer names (Produce 10, Fetch 16).",
	Example: "four Produce requests in a row to the same broker, each answered NOT_LEADER_OR_FOLLOWER",
	Needs:   AllBrokers}

var ks7002 = Rule{ID: "KS7002", Title: "no new lookup of the coordinator", Severity: Warning, Who: Client, Since: "0.8.2",
	Source:  "AbstractCoordinator.markCoordinatorUnknown",
	Explain: "The broker said that it is not the coordinator, or not ready to be, and the client asks it again and again without a FindCoordinator request in between.",
	Example: "four Heartbeats in a row, each answered NOT_COORDINATOR",
	Needs:   AllBrokers}

// lookups count what a client asked for to find its way.
type lookups struct{ metadata, coordinators, offsets int }

var lookupsSlot = newAuditSlot[bounded[*session.Client, lookups]]()

func noteLookups(c *Ctx) {
	if c.Client == nil {
		return
	}
	switch l := lookupsSlot.of(c).at(c.Client, maxClients); c.Key {
	case keyMetadata:
		l.metadata++
	case keyFindCoordinator:
		l.coordinators++
	case keyListOffsets:
		l.offsets++
	}
}

// lookedUp gives the counts of the client whose request is answered.
func lookedUp(c *Ctx) lookups {
	if l := lookupsSlot.of(c).get(c.Request().Client); l != nil {
		return *l
	}
	return lookups{}
}

// chain counts what was sent after an error that something else should have followed.
type chain struct {
	n     int    // requests after it
	first uint64 // packet of the error, 0: there was none
	seen  int    // lookups of the client then
	gaps  int64  // of the capture then: what is missing may have been a lookup
	code  int16
}

// over says that the client looked up since, or may have.
func (h *chain) over(c *Ctx, lookups int) bool { return h.seen != lookups || h.gaps != c.Audit.gaps }

// more counts the request that is answered and says how many there are; the first error begins the chain, and again one
// after a lookup.
func (h *chain) more(c *Ctx, lookups int, code int16) int {
	switch {
	case h.first == 0 || h.over(c, lookups):
		*h = chain{first: c.Last.Packet, seen: lookups, gaps: c.Audit.gaps, code: code}
	case c.Request().Packet > h.first: // else it was on its way already
		h.n++
		return h.n
	}
	return 0
}

// placeOf is a partition on a connection.
type placeOf struct {
	topic     *session.Topic
	partition int32
}

// maxPlaces bounds the partitions with errors, of a connection or of all.
const maxPlaces = 1_000

// leaderKey is a partition that a client looks for at a broker.
type leaderKey struct {
	clientAndBroker
	placeOf
}

var leadersSlot = newAuditSlot[bounded[leaderKey, chain]]()

// lookStaleLeader counts requests after an error that a lookup of the leader would heal. Followers learn from the
// controller instead.
func lookStaleLeader(c *Ctx) {
	if c.Request().Replica >= 0 {
		return
	}
	all, lookups := leadersSlot.of(c), lookedUp(c).metadata
	for i := range c.Parts {
		p := &c.Parts[i]
		key := leaderKey{clientAndBroker{c.Request().Client, brokerOf(c)}, placeOf{p.Topic, p.Partition}}
		h := all.get(key)
		switch p.Error {
		case 3, 5, 6, 74, 75, 100, 103:
			if h == nil && p.Error != 6 && namesLeader(c) {
				continue // it may be this broker
			}
			if h == nil {
				h = all.at(key, maxPlaces)
				c.Audit.marks |= leaderLost
			}
		default:
			if h == nil {
				continue
			}
			if h.over(c, lookups) {
				all.drop(key)
				continue
			}
		}
		if n := h.more(c, lookups, p.Error); n == 3 {
			c.Find(&ks7001).Byte(4, "Response").Say("%d requests after the first error, and no Metadata request in between", n).About(p.Topic, p.Partition).
				With("error", errorName(h.code)).With("requests", n)
		}
	}
}

// namesLeader says that an answer names the leader of one of its partitions.
func namesLeader(c *Ctx) bool {
	if c.Key == keyProduce && c.Version < 10 || c.Key == keyFetch && c.Version < 12 {
		return false
	}
	t := c.Resp()
	for i := range t.Nodes {
		if n := &t.Nodes[i]; n.Kind == decode.Int32 && n.Field != nil && n.Field.Name == "LeaderId" && t.At(int32(i)).Int() >= 0 {
			return true
		}
	}
	return false
}

// coordinatorKey is a group or transactional id that a client looks for at a broker.
type coordinatorKey struct {
	clientAndBroker
	id uint64
}

var coordinatorSlot = newAuditSlot[bounded[coordinatorKey, chain]]()

func lookStaleCoordinator(c *Ctx) {
	all, code := coordinatorSlot.of(c), anyError(c)
	lost := code == 15 || code == 16
	if !lost && len(all.m) == 0 {
		return
	}
	key := coordinatorKey{clientAndBroker{c.Request().Client, brokerOf(c)}, hashID(coordinated(c))}
	h, lookups := all.get(key), lookedUp(c).coordinators
	switch {
	case h == nil && lost:
		h = all.at(key, maxPlaces)
	case h == nil:
		return
	case !lost && h.over(c, lookups):
		all.drop(key)
		return
	}
	if n := h.more(c, lookups, code); n == 3 {
		c.Find(&ks7002).Byte(4, "Response").Say("%d requests after the first error, and no FindCoordinator in between", n).
			With("error", errorName(h.code)).With("requests", n)
	}
}

// coordinated is the group or transactional id of a request.
func coordinated(c *Ctx) string {
	b := c.Req().Body()
	for _, name := range [...]string{"GroupId", "TransactionalId", "V3AndBelowTransactionalId"} {
		if f := b.Field(name); f.OnWire() {
			return f.String()
		}
	}
	for g := range b.Field("Groups").Elements() {
		return g.Field("GroupId").String()
	}
	return ""
}
