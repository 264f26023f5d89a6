package audit

import "slices"

var ks6006 = Rule{ID: "KS6006", Title: "a generation that the member was not given", Severity: Warning, Who: Client, Since: "0.9",
	Source:  "ClassicGroup.validateOffsetCommit, validateMember",
	Explain: "The request has another generation than the latest answer to this member's JoinGroup, which came before it. The broker answers ILLEGAL_GENERATION: what should be committed is not. A member must take the new generation for all that it sends.",
	Example: "a Heartbeat with generation 4 after a JoinGroup that was answered with 5",
	Needs:   Both | NoGap}

func lookGeneration(c *Ctx) {
	s, ok := membershipOf(c)
	g := standingSlot.of(c)
	if !ok || g == nil || !g.known || g.consumer || s.generation < 0 || s.generation == g.generation || anyError(c) != 22 {
		return
	}
	c.Find(&ks6006).Byte(s.place.Offset(), s.place.Path()).Say("generation %d, the member was given %d", s.generation, g.generation).
		With("got", s.generation).With("given", g.generation).Answered(22)
}

var ks6014 = Rule{ID: "KS6014", Title: "commit from outside a group that has members", Severity: Warning, Who: Client, Since: "0.9",
	Source:  "ClassicGroup.validateOffsetCommit",
	Explain: "A commit without member and generation is taken only while the group is empty. The broker answers UNKNOWN_MEMBER_ID: a client with manually assigned partitions uses the group id of one that subscribes, or a tool resets offsets of a running group.",
	Example: "OffsetCommit with generation -1 and an empty MemberId while members of the group send heartbeats"}

func lookOutsider(c *Ctx) {
	s, ok := membershipOf(c)
	if ok && s.generation < 0 && s.id == "" && anyError(c) == 25 {
		c.Find(&ks6014).Byte(s.place.Offset(), s.place.Path()).Say("a commit without member id to a group that has members").
			With("group", clone(s.group)).Answered(25)
	}
}

var ks6019 = Rule{ID: "KS6019", Title: "OffsetCommit below 9 in a group of the new protocol", Severity: Error, Who: Client, Since: "3.7",
	Source:  "KIP-848; ConsumerGroup.validateOffsetCommit",
	Explain: "Members that use ConsumerGroupHeartbeat must commit with version 9 or newer, which has the member epoch. Brokers answer UNSUPPORTED_VERSION to older ones.",
	Example: "OffsetCommit 8 by a member that sends ConsumerGroupHeartbeat"}

func lookOldCommit(c *Ctx) {
	s, ok := membershipOf(c)
	if !ok || c.Version >= 9 || s.id == "" {
		return
	}
	if m := knownMember(c, s.group, s.id); m != nil && m.consumer {
		f := c.Find(&ks6019).Byte(2, "RequestHeader.RequestApiVersion").Say("OffsetCommit %d by a member of a group with the consumer protocol", c.Version)
		settled(c, f, 35)
	}
}

var ks6020 = Rule{ID: "KS6020", Title: "commit or fetch of offsets with a stale epoch", Severity: Warning, Who: Client, Since: "3.7",
	Source:  "KIP-848; ConsumerGroup.validateOffsetCommit, validateOffsetFetch",
	Explain: "The member epoch is not the one that the latest heartbeat was answered with. The broker answers STALE_MEMBER_EPOCH. Take the new epoch and try again.",
	Example: "OffsetCommit 9 with epoch 3 after a heartbeat that was answered with 4",
	Needs:   Both | NoGap}

func lookStaleEpoch(c *Ctx) {
	s, ok := membershipOf(c)
	g := standingSlot.of(c)
	if !ok || c.Version < 9 || g == nil || !g.known || !g.consumer || s.generation == g.epoch || anyError(c) != 113 {
		return
	}
	c.Find(&ks6020).Byte(s.place.Offset(), s.place.Path()).Say("epoch %d, the member was given %d", s.generation, g.epoch).
		With("got", s.generation).With("given", g.epoch).Answered(113)
}

var ks6024 = Rule{ID: "KS6024", Title: "commit for a partition that is not assigned", Severity: Warning, Who: Client, Since: "0.9",
	Source:  "consumer protocol: a partition belongs to one member; brokers do not check",
	Explain: "The member commits an offset of a partition that was assigned to it neither in this generation nor in the one before. It overwrites what the partition's owner commits, so that messages are read twice or not at all.",
	Example: "a member that has orders-0 commits orders-1",
	Needs:   Both}

func lookOwner(c *Ctx) {
	s, ok := membershipOf(c)
	if !ok || s.id == "" || s.generation < 0 {
		return
	}
	m := knownMember(c, s.group, s.id)
	if m != nil && m.consumer {
		lookConsumerOwner(c, m, s.generation)
		return
	}
	if m == nil || !m.joined || m.generation != s.generation || !m.assigned[0].known || len(m.assigned[0].list) == 0 {
		return
	}
	for _, one := range committed(c) {
		key := topicPartition{one.topic, one.partition}
		if one.topic == "" || one.code != 0 || slices.Contains(m.assigned[0].list, key) || slices.Contains(m.assigned[1].list, key) {
			continue
		}
		c.Find(&ks6024).Place(one.place).Say("partition %d of %s is not among the %d that are assigned", one.partition, one.topic, len(m.assigned[0].list)).
			With("topic", clone(one.topic)).With("partition", one.partition)
		return
	}
}

// lookConsumerOwner does the same for a member of the new protocol, whose partitions are told by the topics' ids.
func lookConsumerOwner(c *Ctx, m *member, epoch int32) {
	if epoch != m.epoch || !m.claims.known || len(m.claims.allowed) == 0 {
		return
	}
	names := topicIDs.of(c)
	for _, one := range committed(c) {
		if one.code != 0 || slices.ContainsFunc(m.claims.allowed, func(p ownedPartition) bool {
			if one.id != [16]byte{} {
				return p == ownedPartition{one.id, one.partition}
			}
			name := names.get(p.topic)
			return name == nil || *name == one.topic && p.partition == one.partition
		}) {
			continue
		}
		c.Find(&ks6024).Place(one.place).Say("partition %d of %s is not among the %d that are assigned", one.partition, one.text(), len(m.claims.allowed)).
			With("topic", one.text()).With("partition", one.partition)
		return
	}
}
