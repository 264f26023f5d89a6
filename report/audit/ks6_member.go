package audit

import (
	"hash/maphash"

	"ksniff/decode"
	"ksniff/reassembly"
)

// memberKey names a member of a group.
type memberKey struct{ group, member string }

// member is what is known of a member of a group.
type member struct {
	// of the latest answer to JoinGroup
	joined         bool
	generation     int32
	kind, protocol string // its ProtocolType and ProtocolName; kind "" before version 7
	leader         bool
	static         bool     // it joined with an instance id
	others         []uint64 // whom the leader must give an assignment, by hash
	session        int32    // timeouts, ms
	rebalance      int32
	assigned       [2]assignment // of this generation and the one before

	// of ConsumerGroupHeartbeat
	consumer        bool
	epoch, previous int32 // as answered last, and before
	interval        int32 // ms

	beat     int64 // when the latest heartbeat was sent, 0: none to measure from
	beatConn *Conn
	busy     bool // JoinGroup or SyncGroup waits

	rebalancing int64 // since when heartbeats are answered by 27
	told        int   // how often
	expelled    expelled
	claims      claims
	gone        gone
}

// Bounds of what is remembered of groups.
const (
	maxMembers  = 10_000
	maxGroupIDs = 10_000
	maxOthers   = 2_000 // lists are compared one by one
	maxAssigned = 2_000
)

// members are the members of all groups.
type members = bounded[memberKey, member]

var membersSlot = newAuditSlot[members]()

// memberOf gives what is known of a member; its names may share the frame's bytes.
func memberOf(c *Ctx, group, id string) *member {
	all := membersSlot.of(c)
	if m := all.get(memberKey{group, id}); m != nil {
		return m
	}
	return all.at(memberKey{clone(group), clone(id)}, maxMembers)
}

// knownMember gives it where there is one, else nil.
func knownMember(c *Ctx, group, id string) *member {
	return membersSlot.of(c).get(memberKey{group, id})
}

// membership is what a request says of its sender: group, member id, generation or epoch (-1 where it says none).
type membership struct {
	group, id  string
	generation int32
	place      decode.Ref // the generation's field
	instance   decode.Ref
}

// membershipOf reads it from a request of a member; ok is false where it has none.
func membershipOf(c *Ctx) (m membership, ok bool) {
	b := c.Req().Body()
	m = membership{b.Field("GroupId").String(), b.Field("MemberId").String(), -1, decode.Ref{}, b.Field("GroupInstanceId")}
	switch c.Request().Key {
	case keyHeartbeat, keySyncGroup:
		m.place = b.Field("GenerationId")
	case keyOffsetCommit:
		m.place = b.Field("GenerationIdOrMemberEpoch")
	case keyConsumerHeartbeat:
		m.place, m.instance = b.Field("MemberEpoch"), b.Field("InstanceId")
	case keyLeaveGroup:
		for one := range b.Field("Members").Elements() {
			m.id, m.instance = one.Field("MemberId").String(), one.Field("GroupInstanceId")
		}
		return m, true
	case keyOffsetFetch:
		for g := range b.Field("Groups").Elements() {
			m.group, m.id, m.place = g.Field("GroupId").String(), g.Field("MemberId").String(), g.Field("MemberEpoch")
			break
		}
	case keyJoinGroup:
		return m, true
	}
	if m.place.OnWire() {
		m.generation = int32(m.place.Int())
	}
	return m, m.place.OnWire()
}

// standing is what a member had been given when it sent a request.
type standing struct {
	known                       bool
	generation, epoch, previous int32
	consumer                    bool
}

var standingSlot = newRequestSlot[standing]()

func noteGiven(c *Ctx) {
	s, ok := membershipOf(c)
	m := knownMember(c, s.group, s.id)
	if g := standingSlot.of(c); g != nil && ok && m != nil {
		*g = standing{m.joined || m.consumer, m.generation, m.epoch, m.previous, m.consumer}
	}
}

var memberSeed = maphash.MakeSeed()

func hashID(s string) uint64 { return maphash.String(memberSeed, s) }

// noteJoined takes what JoinGroup answers.
func noteJoined(c *Ctx) {
	req, resp := c.Req().Body(), c.Resp().Body()
	if c.ErrorCode != 0 {
		return
	}
	m := memberOf(c, req.Field("GroupId").String(), resp.Field("MemberId").String())
	if generation := int32(resp.Field("GenerationId").Int()); !m.joined || m.generation != generation {
		m.assigned[1], m.assigned[0] = m.assigned[0], assignment{}
		m.generation = generation
	}
	m.joined, m.consumer, m.static = true, false, !req.Field("GroupInstanceId").IsNull()
	m.keepName(&m.kind, resp.Field("ProtocolType"))
	m.keepName(&m.protocol, resp.Field("ProtocolName"))
	m.session, m.rebalance = int32(req.Field("SessionTimeoutMs").Int()), int32(req.Field("RebalanceTimeoutMs").Int())
	if c.Version == 0 {
		m.rebalance = m.session
	}
	m.leader = resp.Field("Leader").String() == resp.Field("MemberId").String()
	m.others = m.others[:0]
	if m.leader && !resp.Field("SkipAssignment").Bool() && resp.Field("Members").Count() <= maxOthers {
		for one := range resp.Field("Members").Elements() {
			m.others = append(m.others, hashID(one.Field("MemberId").String()))
		}
	}
	m.rebalancing, m.told = 0, 0
}

// keepName keeps the value of a string field.
func (m *member) keepName(to *string, r decode.Ref) {
	if s := r.String(); s != *to {
		*to = clone(s)
	}
}

// moment is the time of what is looked at.
func moment(c *Ctx) int64 { return c.Now().Time }

// ms is how many milliseconds lie between two times.
func ms(from, to int64) int64 { return (to - from) / 1e6 }

// unknownTime says that the packets have no time.
func unknownTime(at reassembly.Moment) bool { return at.Time == noTime }

// settled grades a finding by the broker's answer: one of the expected errors proves it; where the broker
// took the request all the same, it is no Apache Kafka, and the finding a warning.
func settled(c *Ctx, f *Finding, expected ...int16) {
	if f == nil || c.Frame == nil {
		return
	}
	code := anyError(c)
	for _, e := range expected {
		if code == e {
			f.Answered(code)
			return
		}
	}
	if code == 0 {
		f.Graded(min(f.Severity, Warning)).With("answer", "NONE")
	}
}

// anyError is the first error in a response; of Produce and Fetch without making a tree.
func anyError(c *Ctx) int16 {
	if c.ErrorCode != 0 {
		return c.ErrorCode
	}
	if c.Key == keyProduce || c.Key == keyFetch {
		for i := range c.Parts {
			if c.Parts[i].Error != 0 {
				return c.Parts[i].Error
			}
		}
		return 0
	}
	return firstError(c)
}
