package audit

import (
	"net/netip"

	"ksniff/decode"
	"ksniff/reassembly"
)

var ks6022 = Rule{ID: "KS6022", Title: "left the group without LeaveGroup", Severity: Warning, Who: Client, Since: "0.9",
	Source:  "AbstractCoordinator.maybeLeaveGroup",
	Explain: "The client closed the connection to the coordinator as a member, and did not come back. The group waits for the session timeout before it gives the partitions to others. Close consumers in order; members with an instance id may go without a word.",
	Example: "Heartbeat, and then the client's FIN",
	Needs:   NoGap, // S is looked at when the connection ends; what is missing elsewhere may be the LeaveGroup
}

var ks6023 = Rule{ID: "KS6023", Title: "two clients with one group.instance.id", Severity: Warning, Who: Client, Since: "2.3",
	Source:  "KIP-345",
	Explain: "The static member is fenced (FENCED_INSTANCE_ID), or two addresses use its id in turn. Each that joins throws the other out. Give each member an id of its own.",
	Example: "answer 82 to a Heartbeat",
	Needs:   AllBrokers}

// instance is who used a group.instance.id, the latest address last.
type instance struct{ addrs [2][16]byte }

// instanceKey is a group.instance.id, as one coordinator knows it.
type instanceKey struct {
	coordinator reassembly.Endpoint
	memberKey
}

var instancesSlot = newAuditSlot[bounded[instanceKey, instance]]()

// gone is where a member was left without a word.
type gone struct {
	conn *Conn
	at   reassembly.Moment
	gaps int64 // of all connections, since the capture began
}

// gonePatience is how long after its connection was closed a member may come back on another, in ns.
const gonePatience = 5e9

// coordination is which member a connection serves, as far as no bytes are missing since.
type coordination struct {
	key    memberKey
	member *member
	static bool
	gaps   int64 // of all connections, when it began to
}

var coordinationSlot = newConnSlot[coordination]()

// groupClock is the time of the latest sign of life of any group.
var groupClock = newAuditSlot[int64]()

// lookPresence follows who is a member on which connection.
func lookPresence(c *Ctx) {
	*groupClock.of(c) = max(*groupClock.of(c), moment(c))
	s, ok := membershipOf(c)
	if !ok {
		return
	}
	if !s.instance.IsNull() && s.instance.String() != "" && c.Client != nil && c.Key != keyLeaveGroup {
		lookInstance(c, s)
	}
	m := knownMember(c, s.group, s.id)
	if m == nil {
		return
	}
	m.gone = gone{}
	leaves := c.Key == keyLeaveGroup || c.Key == keyConsumerHeartbeat && s.generation < 0
	if at := coordinationSlot.of(c.Conn); leaves {
		*at = coordination{}
		m.joined, m.consumer = false, false
	} else if at.member != m {
		*at = coordination{memberKey{clone(s.group), clone(s.id)}, m, !s.instance.IsNull(), c.Audit.torn}
	} else if !at.static {
		at.static = !s.instance.IsNull()
	}
}

func lookInstance(c *Ctx, s membership) {
	all := instancesSlot.of(c)
	i := all.get(instanceKey{brokerOf(c), memberKey{s.group, s.instance.String()}})
	if i == nil {
		all.at(instanceKey{brokerOf(c), memberKey{clone(s.group), clone(s.instance.String())}}, maxMembers).addrs = [2][16]byte{{}, c.Client.Addr}
		return
	}
	if i.addrs[1] == c.Client.Addr {
		return
	}
	if i.addrs[0] == c.Client.Addr {
		c.Find(&ks6023).Place(s.instance).Say("%q is used by two addresses in turn", s.instance.String()).
			With("instance", clone(s.instance.String())).With("addresses", []string{addrText(i.addrs[0]), addrText(i.addrs[1])})
	}
	i.addrs[0], i.addrs[1] = i.addrs[1], c.Client.Addr
}

func lookFenced(c *Ctx) {
	if s, _ := membershipOf(c); anyError(c) == 82 {
		f := c.Find(&ks6023).Byte(4, "Response").Say("the instance id is used by another member")
		if c.Request().Client != nil {
			f.With("addresses", []string{addrText(c.Request().Client.Addr)})
		}
		if s.instance.Kind() == decode.String && !s.instance.IsNull() {
			f.With("instance", clone(s.instance.String()))
		}
		f.Answered(82)
	}
}

// noteGone notes that a client closed the connection on which it was a member.
func noteGone(c *Ctx) {
	if !unknownTime(c.Event.At) {
		*groupClock.of(c) = max(*groupClock.of(c), c.Event.At.Time)
	}
	s := coordinationSlot.seen(c.Conn)
	if s == nil || s.member == nil || c.Event.Side != c.Conn.Side || !c.Event.First || c.Event.Ending != reassembly.Fin ||
		c.guards&(Start|NoGap) != Start|NoGap || s.gaps != c.Audit.torn {
		return
	}
	m := s.member
	if knownMember(c, s.key.group, s.key.member) == m && !s.static && !m.static && (m.joined || m.consumer && m.epoch > 0) && m.expelled.code == 0 {
		m.gone = gone{c.Conn, c.Event.At, s.gaps}
	}
}

// lookGone reports those who did not come back, though the capture went on.
func lookGone(c *Ctx) {
	all, end := membersSlot.of(c), *groupClock.of(c)
	for _, key := range all.order {
		m := all.get(key)
		if m == nil || m.gone.conn == nil || m.gone.gaps != c.Audit.torn || end-m.gone.at.Time < gonePatience {
			continue
		}
		c.Conn, c.Event.At = m.gone.conn, m.gone.at
		c.guards |= NoGap
		f := c.Find(&ks6022).Say("the connection was closed without LeaveGroup, and the member did not come back")
		f.With("group", key.group)
		if m.session > 0 {
			f.With("session_timeout_ms", m.session)
		}
		m.gone = gone{}
		c.Conn = nil
	}
}

func addrText(a [16]byte) string { return netip.AddrFrom16(a).Unmap().String() }
