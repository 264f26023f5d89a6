package audit

import (
	"math"
	"slices"

	"ksniff/decode"
	"ksniff/reassembly/session"
)

var ks6010 = Rule{ID: "KS6010", Title: "commit beyond what was read", Severity: Warning, Who: Client, Since: "0.8.1",
	Source:  "consumer documentation: commit the next offset to read",
	Explain: "The offset is higher than all that the client received or asked for. After a restart the messages in between are skipped.",
	Example: "a commit of 500 while the last batch that was fetched ends with 99",
	Needs:   Both | NoGap | AllBrokers}

var ks6011 = Rule{ID: "KS6011", Title: "commits are off by one", Severity: Warning, Who: Client, Since: "0.8.1",
	Source:  "consumer documentation: commit the next offset to read",
	Explain: "Ten commits in a row are the offset of the last message received, instead of the one after it. After a restart each partition's last message is read again.",
	Example: "batches that end with 9, 19, 29 … and commits of 9, 19, 29 …",
	Needs:   Both | NoGap}

// positionKey is a partition as a client reads it.
type positionKey struct {
	client    *session.Client
	topic     string
	partition int32
}

// position is how far a client has come.
type position struct {
	next      int64 // the highest offset that it may know: asked for, told, or after the last one received
	received  int64 // the offset after the last message received
	conn      *Conn // that brought it, and how often bytes were missing there
	gaps      int
	committed int64
	off       int // commits in a row that are one too low
	ahead     ahead
	shown     []shown
}

// Bounds: positions, and commits beyond each that are reported.
const (
	maxPositions = 50_000
	maxShown     = 8
)

// consumers are the clients that belong to groups: only their positions are followed.
var consumers = newAuditSlot[bounded[*session.Client, struct{}]]()

var positions = newAuditSlot[bounded[positionKey, position]]()

func noteConsumer(c *Ctx) {
	if c.Client != nil && consumers.of(c).get(c.Client) == nil {
		consumers.of(c).at(c.Client, maxMembers)
	}
}

func positionOf(c *Ctx, topic string, partition int32) *position {
	key := positionKey{c.Request().Client, topic, partition}
	all := positions.of(c)
	if p := all.get(key); p != nil {
		return p
	}
	key.topic = clone(topic)
	p := all.at(key, maxPositions)
	p.committed = -1
	return p
}

// noteAskedFor takes the offsets that a Fetch asks for.
func noteAskedFor(c *Ctx) {
	if c.Client == nil || c.Request().Replica >= 0 || consumers.of(c).get(c.Client) == nil {
		return
	}
	for i := range c.Parts {
		if p := &c.Parts[i]; p.Topic != nil && p.Topic.Name != "" {
			at := positionOf(c, p.Topic.Name, p.Partition)
			at.next = max(at.next, p.Offset)
			at.conn, at.gaps = c.Conn, c.Conn.Gaps
		}
	}
}

// noteReceived takes the last batch of a set.
func noteReceived(c *Ctx) {
	r := c.Request()
	if r == nil || r.Client == nil || r.Replica >= 0 || c.Topic == nil || c.Topic.Name == "" || c.Seen.batches == 0 || consumers.of(c).get(r.Client) == nil {
		return
	}
	at := positionOf(c, c.Topic.Name, c.Partition)
	at.received = c.Seen.last + 1
	at.next = max(at.next, at.received)
	at.conn, at.gaps = c.Conn, c.Conn.Gaps
}

// notePositions takes offsets that ListOffsets and OffsetFetch tell.
func notePositions(c *Ctx) {
	r := c.Request()
	if r.Client == nil || consumers.of(c).get(r.Client) == nil {
		return
	}
	b := c.Resp().Body()
	for t := range b.Field("Topics").Elements() {
		noteTold(c, t)
	}
	for g := range b.Field("Groups").Elements() {
		for t := range g.Field("Topics").Elements() {
			noteTold(c, t)
		}
	}
}

func noteTold(c *Ctx, topic decode.Ref) {
	name := topicNamed(c, topic)
	if name == "" {
		return
	}
	for p := range topic.Field("Partitions").Elements() {
		at := positionOf(c, name, int32(p.Field("PartitionIndex").Int()))
		at.next = max(at.next, p.Field("Offset").Int(), p.Field("CommittedOffset").Int())
		for old := range p.Field("OldStyleOffsets").Elements() {
			at.next = max(at.next, old.Int())
		}
	}
}

// lookPosition compares what a member commits with what it read.
func lookPosition(c *Ctx) {
	s, ok := membershipOf(c)
	if !ok || s.generation < 0 || c.Request().Client == nil {
		return
	}
	for _, one := range committed(c) {
		topic, partition := one.topic, one.partition
		at := positions.of(c).get(positionKey{c.Request().Client, topic, partition})
		if one.code != 0 || at == nil || at.conn == nil || at.conn.Gaps != at.gaps || at.conn.has()&Both == 0 || at.received == 0 {
			continue
		}
		offset := one.place.Field("CommittedOffset")
		v := offset.Int()
		at.lookAhead()
		if v > at.next {
			at.ahead = ahead{v, offset.Offset(), offset.Path(), c.witness(), at.conn, at.gaps, at.conn.fetches(math.MaxUint64)}
		}
		switch {
		case v == at.committed:
		case v == at.received-1:
			if at.off++; at.off == 10 {
				c.Find(&ks6011).Place(offset).Say("ten commits in a row are the last offset received, this one %d; the next to read is %d", v, v+1).
					With("topic", clone(topic)).With("partition", partition).With("offset", v)
			}
		default:
			at.off = 0
		}
		at.committed = v
	}
}

// ahead is a commit beyond what was read, 0: none. The next one says whether it was, or the end: what was read may be
// captured late, or be waiting behind a gap. It is reported at the end, when all gaps are known.
type ahead struct {
	offset int64
	place  int
	field  string
	by     witness
	conn   *Conn // as of the position, then
	gaps   int
	open   bool // a Fetch waited for its answer
}

// shown is a commit that was beyond what was read.
type shown struct {
	ahead
	next int64
}

// fetches says that a Fetch that was sent before a packet waits for its answer.
func (c *Conn) fetches(before uint64) bool {
	return slices.ContainsFunc(c.out, func(k *kept) bool { return k.req.Key == keyFetch && k.packet < before })
}

// lookAhead looks at a commit when the next one is there.
func (p *position) lookAhead() {
	a := p.ahead
	p.ahead = ahead{}
	if a.offset <= p.next || a.conn != p.conn || a.gaps != p.conn.Gaps || p.conn.fetches(a.by.at.Packet) {
		return
	}
	if len(p.shown) < maxShown {
		p.shown = append(p.shown, shown{a, p.next})
	}
}

// tell reports what was shown, where nothing was missing on the connection that brought the messages.
func (p *position) tell(c *Ctx, topic string, partition int32) {
	for i := range p.shown {
		one := &p.shown[i]
		if one.conn.Gaps != one.gaps {
			continue
		}
		c.recall(&one.by, func() {
			c.Find(&ks6010).Byte(one.place, one.field).Say("offset %d, and the client has read up to %d", one.offset, one.next-1).
				With("topic", clone(topic)).With("partition", partition).With("offset", one.offset).With("highest_position", one.next)
		})
	}
	p.shown = nil
}

// lookPositions looks at the latest commits.
func lookPositions(c *Ctx) {
	all := positions.of(c)
	for _, key := range all.order {
		if p := all.get(key); p != nil && p.conn != nil {
			if !p.ahead.open {
				p.lookAhead()
			}
			p.tell(c, key.topic, key.partition)
		}
	}
}
