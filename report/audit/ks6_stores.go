package audit

import (
	"unicode/utf16"

	"ksniff/reassembly"
)

var ks6012 = Rule{ID: "KS6012", Title: "the metadata of a commit is too long", Severity: Error, Who: Client, Since: "0.8.2",
	Source:  "offset.metadata.max.bytes, 4096 by default",
	Explain: "The text that goes with an offset is longer than brokers take by default, and the broker refused it with OFFSET_METADATA_TOO_LARGE. The offset is not committed.",
	Example: "OffsetCommit with CommittedMetadata of 5000 characters"}

func lookCommitMetadata(c *Ctx) {
	if anyError(c) != 12 {
		return
	}
	for _, one := range committed(c) {
		if text := one.place.Field("CommittedMetadata"); one.code == 12 && len(text.String()) > 4096 && characters(text.String()) > 4096 {
			c.Find(&ks6012).Place(text).Say("the metadata has %d characters", characters(text.String())).
				With("characters", characters(text.String())).With("topic", one.text()).Answered(12)
		}
	}
}

// characters is the length as Java has it.
func characters(s string) (n int) {
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

var ks6013 = Rule{ID: "KS6013", Title: "offsets in ZooKeeper", Severity: Warning, Most: Error, Who: Client, Since: "0.8.1",
	Source:  "KafkaApis: version 0 of OffsetCommit and OffsetFetch is ZooKeeper's",
	Explain: "Version 0 of OffsetCommit and OffsetFetch keeps offsets in ZooKeeper, newer versions keep them in Kafka. A group that uses both has two positions and reads one that the other does not know: an error.",
	Example: "OffsetCommit 0"}

// stores says where a group keeps its offsets, and how it reads them.
type stores struct {
	versions      [2]bool // 0, newer
	told          bool
	transactional bool
	unstable      bool
}

// consumerGroup is a group, as one coordinator knows it.
type consumerGroup struct {
	coordinator reassembly.Endpoint
	group       string
}

var storesSlot = newAuditSlot[bounded[consumerGroup, stores]]()

// brokerOf is the broker of the connection.
func brokerOf(c *Ctx) reassembly.Endpoint {
	if c.Conn.Broker == nil {
		return reassembly.Endpoint{}
	}
	return c.Conn.Broker.End
}

func storesOf(c *Ctx, group string) *stores {
	all := storesSlot.of(c)
	if s := all.get(consumerGroup{brokerOf(c), group}); s != nil {
		return s
	}
	return all.at(consumerGroup{brokerOf(c), clone(group)}, maxGroupIDs)
}

func lookStores(c *Ctx) {
	group := c.Req().Body().Field("GroupId")
	if !group.OnWire() {
		return
	}
	s := storesOf(c, group.String())
	which := min(int(c.Version), 1)
	if s.versions[which] {
		return
	}
	s.versions[which] = anyError(c) == 0 // what was refused is in no store
	switch {
	case s.versions[0] && s.versions[1]:
		c.Find(&ks6013).Byte(2, "RequestHeader.RequestApiVersion").Say("the group keeps offsets in ZooKeeper (version 0) and in Kafka (newer versions)").
			With("group", clone(group.String())).Graded(Error)
	case which == 0 && !s.told:
		s.told = true
		c.Find(&ks6013).Byte(2, "RequestHeader.RequestApiVersion").Say("%s 0 keeps offsets in ZooKeeper", c.API.Name).With("group", clone(group.String()))
	}
}

var ks6025 = Rule{ID: "KS6025", Title: "reads offsets that are not stable yet", Severity: Warning, Who: Client, Since: "2.5",
	Source:  "KIP-447",
	Explain: "The group commits its offsets in transactions, and a member fetches them without RequireStable: it may get an offset that an open transaction is about to change, and process messages twice.",
	Example: "OffsetFetch 7 with RequireStable false in a group that uses TxnOffsetCommit",
	Needs:   AllBrokers}

// lookUnstable leaves out requests for all partitions, which are those of tools.
func lookUnstable(c *Ctx) {
	b := c.Req().Body()
	if c.Key == keyTxnOffsetCommit {
		if s := storesOf(c, b.Field("GroupId").String()); !s.transactional {
			s.transactional = true
			if s.unstable {
				c.Find(&ks6025).Place(b.Field("GroupId")).Say("the group reads offsets without RequireStable, and commits them in transactions").
					With("group", clone(b.Field("GroupId").String()))
			}
		}
		return
	}
	stable := b.Field("RequireStable")
	if c.Version < 7 || stable.Bool() {
		return
	}
	look := func(group string, all bool) {
		s := storesOf(c, group)
		if all || s.unstable {
			return
		}
		s.unstable = true
		if s.transactional {
			c.Find(&ks6025).Place(stable).Say("RequireStable is false in a group that commits in transactions").With("group", clone(group))
		}
	}
	if c.Version == 7 {
		look(b.Field("GroupId").String(), b.Field("Topics").IsNull())
	}
	for g := range b.Field("Groups").Elements() {
		look(g.Field("GroupId").String(), g.Field("Topics").IsNull())
	}
}
