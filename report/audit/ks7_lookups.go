package audit

import (
	"ksniff/decode"
	"ksniff/reassembly/session"
)

var ks7001 = Rule{ID: "KS7001", Title: "no new metadata after a leader's error", Severity: Warning, Who: Client, Since: "0.8",
	Source:  "Sender.completeBatch; FetchCollector; KIP-951",
	Explain: "The broker said that it does not lead the partition, or does not know it, and the client asks it again and again without a Metadata request in between. Nothing can get better. Ask for metadata after such an error, or follow the leader that the answer names (Produce 10, Fetch 16).",
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

// chain counts answers with the same kind of error, each to a request that was sent after the one before.
type chain struct {
	n    int   // after the first
	last int64 // packet of the latest answer
	seen int   // lookups of the client at the first
}

// next says how long the chain is with one more error; a lookup in between begins another.
func (h *chain) next(c *Ctx, lookups int) int {
	switch {
	case h.last == 0 || h.seen != lookups:
		*h = chain{seen: lookups}
	case int64(c.Request().Packet) < h.last: // was on its way already
		return 0
	default:
		h.n++
	}
	h.last = int64(c.Last.Packet)
	return h.n
}

// placeOf is a partition on a connection.
type placeOf struct {
	topic     *session.Topic
	partition int32
}

// maxPlaces bounds the partitions with errors on a connection.
const maxPlaces = 1_000

var leadersSlot = newConnSlot[bounded[placeOf, chain]]()

// lookStaleLeader counts the errors that a lookup of the leader would heal. Followers learn from the
// controller instead.
func lookStaleLeader(c *Ctx) {
	if c.Request().Replica >= 0 {
		return
	}
	places := leadersSlot.seen(c.Conn)
	for i := range c.Parts {
		p := &c.Parts[i]
		key := placeOf{p.Topic, p.Partition}
		switch p.Error {
		case 3, 5, 6, 74, 75, 100, 103:
			if (c.Key == keyProduce && c.Version >= 10 || c.Key == keyFetch && c.Version >= 16) && namesLeader(c) {
				continue
			}
			if places == nil {
				places = leadersSlot.of(c.Conn)
			}
			if n := places.at(key, maxPlaces).next(c, lookedUp(c).metadata); n == 3 {
				c.Find(&ks7001).Byte(4, "Response").Say("%d requests after the first error, and no Metadata request in between", n).About(p.Topic, p.Partition).
					With("error", errorName(p.Error)).With("requests", n)
			}
		default:
			if places != nil && len(places.m) > 0 {
				places.drop(key)
			}
		}
	}
}

// namesLeader says that an answer names the leader of one of its partitions.
func namesLeader(c *Ctx) bool {
	t := c.Resp()
	for i := range t.Nodes {
		if n := &t.Nodes[i]; n.Kind == decode.Int32 && n.Field != nil && n.Field.Name == "LeaderId" && t.At(int32(i)).Int() >= 0 {
			return true
		}
	}
	return false
}

var coordinatorSlot = newConnSlot[chain]()

func lookStaleCoordinator(c *Ctx) {
	code := anyError(c)
	if code != 15 && code != 16 {
		if h := coordinatorSlot.seen(c.Conn); h != nil && code == 0 {
			*h = chain{}
		}
		return
	}
	if n := coordinatorSlot.of(c.Conn).next(c, lookedUp(c).coordinators); n == 3 {
		c.Find(&ks7002).Byte(4, "Response").Say("%d requests after the first error, and no FindCoordinator in between", n).
			With("error", errorName(code)).With("requests", n)
	}
}
