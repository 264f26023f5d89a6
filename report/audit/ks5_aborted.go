package audit

import (
	"math"

	"ksniff/decode"
	"ksniff/reassembly/session"
)

var ks5010 = Rule{ID: "KS5010", Title: "aborted transactions for read_uncommitted", Severity: Info, Who: Broker, Since: "0.11",
	Source:  "message definition of Fetch (abortedTransactions)",
	Explain: "The list of aborted transactions is for consumers with read_committed. For others it is null.",
	Example: "isolation level 0, and a list of two transactions",
	Once:    PerClient}

var ks5011 = Rule{ID: "KS5011", Title: "list of aborted transactions is odd", Severity: Info, Who: Broker, Since: "0.11",
	Source:  "CompletedFetch, TransactionIndex; no order is promised, the Java client sorts",
	Explain: "A transaction is listed twice, begins behind the records that were returned, or the list does not ascend. Consumers that rely on its order take aborted records for committed ones.",
	Example: "the first offsets 20, 10"}

var ks5014 = Rule{ID: "KS5014", Title: "preferred replica is ignored", Severity: Warning, Who: Client, Since: "2.4",
	Source:  "KIP-392",
	Explain: "The broker named a nearer replica for the partition, and the client goes on fetching it here: it pays for the longer way, and gets no records.",
	Example: "PreferredReadReplica 2 in four answers in a row",
	Needs:   AllBrokers}

// latestAborted has, by the partitions of the answer that is looked at, the greatest first offset of the
// aborted transactions, or the least int64.
type latestAborted struct{ first []int64 }

var abortedSlot = newAuditSlot[latestAborted]()

// lookAborted goes through the partitions of an answer.
func lookAborted(c *Ctx) {
	all := abortedSlot.of(c)
	all.first = all.first[:0]
	if c.Version < 4 || len(c.Parts) == 0 {
		return
	}
	t, part := c.Resp(), -1
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Field == nil {
			continue
		}
		switch {
		case n.Kind == decode.Array && n.Field.Name == "AbortedTransactions":
			part++
			all.first = append(all.first, math.MinInt64)
			if list := t.At(int32(i)); part < len(c.Parts) && list.Count() > 0 {
				all.first[part] = lookList(c, list, &c.Parts[part])
			}
		case n.Kind == decode.Int32 && n.Field.Name == "PreferredReadReplica" && part >= 0 && part < len(c.Parts):
			if to := t.At(int32(i)); to.Int() >= 0 {
				notePreferred(c, to.Int(), &c.Parts[part])
			}
		}
	}
}

// lookList looks at a list of aborted transactions, and gives the greatest of their first offsets.
func lookList(c *Ctx, list decode.Ref, p *session.Part) int64 {
	if c.Frame.Request.Isolation == 0 {
		c.Find(&ks5010).Place(list).About(p.Topic, p.Partition).Say("%d aborted transactions, the isolation level is read_uncommitted", list.Count()).
			With("transactions", list.Count())
	}
	most, before, unsorted, twice := int64(math.MinInt64), int64(math.MinInt64), false, false
	var same [2]int64 // producer and first offset of the one before
	for e := range list.Elements() {
		id, first := e.Field("ProducerId").Int(), e.Field("FirstOffset").Int()
		unsorted = unsorted || first < before
		twice = twice || before != math.MinInt64 && same == [2]int64{id, first}
		before, same = first, [2]int64{id, first}
		most = max(most, first)
	}
	switch {
	case twice:
		c.Find(&ks5011).Place(list).About(p.Topic, p.Partition).Say("a transaction is listed twice")
	case unsorted:
		c.Find(&ks5011).Place(list).About(p.Topic, p.Partition).Say("the first offsets do not ascend")
	}
	return most
}

// lookAbortedLater compares the list with the records of the partition.
func lookAbortedLater(c *Ctx) {
	all := abortedSlot.of(c)
	if c.Part >= len(all.first) || c.Seen.trailing > 0 {
		return
	}
	if first, last := all.first[c.Part], c.Seen.last; c.Seen.batches > 0 && first > last {
		c.Find(&ks5011).Byte(c.Set, "AbortedTransactions").About(c.Topic, c.Partition).
			Say("a transaction begins with offset %d, the last offset returned is %d", first, last).With("first_offset", first).With("last_offset", last)
	}
}

// preferred is where the client was sent for a partition, and how often it came back since.
type preferred struct {
	replica int64
	since   int64  // time of the answer
	packet  uint64 // its packet
	counted uint64 // the latest answer that was
	n       int
}

var preferredSlot = newConnSlot[bounded[producedPart, preferred]]()

// Bounds: partitions; for how long a client keeps to a replica (at least; metadata.max.age.ms is more), in ns.
const (
	maxPreferred   = 1000
	preferredCycle = 60e9
)

// notePreferred notes where an answer sends the client, unless that is known.
func notePreferred(c *Ctx, to int64, part *session.Part) {
	p := preferredSlot.of(c.Conn).at(producedPart{part.Topic, part.Partition}, maxPreferred)
	if p.packet == 0 {
		*p = preferred{replica: to, since: c.Last.Time, packet: c.Last.Packet}
	}
}

// lookPreferred counts the requests for partitions for which the client was sent elsewhere.
func lookPreferred(c *Ctx) {
	all, a := preferredSlot.seen(c.Conn), fetchAskedOf(c)
	if all == nil || a == nil {
		return
	}
	for _, at := range all.order {
		p := all.get(at)
		if p == nil || p.counted == c.Last.Packet || c.Request().Packet < p.packet {
			continue
		}
		if _, asks := c.fetchAsked(a, 0, at); !asks {
			continue
		}
		p.counted = c.Last.Packet
		if c.Last.Time-p.since > preferredCycle || faultOf(c, at) {
			all.drop(at)
			continue
		}
		if p.n++; p.n == 3 {
			c.Find(&ks5014).Byte(4, "FetchResponse").About(at.topic, at.partition).
				Say("the client was sent to replica %d in packet %d, and has asked here 3 more times", p.replica, p.packet).With("replica", p.replica)
		}
	}
}

// faultOf says that the answer has an error for a partition.
func faultOf(c *Ctx, at producedPart) bool {
	for i := range c.Parts {
		if p := &c.Parts[i]; p.Topic == at.topic && p.Partition == at.partition {
			return p.Error != 0
		}
	}
	return c.ErrorCode != 0
}
