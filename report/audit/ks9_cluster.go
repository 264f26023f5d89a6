package audit

import "ksniff/reassembly/session"

var ks9006 = Rule{ID: "KS9006", Title: "never asks for ApiVersions", Severity: Warning, Who: Client, Since: "4.0",
	Source:  "KIP-35",
	Explain: "The client has begun at least three connections and never asked which versions the broker has. It uses fixed versions, and stops working once one of them is removed.",
	Example: "three connections of a client that begin with Metadata 0",
	Needs:   Start | NoGap, Once: PerClient}

// asks is what is known of a client's habits.
type asks struct {
	connections int // that ended, of which nothing is missing, without it
	asked       bool
}

// clients are the clients with their habits.
type clients = bounded[*session.Client, asks]

var asksSlot = newAuditSlot[clients]()

const maxClients = 10_000

func lookAsked(c *Ctx) {
	if c.Client != nil {
		asksSlot.of(c).at(c.Client, maxClients).asked = true
	}
}

func lookNeverAsked(c *Ctx) {
	if c.Conn.Client == nil || c.Conn.Requests == 0 || c.Conn.legacy {
		return
	}
	a := asksSlot.of(c).at(c.Conn.Client, maxClients)
	if a.asked = a.asked || c.Conn.asked; a.asked {
		return
	}
	if c.guards&(Start|NoGap) == Start|NoGap {
		a.connections++
	}
	if a.connections >= 3 {
		c.Find(&ks9006).Say("%d connections without ApiVersions", a.connections).With("connections", a.connections)
	}
}

var ks9008 = Rule{ID: "KS9008", Title: "Produce 0 to 2 offered, but refused", Severity: Info, Who: Broker, Since: "4.0",
	Source:  "KAFKA-18659",
	Explain: "Kafka 4 offers the versions 0 to 2 of Produce so that old librdkafka works, and refuses requests of them. Nothing is to be done; they do not count as supported.",
	Example: "an ApiVersions response with Produce 0 to 12",
	Once:    PerBroker}

var ks9010 = Rule{ID: "KS9010", Title: "metadata.version is too low for 4.0", Severity: Warning, Who: Broker, Since: "4.0",
	Source:  "MetadataVersion; upgrade notes of 4.0",
	Explain: "The cluster's finalized metadata.version is below 7 (3.3-IV3). Kafka 4.0 refuses to start on it. Raise it with kafka-features.sh before the upgrade.",
	Example: "an ApiVersions response with metadata.version 6",
	Once:    PerBroker}

// lookOffer looks at what a broker offers.
func lookOffer(c *Ctx) {
	if c.ErrorCode != 0 {
		return
	}
	o := c.Conn.Offer
	if v, ok := o.Versions(keyProduce); ok && !v.Empty() && v.Min == 0 && v.Max >= 12 {
		c.Find(&ks9008).Place(c.Resp().Body().Field("ApiKeys")).Say("Produce %d to %d is offered", v.Min, v.Max).With("broker", c.brokerName())
	}
	if level, ok := o.Feature("metadata.version"); ok && level > 0 && level < 7 {
		c.Find(&ks9010).Place(c.Resp().Body().Field("FinalizedFeatures")).Say("metadata.version is %d, 4.0 needs 7", level).With("level", level).With("broker", c.brokerName())
	}
}

// brokerName is the address and port of the broker.
func (c *Ctx) brokerName() string {
	if c.Conn.Broker == nil {
		return ""
	}
	return Endpoint(c.Conn.Broker.End)
}

var ks9014 = Rule{ID: "KS9014", Title: "classic group protocol where the new one is there", Severity: Info, Who: Client, Since: "4.0",
	Source:  "KIP-848",
	Explain: "The broker offers the consumer group protocol of KIP-848 (group.protocol=consumer), which rebalances without stopping all members. This client uses the classic one.",
	Example: "JoinGroup to a broker with group.version 1",
	Once:    PerClient}

func lookClassic(c *Ctx) {
	offered, ok := c.Offer().Versions(keyConsumerHeartbeat)
	level, told := c.Offer().Feature("group.version")
	if ok && told && !offered.Empty() && level >= 1 && c.Req().Body().Field("ProtocolType").String() == "consumer" {
		c.Find(&ks9014).Place(c.Req().Body().Field("GroupId")).Say("group.version is %d", level).
			With("group", clone(c.Req().Body().Field("GroupId").String()))
	}
}
