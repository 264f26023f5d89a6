package audit

import (
	"slices"
	"strings"

	"ksniff/decode"
)

var ks6001 = Rule{ID: "KS6001", Title: "session timeout outside the broker's limits", Severity: Warning, Most: Error, Who: Client, Since: "0.9",
	Source:  "GroupCoordinatorConfig: group.min.session.timeout.ms 6000, group.max.session.timeout.ms 1800000",
	Explain: "The session timeout lies outside the limits that brokers have by default. A broker that has these refuses the member with INVALID_SESSION_TIMEOUT (then it is an error).",
	Example: "JoinGroup with SessionTimeoutMs 1000"}

var ks6002 = Rule{ID: "KS6002", Title: "JoinGroup without group, type or protocols", Severity: Error, Who: Client, Since: "0.9",
	Source:  "GroupCoordinatorService.joinGroup; ClassicGroup.supportsProtocols",
	Explain: "A member names its group, the type of the group's protocol and at least one protocol. Brokers answer INVALID_GROUP_ID or INCONSISTENT_GROUP_PROTOCOL to one that does not.",
	Example: "JoinGroup with an empty array of Protocols"}

func lookJoinValues(c *Ctx) {
	b := c.Req().Body()
	timeout := b.Field("SessionTimeoutMs")
	if !timeout.OnWire() {
		return
	}
	refused := c.Frame != nil && c.ErrorCode == 26
	if v := timeout.Int(); refused || v < 6000 || v > 1_800_000 {
		f := c.Find(&ks6001).Place(timeout).Say("the session timeout is %d ms, brokers by default allow 6000 to 1800000", v).With("session_timeout_ms", v)
		if refused {
			f.Graded(Error).Answered(26)
		}
	}
	for _, field := range [...]struct {
		name  string
		empty bool
	}{
		{"GroupId", b.Field("GroupId").String() == ""},
		{"ProtocolType", b.Field("ProtocolType").String() == ""},
		{"Protocols", b.Field("Protocols").Count() == 0},
	} {
		if field.empty {
			f := c.Find(&ks6002).Place(b.Field(field.name)).Say("%s is empty", field.name).With("field", field.name)
			settled(c, f, 23, 24)
			return
		}
	}
}

var ks6003 = Rule{ID: "KS6003", Title: "the member id that was given is not used", Severity: Error, Who: Client, Since: "2.2",
	Source:  "KIP-394; JoinGroupRequest version 4",
	Explain: "From version 4 on the coordinator answers the first JoinGroup with MEMBER_ID_REQUIRED and a member id, and the client joins again with it. A client that joins without it again gets another id each time and never becomes a member.",
	Example: "JoinGroup 5, answer 79 with a member id, and JoinGroup 5 with an empty MemberId",
	Needs:   Both, Times: 2}

// required is the member id that was given on a connection by error 79.
type required struct {
	group uint64
	until int64 // the coordinator forgets the id then
}

var requiredSlot = newConnSlot[required]()

func lookGivenID(c *Ctx) {
	r := requiredSlot.seen(c.Conn)
	if r == nil || r.until == 0 {
		return
	}
	b := c.Req().Body()
	id := b.Field("MemberId")
	if hashID(b.Field("GroupId").String()) == r.group {
		if c.Version >= 4 && id.String() == "" && b.Field("GroupInstanceId").IsNull() && moment(c) < r.until {
			c.Find(&ks6003).Place(id).Say("MemberId is empty again, though the coordinator gave one")
		}
		r.until = 0
	}
}

func noteGivenID(c *Ctx) {
	if c.ErrorCode == 79 && c.Version >= 4 && c.Resp().Body().Field("MemberId").String() != "" {
		b := c.Req().Body()
		*requiredSlot.of(c.Conn) = required{hashID(b.Field("GroupId").String()), moment(c) + b.Field("SessionTimeoutMs").Int()*1e6}
	}
}

var ks6004 = Rule{ID: "KS6004", Title: "no protocol in common with the group", Severity: Warning, Who: Client, Since: "0.9",
	Source:  "INCONSISTENT_GROUP_PROTOCOL; ClassicGroup.supportsProtocols",
	Explain: "All members of a group must have one assignment protocol in common, and the same protocol type. The broker refuses a member that shares none with the others. Roll out a change of the assignor in two steps, the first with both.",
	Example: "a member with range joins a group whose members have only cooperative-sticky"}

// offeredProtocols are the protocols of the member that a group took last.
type offeredProtocols struct {
	list       []string
	member     uint64
	generation int64
}

// shares says that a member has a protocol of the list; list is nil before the first member.
func (g *offeredProtocols) shares(protocols decode.Ref) bool {
	for p := range protocols.Elements() {
		if slices.Contains(g.list, p.Field("Name").String()) {
			return true
		}
	}
	return g.list == nil
}

var protocolsSlot = newAuditSlot[bounded[string, offeredProtocols]]()

func lookProtocols(c *Ctx) {
	b := c.Req().Body()
	group, all := b.Field("GroupId").String(), protocolsSlot.of(c)
	switch c.ErrorCode {
	case 0:
		g := all.get(group)
		if g == nil {
			g = all.at(clone(group), maxGroupIDs)
		}
		id, generation := hashID(c.Resp().Body().Field("MemberId").String()), c.Resp().Body().Field("GenerationId").Int()
		if g.generation == generation && g.member != id && !g.shares(b.Field("Protocols")) {
			names := namesOf(b.Field("Protocols"))
			c.Find(&ks6004).Place(b.Field("Protocols")).Say("the member offers %s, another one of this generation %s", strings.Join(names, ", "), strings.Join(g.list, ", ")).
				With("offered", names).With("of_another_member", slices.Clone(g.list))
		}
		g.member, g.generation = id, generation
		if !sameNames(g.list, b.Field("Protocols")) {
			g.list = namesOf(b.Field("Protocols"))
		}
	case 23:
		if b.Field("Protocols").Count() == 0 || b.Field("ProtocolType").String() == "" {
			return // KS6002
		}
		names := namesOf(b.Field("Protocols"))
		f := c.Find(&ks6004).Place(b.Field("Protocols")).Say("the member offers %s", strings.Join(names, ", ")).With("offered", names)
		if g := all.get(group); g != nil {
			f.With("of_another_member", g.list)
		}
		f.Answered(23)
	}
}

func namesOf(protocols decode.Ref) []string {
	list := []string{}
	for p := range protocols.Elements() {
		if len(list) < 32 {
			list = append(list, clone(p.Field("Name").String()))
		}
	}
	return list
}

func sameNames(list []string, protocols decode.Ref) bool {
	n := 0
	for p := range protocols.Elements() {
		if n < 32 && !slices.Contains(list, p.Field("Name").String()) {
			return false
		}
		n++
	}
	return min(n, 32) == len(list)
}
