package audit

import (
	"slices"
)

var ks6015 = Rule{ID: "KS6015", Title: "the first heartbeat of a consumer is not complete", Severity: Error, Who: Client, Since: "3.7",
	Source:  "KIP-848; GroupMetadataManager.throwIfConsumerGroupHeartbeatRequestIsInvalid",
	Explain: "A heartbeat with epoch 0 joins the group: it has the rebalance timeout, an empty list of partitions and a subscription, by names or (version 1) by a pattern. Brokers answer INVALID_REQUEST to others.",
	Example: "ConsumerGroupHeartbeat with epoch 0 and RebalanceTimeoutMs -1"}

var ks6016 = Rule{ID: "KS6016", Title: "ids of a consumer's heartbeat are not valid", Severity: Error, Who: Client, Since: "3.7",
	Source:  "KIP-848, KIP-1082; GroupMetadataManager.throwIfConsumerGroupHeartbeatRequestIsInvalid",
	Explain: "Epochs below 0 are -1 (leave) and -2 (a static member leaves for a while, with its instance id). The member id may be empty only in version 0 with epoch 0. Instance and rack are null or have a value. Brokers answer INVALID_REQUEST to others.",
	Example: "ConsumerGroupHeartbeat with epoch -2 and a null InstanceId"}

func lookConsumerJoin(c *Ctx) {
	b := c.Req().Body()
	at := b.Field("MemberEpoch")
	if !at.OnWire() {
		return
	}
	epoch, version := at.Int(), c.Request().Version
	ids, place := "", at
	switch instance, rack := b.Field("InstanceId"), b.Field("RackId"); {
	case epoch < -2:
		ids = "an epoch below -2"
	case epoch == -2 && instance.IsNull():
		ids, place = "epoch -2 without InstanceId", instance
	case b.Field("MemberId").String() == "" && (epoch != 0 || version >= 1):
		ids, place = "MemberId is empty", b.Field("MemberId")
	case !instance.IsNull() && instance.String() == "":
		ids, place = "InstanceId is empty", instance
	case !rack.IsNull() && rack.String() == "":
		ids, place = "RackId is empty", rack
	}
	if ids != "" {
		settled(c, c.Find(&ks6016).Place(place).Say("%s", ids).With("epoch", epoch), 42)
		return
	}
	if epoch != 0 {
		return
	}
	lack, place := "", at
	switch owned := b.Field("TopicPartitions"); {
	case b.Field("RebalanceTimeoutMs").Int() == -1:
		lack, place = "RebalanceTimeoutMs is -1", b.Field("RebalanceTimeoutMs")
	case owned.IsNull() || owned.Count() > 0:
		lack, place = "TopicPartitions is not an empty list", owned
	case b.Field("SubscribedTopicNames").IsNull() && b.Field("SubscribedTopicRegex").IsNull():
		lack, place = "there is no subscription", b.Field("SubscribedTopicNames")
	}
	if lack != "" {
		settled(c, c.Find(&ks6015).Place(place).Say("%s", lack).With("lack", lack), 42)
	}
}

var ks6017 = Rule{ID: "KS6017", Title: "a member epoch that was not given", Severity: Error, Who: Client, Since: "3.7",
	Source:  "KIP-848; GroupMetadataManager.throwIfConsumerGroupMemberEpochIsInvalid",
	Explain: "A heartbeat has the epoch of the latest answer, or the one before if that answer may be lost. Brokers answer FENCED_MEMBER_EPOCH to others, and the member must join again.",
	Example: "a heartbeat with epoch 9 after an answer with 4",
	Needs:   Both | NoGap}

func lookMemberEpoch(c *Ctx) {
	s, ok := membershipOf(c)
	g := standingSlot.of(c)
	if !ok || g == nil || !g.known || !g.consumer || s.generation <= 0 || s.generation == g.epoch || s.generation == g.previous || c.ErrorCode != 110 {
		return
	}
	c.Find(&ks6017).Byte(s.place.Offset(), s.place.Path()).Say("epoch %d, the member was given %d", s.generation, g.epoch).
		With("got", s.generation).With("given", g.epoch).Answered(110)
}

var ks6021 = Rule{ID: "KS6021", Title: "claims partitions that are not assigned", Severity: Warning, Who: Client, Since: "3.7",
	Source:  "KIP-848: TopicPartitions are those that the member owns",
	Explain: "The member says that it owns partitions which it was not given. The coordinator waits for them to be given up before others get them.",
	Example: "a heartbeat with partition 3 after an assignment of partitions 0 and 1",
	Needs:   Both | NoGap}

// ownedPartition is a partition by its topic's id.
type ownedPartition struct {
	topic     [16]byte
	partition int32
}

// claims is what a member may say that it owns: what it said before and was given since.
type claims struct {
	known   bool
	allowed []ownedPartition
	given   []ownedPartition // by the latest assignment
}

func lookClaims(c *Ctx) {
	s, _ := membershipOf(c)
	m := knownMember(c, s.group, s.id)
	list := c.Req().Body().Field("TopicPartitions")
	if m == nil || !m.consumer || list.IsNull() || s.generation <= 0 || !m.claims.known {
		return
	}
	said := m.claims.given[:len(m.claims.given):len(m.claims.given)]
	for t := range list.Elements() {
		id := t.Field("TopicId").UUID()
		for p := range t.Field("Partitions").Elements() {
			key := ownedPartition{id, int32(p.Int())}
			if !slices.Contains(m.claims.allowed, key) {
				c.Find(&ks6021).Place(p).Say("partition %d of topic %s was not assigned", key.partition, uuidText(id)).With("topic_id", uuidText(id)).With("partition", key.partition)
			}
			if len(said) < maxAssigned && !slices.Contains(said, key) {
				said = append(said, key)
			}
		}
	}
	m.claims.allowed = said
}

// noteConsumerBeat takes what ConsumerGroupHeartbeat answers.
func noteConsumerBeat(c *Ctx) {
	req, resp := c.Req().Body(), c.Resp().Body()
	id := req.Field("MemberId").String()
	if c.ErrorCode != 0 {
		if m := knownMember(c, req.Field("GroupId").String(), id); m != nil && (c.ErrorCode == 110 || c.ErrorCode == 25) {
			m.claims = claims{}
		}
		return
	}
	if given := resp.Field("MemberId"); !given.IsNull() && given.String() != "" {
		id = given.String()
	}
	m := memberOf(c, req.Field("GroupId").String(), id)
	if req.Field("MemberEpoch").Int() == 0 {
		m.claims = claims{known: true}
	}
	epoch := int32(resp.Field("MemberEpoch").Int())
	if !m.consumer || epoch != m.epoch {
		m.previous, m.epoch = m.epoch, epoch
	}
	m.consumer, m.joined, m.interval = true, false, int32(resp.Field("HeartbeatIntervalMs").Int())
	given := resp.Field("Assignment")
	if given.IsNull() || !given.OnWire() {
		return
	}
	m.claims.given = nil
	for t := range given.Field("TopicPartitions").Elements() {
		for p := range t.Field("Partitions").Elements() {
			m.claims.given = append(m.claims.given, ownedPartition{t.Field("TopicId").UUID(), int32(p.Int())})
		}
	}
	if len(m.claims.given)+len(m.claims.allowed) > maxAssigned {
		m.claims = claims{}
		return
	}
	m.claims.allowed = append(m.claims.allowed, m.claims.given...)
}
