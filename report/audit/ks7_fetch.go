package audit

import (
	"ksniff/decode"
	"ksniff/reassembly/session"
)

var ks7008 = Rule{ID: "KS7008", Title: "fetches an offset that is out of range, again and again", Severity: Warning, Who: Client, Since: "0.6",
	Source:  "FetchCollector resets the position by ListOffsets",
	Explain: "The broker answered that the offset is out of range, and the client asks for the same offset again, without asking which offsets there are (ListOffsets; OFFSETS in 0.6 and 0.7). It never gets on.",
	Example: "Fetch of offset 900 four times, each answered OFFSET_OUT_OF_RANGE",
	Needs:   Both}

// stuck is a partition whose offset is out of range.
type stuck struct {
	chain
	offset int64
}

var stuckSlot = newConnSlot[bounded[placeOf, stuck]]()

// noteFetch forgets partitions that are asked for from elsewhere, and watches over refused sessions.
func noteFetch(c *Ctx) {
	noteStuck(c)
	lookBadSession(c)
}

func noteStuck(c *Ctx) {
	all := stuckSlot.seen(c.Conn)
	if all == nil || len(all.m) == 0 {
		return
	}
	for i := range c.Parts {
		key := placeOf{c.Parts[i].Topic, c.Parts[i].Partition}
		if s := all.get(key); s != nil && s.offset != c.Parts[i].Offset {
			all.drop(key)
		}
	}
}

func lookOutOfRange(c *Ctx) {
	if c.Request().Replica < 0 {
		countStuck(c, lookedUp(c).offsets, fetchedFrom)
	}
}

// countStuck counts the answers of a frame.
func countStuck(c *Ctx, lookups int, from func(*Ctx, *session.Part) (int64, bool)) {
	all := stuckSlot.seen(c.Conn)
	for i := range c.Parts {
		p := &c.Parts[i]
		key := placeOf{p.Topic, p.Partition}
		if p.Error != 1 {
			if all != nil && len(all.m) > 0 {
				all.drop(key)
			}
			continue
		}
		if all == nil {
			all = stuckSlot.of(c.Conn)
		}
		s := all.at(key, maxPlaces)
		if offset, ok := from(c, p); ok {
			if s.offset != offset {
				s.chain = chain{}
			}
			s.offset = offset
		}
		if n := s.more(c, lookups, p.Error); n == 3 {
			c.Find(&ks7008).Byte(0, "Response").Say("offset %d was fetched %d more times after the first error", s.offset, n).About(p.Topic, p.Partition).
				With("offset", s.offset).With("times", n)
		}
	}
}

// fetchedFrom is the offset that the request names for a partition; one in a session need not.
func fetchedFrom(c *Ctx, p *session.Part) (int64, bool) {
	if p.Topic == nil {
		return 0, false
	}
	for t := range c.Req().Body().Field("Topics").Elements() {
		if name := t.Field("Topic"); name.OnWire() && name.String() != p.Topic.Name || !name.OnWire() && t.Field("TopicId").UUID() != p.Topic.ID {
			continue
		}
		for x := range t.Field("Partitions").Elements() {
			if int32(x.Field("Partition").Int()) == p.Partition {
				return x.Field("FetchOffset").Int(), true
			}
		}
	}
	return 0, false
}

// legacyOffsetsSlot counts the OFFSETS requests of a connection.
var legacyOffsetsSlot = newConnSlot[int]()

func noteLegacyFetch(c *Ctx) {
	if c.Key == legacyOffsets {
		*legacyOffsetsSlot.of(c.Conn)++
		return
	}
	if c.Key == legacyFetch || c.Key == legacyMultiFetch {
		noteStuck(c)
	}
}

func lookLegacyOutOfRange(c *Ctx) {
	if c.Key == legacyFetch || c.Key == legacyMultiFetch {
		countStuck(c, *legacyOffsetsSlot.of(c.Conn), legacyFetchedFrom)
	}
}

// legacyFetchedFrom is the same for FETCH and MULTIFETCH: topic, partition, offset, size.
func legacyFetchedFrom(c *Ctx, p *session.Part) (int64, bool) {
	r, n := bytesReader{b: c.Asked()}, int16(1)
	if r.int16(); c.Key == legacyMultiFetch {
		n = r.int16()
	}
	for range n {
		topic, partition, offset := r.take(int(r.int16())), r.int32(), r.int64()
		r.int32()
		if !r.short && p.Topic != nil && string(topic) == p.Topic.Name && partition == p.Partition {
			return offset, true
		}
	}
	return 0, false
}

var ks7009 = Rule{ID: "KS7009", Title: "goes on with a fetch session that is gone", Severity: Warning, Who: Client, Since: "1.1",
	Source:  "KIP-227; FetchSessionHandler.handleResponse",
	Explain: "The broker does not know the fetch session, or expects another epoch. The next Fetch must be a full one (epoch 0), and this one is incremental again.",
	Example: "FETCH_SESSION_ID_NOT_FOUND, and then a Fetch with the same SessionId and epoch 8",
	Needs:   Both | NoGap}

// badSession is the session that was refused on a connection.
type badSession struct{ id int64 }

var badSessionSlot = newConnSlot[badSession]()

func noteFetchSession(c *Ctx) {
	if c.ErrorCode == 70 || c.ErrorCode == 71 {
		badSessionSlot.of(c.Conn).id = c.Req().Body().Field("SessionId").Int()
	}
}

func lookBadSession(c *Ctx) {
	bad := badSessionSlot.seen(c.Conn)
	if bad == nil || bad.id == 0 {
		return
	}
	id, epoch := c.Req().Body().Field("SessionId"), c.Req().Body().Field("SessionEpoch")
	if id.Kind() == decode.Int32 && id.Int() == bad.id && epoch.Int() > 0 {
		c.Find(&ks7009).Place(id).Say("session %d, epoch %d, after the broker had refused the session", id.Int(), epoch.Int()).
			With("session", id.Int()).With("epoch", epoch.Int())
	}
	bad.id = 0
}
