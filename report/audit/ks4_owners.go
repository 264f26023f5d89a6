package audit

var ks4019 = Rule{ID: "KS4019", Title: "TxnOffsetCommit without fencing", Severity: Warning, Who: Client, Since: "2.5",
	Source:  "KIP-447",
	Explain: "The offsets of a consumer group are committed in a transaction without the member's id and generation (version 3 and newer have them). A consumer that was expelled can still commit, and records are processed twice.",
	Example: "TxnOffsetCommit 2, or generation -1 with an empty member id, of a group with members"}

const maxGroupsSeen = 10_000

// groupsSlot has the groups that have members.
var groupsSlot = newAuditSlot[bounded[string, struct{}]]()

func noteGroup(c *Ctx) {
	name := c.Req().Body().Field("GroupId").String()
	if all := groupsSlot.of(c); all.get(name) == nil {
		all.at(clone(name), maxGroupsSeen)
	}
}

func lookFencing(c *Ctx) {
	body := c.Req().Body()
	group := body.Field("GroupId").String()
	if groupsSlot.of(c).get(group) == nil {
		return
	}
	switch {
	case c.Version < 3:
		c.Find(&ks4019).Byte(2, "RequestHeader.RequestApiVersion").Say("TxnOffsetCommit %d of group %s, which has members", c.Version, group).
			With("group", clone(group))
	case body.Field("GenerationIdOrMemberEpoch").Int() == -1 && body.Field("MemberId").String() == "":
		c.Find(&ks4019).Place(body.Field("MemberId")).Say("no member id and no generation, and group %s has members", group).With("group", clone(group))
	}
}

var ks4020 = Rule{ID: "KS4020", Title: "two owners of a transactional id", Severity: Warning, Who: Client, Since: "0.11",
	Source:  "KIP-98 (fencing)",
	Explain: "Two addresses took the same transactional id and both wrote with it within a minute. Each takes the id from the other; give each instance an id of its own.",
	Example: "InitProducerId for tx-1 from 10.0.0.1 and 10.0.0.2, which both go on producing",
	Needs:   AllBrokers}

// owners are the two latest addresses that took a transactional id.
type owners struct {
	addr  [2][16]byte
	wrote [2]int64 // when it last wrote, 0 never
	n     int
}

var ownersSlot = newAuditSlot[bounded[string, owners]]()

func (o *owners) index(addr [16]byte) int {
	for i := range min(o.n, 2) {
		if o.addr[i] == addr {
			return i
		}
	}
	return -1
}

func noteOwner(c *Ctx) {
	id := c.Req().Body().Field("TransactionalId").String()
	if c.ErrorCode != 0 || id == "" || c.Conn.Client == nil {
		return
	}
	o := ownersSlot.of(c).at(clone(id), maxProducers)
	if addr := c.Conn.Client.Addr; o.index(addr) < 0 {
		i := o.n % 2
		o.addr[i], o.wrote[i] = addr, 0
		o.n++
	}
}

func lookOwners(c *Ctx) {
	if !c.Opening() || !c.Batch.Transactional() || c.Client == nil {
		return
	}
	id, at := produceHead(c)
	if at < 0 || id == nil {
		return
	}
	o := ownersSlot.of(c).get(string(id))
	if o == nil {
		return
	}
	i := o.index(c.Client.Addr)
	if i < 0 {
		return
	}
	now := c.Last.Time
	o.wrote[i] = now
	if other := o.wrote[1-i]; other != 0 && now-other < 60e9 {
		c.Find(&ks4020).Byte(at, "ProduceRequest.TransactionalId").
			Say("another address wrote with transactional id %s %d ms before", id, (now-other)/1e6).
			With("transactional_id", string(id)).With("delay_ms", (now-other)/1e6)
	}
}

var ks4022 = Rule{ID: "KS4022", Title: "AddPartitionsToTxn 4 or newer from a client", Severity: Warning, Who: Client, Since: "3.5",
	Source:  "message definition of AddPartitionsToTxn: 4 and newer are for brokers",
	Explain: "Versions from 4 on are for brokers, which ask for several transactions at once and need the right to act on the cluster. Clients send version 3.",
	Example: "AddPartitionsToTxn 4 from an address that is no broker's"}

func lookAddedByClient(c *Ctx) {
	if c.Version < 4 || c.Client == nil {
		return
	}
	if broker, known := c.isBroker(c.Client.Addr); known && !broker {
		c.Find(&ks4022).Byte(2, "RequestHeader.RequestApiVersion").Say("AddPartitionsToTxn %d, and the sender is no broker", c.Version)
	}
}
