package audit

import (
	"slices"

	"ksniff/decode"
	"ksniff/decode/schema"
	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

// ConnCost is about what an Audit keeps of a connection, in bytes.
const ConnCost = 888

// Conn is what the audit knows of a connection.
type Conn struct {
	TCP    *reassembly.Conn
	Speaks session.Speech
	Side   int             // of the client, -1 unknown
	Client *session.Client // of the latest request, nil before
	Broker *BrokerSeen     // whom the client speaks to, nil until it is known who is the client
	// Offer is what the broker offered on this connection last, nil where it did not.
	Offer *Offer
	Known reassembly.Moment // when it was known what the connection speaks

	Requests   int64 // requests seen so far, the current one included
	First      int64 // time of the first frame
	Last       int64 // time of the latest frame, and its packet
	LastPacket uint64
	Ended      int64 // time when its first side ended, 0 before
	Answered   int64 // time of the latest response before the one that is looked at
	Gaps       int   // how often bytes were missing
	Unread     int   // how often a Produce request or one of its record sets could not be read

	user   *session.Client // whose requests Config.Usage counted last
	legacy bool            // it speaks the protocol of 0.6 and 0.7
	start  [2]bool         // a side was seen from its first byte
	seen   [2]bool         // something was seen of a side
	lost   [2]bool         // something is missing of a side
	paired int             // answers that were surely paired with their requests: 1, or 2 where their correlation ids differ
	pair   int32           // correlation id of the first
	proven uint64          // packet of the second
	before int             // Gaps when it was proven that what follows is all there: 0, but for connections begun before the capture
	ended  int             // sides that have
	ends   [2]ended        // how
	torn   bool            // bytes are missing, beside those from before the capture
	asked  bool            // ApiVersions was asked for, be it in a frame that the capture cuts
	out    []*kept         // requests that wait for their answer, the oldest first
	// highest is no less than any correlation id in out: clients count up, and need not be looked through.
	highest int32
	heard   heard
	alike   alike
	topic   *session.Topic // of the latest batch, once it is known that it holds records of format 2
	latest  latestSequences
	flight  int // idempotent Produce requests that wait, since bytes were missing
	marks   marks
	slots   []any
	gaps    *int64 // of all connections
}

// ended is how a side of a connection ended.
type ended struct {
	at    reassembly.Moment
	why   reassembly.Ending
	first bool
}

// closed says that a side closed the connection before the other one did. Where only its own FIN was captured, that
// is not known: the other one may be missing. It can be asked once both have ended.
func (c *Conn) closed(side int) bool {
	own, other := &c.ends[side], &c.ends[1-side]
	switch own.why {
	case reassembly.Rst:
		return own.first
	case reassembly.Fin:
		return (other.why == reassembly.Fin || other.why == reassembly.Rst) &&
			(other.at.Time > own.at.Time || unknownTime(own.at) && other.at.Packet > own.at.Packet)
	}
	return false
}

// has says which guards hold for the connection as a whole.
func (c *Conn) has() Needs {
	var n Needs
	if c.Side >= 0 && c.start[c.Side] && (!c.seen[1-c.Side] || c.start[1-c.Side]) {
		n |= Start | Proved
	} else if c.paired >= 2 {
		n |= Proved
	}
	if c.seen[0] && c.seen[1] {
		n |= Both
	}
	if c.Gaps == c.before {
		n |= NoGap
	}
	return n
}

// prove notes an answer that was paired with a request of which it is known that nothing is missing since.
// A client that gives all its requests the same correlation id proves nothing.
func (c *Conn) prove(id int32, packet uint64) {
	switch {
	case c.paired == 0:
		c.paired, c.pair = 1, id
	case id != c.pair:
		if c.paired, c.proven = 2, packet; !c.start[0] && !c.start[1] {
			c.before = c.Gaps
		}
	}
}

// gap notes that something is missing.
func (c *Conn) gap() {
	c.Gaps++
	*c.gaps++
	c.flight = 0
	c.marks |= atDoor
	for i := range c.slots {
		if connSlots[i] != 0 {
			c.marks &^= connSlots[i]
			c.slots[i] = nil
		}
	}
}

// BrokerSeen is a broker as an endpoint of connections.
type BrokerSeen struct {
	End   reassembly.Endpoint
	Offer *Offer // the latest on any connection, nil where none was seen

	named   bool // cluster is known
	cluster int32
}

// Offer is what a broker says in an ApiVersions response.
type Offer struct {
	Packet uint64
	*brokerAPIs
}

// brokerAPIs is what is in it: one for all connections to which a broker offers the same.
type brokerAPIs struct {
	versions  [maxKey]schema.Versions // None where it is not offered
	finalized []feature
	epoch     int64 // FinalizedFeaturesEpoch, -1 unknown
	is4       bool
}

type feature struct {
	name string
	max  int16
}

// Versions gives the range that is offered for an API, None where it is not. ok is false where the
// audit cannot know.
func (o *Offer) Versions(key int16) (v schema.Versions, ok bool) {
	if o == nil || key < 0 || key >= maxKey {
		return schema.None, false
	}
	return o.versions[key], true
}

// Feature gives the finalized level of a feature; ok is false where the broker did not tell its
// features. A feature that it does not name has level 0.
func (o *Offer) Feature(name string) (level int16, ok bool) {
	if o == nil || o.epoch < 0 {
		return 0, false
	}
	for _, f := range o.finalized {
		if f.name == name {
			return f.max, true
		}
	}
	return 0, true
}

// Is4 says that the offer is that of Kafka 4.0 or newer.
func (o *Offer) Is4() bool { return o != nil && o.is4 }

func (o *brokerAPIs) equals(p *brokerAPIs) bool {
	return o.versions == p.versions && o.epoch == p.epoch && slices.Equal(o.finalized, p.finalized)
}

// readOffer takes an ApiVersions response without error; before is what the broker offered last, nil where it did not.
func readOffer(t *decode.Tree, packet uint64, before *Offer) *Offer {
	o := &brokerAPIs{epoch: -1}
	for i := range o.versions {
		o.versions[i] = schema.None
	}
	for e := range t.Body().Field("ApiKeys").Elements() {
		if k := e.Field("ApiKey").Int(); k >= 0 && k < maxKey {
			o.versions[k] = schema.Versions{Min: int16(e.Field("MinVersion").Int()), Max: int16(e.Field("MaxVersion").Int())}
		}
	}
	produce := o.versions[keyProduce]
	o.is4 = !produce.Empty() && produce.Max >= 12
	if epoch := t.Body().Field("FinalizedFeaturesEpoch"); epoch.OnWire() {
		o.epoch = epoch.Int()
	}
	for e := range t.Body().Field("FinalizedFeatures").Elements() {
		if len(o.finalized) < 64 {
			o.finalized = append(o.finalized, feature{clone(e.Field("Name").String()), int16(e.Field("MaxVersionLevel").Int())})
		}
	}
	if before != nil && o.equals(before.brokerAPIs) {
		o = before.brokerAPIs
	}
	return &Offer{packet, o}
}
