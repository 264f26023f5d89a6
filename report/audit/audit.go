package audit

import (
	"math"
	"strings"

	"ksniff/decode"
	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

// Config says what to look for.
type Config struct {
	Rules    func(*Rule) bool // which rules; nil: all
	Least    Severity         // the least severity that is reported; 0: all
	Deep     bool             // decompress record batches
	Usage    bool             // count which versions are used (Uses, Matrix, Readiness)
	PerGroup int              // how many findings of a rule and client are reported; the others are counted. 0: 100
	// Ignore says which findings nobody wants to hear of: known ones, or of a client. It is asked once
	// for each rule, client and API.
	Ignore func(rule *Rule, client *session.Client, api string) bool
	// Show says whether findings in a frame are reported; nil: all. What is no frame goes unasked.
	Show func(f *session.Frame) bool
	// IgnoreTopic is asked for findings that name a topic.
	IgnoreTopic func(topic string) bool
	// Counted is called for each violation, also of those that are not reported since there are too many.
	Counted func(rule *Rule)
	// Found takes the findings as they come. A Finding is valid during the call.
	Found func(f *Finding)
}

// Audit is the Sink and Watcher that applies the rules. It is made for one goroutine. Its session must
// keep whole frames (SessionConfig).
type Audit struct {
	cfg     Config
	wanted  []bool
	table   table
	bodies  [maxKey + 1]bool // requests of these keys are kept for their answers
	legacy  [8]bool          // the same for legacy types
	brokers bounded[reassembly.Endpoint, BrokerSeen]
	cluster cluster
	usage   usage
	free    []*kept
	slots   []any
	ctx     Ctx
	own     decode.Tree // of a Produce or Fetch frame
	asked   decode.Tree // of the request that a response answers
	sets    sets
	groups  groups
	once    bounded[onceKey, struct{}]
	found   Finding
	frames  int64
	gaps    int64 // of all connections
	held    int64 // findings that a guard withheld
	finds   int64 // that looks wanted to make, withheld or not
	marks   marks
}

// Bounds of what an Audit remembers.
const (
	maxBrokers = 4096
	maxOnce    = 1 << 16
	maxGroups  = 10_000
)

// New makes an Audit.
func New(cfg Config) *Audit {
	if cfg.PerGroup <= 0 {
		cfg.PerGroup = 100
	}
	a := &Audit{cfg: cfg, wanted: make([]bool, len(Rules))}
	for i, r := range Rules {
		a.wanted[i] = cfg.Rules == nil || cfg.Rules(r)
	}
	a.table.build(a.wanted)
	for key := range maxKey {
		cells := [...]*cell{a.table[onExchange][key+1], a.table[onUnanswered][key+1]}
		for _, c := range cells {
			for i := 0; c != nil && i < len(c.looks); i++ {
				a.bodies[key+1] = a.bodies[key+1] || c.looks[i].keys != nil
			}
		}
		if c := a.table[onLegacyExchange][key+1]; c != nil && key < len(a.legacy) {
			a.legacy[key] = true
		}
	}
	a.ctx.Audit = a
	return a
}

// SessionConfig is how the session must be configured whose Sink is the audit.
func (a *Audit) SessionConfig() session.Config {
	return session.Config{Bytes: true, Digests: !a.cfg.Deep, Watch: a}
}

// conn gives what is known of a connection.
func (a *Audit) conn(c *reassembly.Conn) *Conn {
	k, ok := c.Heard.(*Conn)
	if !ok {
		k = &Conn{TCP: c, Side: -1, First: math.MinInt64, Answered: math.MinInt64, gaps: &a.gaps, marks: atDoor}
		c.Heard = k
	}
	return k
}

// Frame implements session.Sink.
func (a *Audit) Frame(f *session.Frame) {
	a.frames++
	c := a.conn(f.Conn)
	if !c.seen[f.Side] {
		c.seen[f.Side], c.start[f.Side] = true, !c.lost[f.Side]
	}
	if c.First == math.MinInt64 {
		c.First = f.First.Time
	}
	c.Last, c.LastPacket = f.Last.Time, f.Last.Packet
	c.legacy = f.Generation == session.Legacy
	if f.Client != nil {
		c.Client = f.Client
	}
	x := &a.ctx
	x.Frame, x.Conn, x.kept, x.askedFor, x.decoded = f, c, nil, false, false
	x.Body = nil
	x.Head = nil
	if len(f.Runs) > 0 && f.Runs[0].Off == 0 {
		if x.Head = f.Runs[0].Bytes; len(x.Head) == f.Length {
			x.Body = x.Head
		}
	}
	x.guards = c.has() | a.deep()
	if f.First.Packet <= c.proven && x.guards&Start == 0 { // an unmatched response is held before it is called so
		x.guards &^= Proved
	}
	x.mark()
	if f.Kind == decode.Request {
		if c.Requests == 0 {
			x.guards |= Both // nothing can have come back yet
		}
		a.request(x)
	} else {
		a.response(x)
		c.Answered = f.Last.Time
	}
	a.flush()
}

func (a *Audit) deep() Needs {
	if a.cfg.Deep {
		return Deep
	}
	return 0
}

// request takes a frame of a client.
func (a *Audit) request(x *Ctx) {
	f, c := x.Frame, x.Conn
	c.Requests++
	if c.Side < 0 {
		c.Side = f.Side
	}
	if f.Token {
		a.run(onToken, -1)
		return
	}
	if f.Key == keyApiVersions && f.Generation == session.Modern {
		c.Offer = nil // the answer, which may be missing, says what holds from now on
	}
	readable := a.faults(x)
	if f.Faulty && f.Key == keyProduce {
		c.Unread++
	}
	if f.Request != nil {
		legacy := f.Generation == session.Legacy
		body := readable && (legacy && uint16(f.Key) < uint16(len(a.legacy)) && a.legacy[f.Key] ||
			!legacy && uint16(f.Key) < maxKey && a.bodies[f.Key+1])
		x.kept = a.keep(c, f, body)
		if !body {
			x.kept.frame.Length = 0
		}
		f.Request.User = x.kept
	}
	if a.cfg.Usage {
		a.usage.request(x, readable)
	}
	switch {
	case f.Generation == session.Legacy:
		a.runIf(readable, onLegacyRequest, f)
	case !readable:
		a.runIf(false, onRequest, f)
	default:
		a.heard(x)
		a.batches(x)
	}
	if x.kept != nil {
		c.out = append(c.out, x.kept) // looks see those that were outstanding before
	}
}

// heard calls the looks at a modern request.
func (a *Audit) heard(x *Ctx) {
	f, c := x.Frame, x.Conn
	known := c.heard.has(f, x.Offer())
	if !known {
		x.marks |= unheard
	}
	if f.Request != nil && f.Request.Silent {
		x.marks |= mute
	}
	if len(c.out) > 0 {
		x.marks |= pipelined
	}
	finds := a.finds
	a.run(onRequest, f.Key)
	if !known && a.finds == finds {
		c.heard.add(f)
	}
}

// response takes a frame of a broker.
func (a *Audit) response(x *Ctx) {
	f, c := x.Frame, x.Conn
	switch {
	case f.Token:
		a.run(onToken, -1)
		return
	case f.Request == nil:
		if f.Faulty && f.Fault.Class == decode.Incomplete {
			c.gap()
		}
		a.runIf(!f.Faulty || f.Fault.Class != decode.Incomplete, onUnmatched, f)
		return
	}
	x.kept, _ = f.Request.User.(*kept)
	if x.kept != nil && x.kept.gaps == c.Gaps {
		x.guards |= NoGap
	} else {
		x.guards &^= NoGap
	}
	readable := a.faults(x)
	if readable {
		a.learn(x)
	}
	if len(c.out) > 0 && c.out[0] != x.kept {
		x.marks |= overtaken
	}
	if f.Generation == session.Legacy {
		if x.guards&NoGap != 0 {
			a.runIf(readable, onLegacyExchange, f)
		} else if cell := a.table.cell(onLegacyExchange, f.Key); cell != nil {
			cell.skipped[skipIncomplete]++ // pairs go by order alone: it may answer another request
		}
	} else {
		a.runIf(readable, onExchange, f)
		if readable {
			a.batches(x)
		}
		if c.paired < 2 && x.guards&NoGap != 0 {
			c.prove(f.CorrelationID, f.Last.Packet)
		}
	}
	if x.kept != nil {
		c.take(x.kept)
		a.drop(x.kept)
	}
}

// faults looks at what is wrong with a frame, and says whether it can be read to its end.
func (a *Audit) faults(x *Ctx) bool {
	f := x.Frame
	if !f.Faulty {
		return true
	}
	if f.Fault.Class == decode.Incomplete {
		x.Conn.gap()
		return false
	}
	if f.Fault.Class == decode.Broken || f.Generation == session.Legacy && f.Fault.Code == decode.UnknownKey {
		x.Fault, x.misread = f.Fault, misread{}
		a.run(onFault, f.Key)
		if x.misread.rule != nil {
			return false
		}
	}
	if t := x.Tree(); t != nil {
		return t.Whole()
	}
	return f.Fault.Tolerated
}

// learn takes from a response what all looks may want to know.
func (a *Audit) learn(x *Ctx) {
	f := x.Frame
	if f.Tree == nil {
		return
	}
	switch {
	case f.Key == keyApiVersions && f.ErrorCode == 0:
		x.Conn.Offer = readOffer(f.Tree, f.Last.Packet)
		if b := a.broker(x.Conn); b != nil {
			b.Offer = x.Conn.Offer
		}
	case f.Key == keyMetadata:
		a.cluster.learn(f.Tree)
		if n := a.cluster.number(f.Tree.Body().Field("ClusterId").String()); n >= 0 {
			if b := a.broker(x.Conn); b != nil {
				b.named, b.cluster = true, n
			}
		}
	}
}

// broker gives the broker of a connection.
func (a *Audit) broker(c *Conn) *BrokerSeen {
	if c.Broker == nil && c.Side >= 0 {
		end := c.TCP.Ends[1-c.Side]
		c.Broker = a.brokers.at(end, maxBrokers)
		c.Broker.End = end
	}
	return c.Broker
}

// run calls the looks at what happened.
func (a *Audit) run(o on, key int16) {
	cell := a.table.cell(o, key)
	if cell == nil {
		return
	}
	x := &a.ctx
	cell.judged[x.guards&silent]++
	if cell.when&x.marked() == 0 {
		for _, do := range cell.always {
			do(x)
		}
		return
	}
	for _, l := range cell.looks {
		if l.when == 0 || l.when&x.marked() != 0 { // a look may set marks for those after it
			l.do(x)
		}
	}
}

// runIf calls the looks at a frame, or counts it as one that cannot be judged.
func (a *Audit) runIf(readable bool, o on, f *session.Frame) {
	if readable {
		a.run(o, f.Key)
		return
	}
	if cell := a.table.cell(o, f.Key); cell != nil {
		why := skipBroken
		switch f.Fault.Class {
		case decode.Incomplete:
			why = skipIncomplete
		case decode.Unknown:
			why = skipUnknown
		case decode.Limit:
			why = skipLimit
		}
		cell.skipped[why]++
	}
}

// event prepares for a look at something that is no frame.
func (a *Audit) event(c *reassembly.Conn, at reassembly.Moment) *Ctx {
	x := &a.ctx
	x.Frame, x.kept, x.askedFor, x.Body, x.Head, x.marks = nil, nil, false, nil, nil, 0
	x.Conn, x.Event, x.guards = nil, Event{At: at}, a.deep()
	if c != nil {
		x.Conn = a.conn(c)
		x.guards |= x.Conn.has()
	}
	return x
}

// Unanswered implements session.Sink.
func (a *Audit) Unanswered(c *reassembly.Conn, r *session.Request, why session.Why) {
	k, _ := r.User.(*kept)
	if k == nil {
		return
	}
	x := a.event(c, reassembly.Moment{Packet: r.Packet, Time: r.Time})
	x.kept, x.Event.Why = k, why
	if k.gaps == x.Conn.Gaps {
		x.guards |= NoGap
	}
	if why == session.Lost {
		x.guards &^= NoGap
	}
	if r.Generation == session.Modern {
		a.run(onUnanswered, r.Key)
	}
	a.flush()
	x.Conn.take(k)
	a.drop(k)
}

// Known implements session.Watcher.
func (a *Audit) Known(c *reassembly.Conn, what session.Speech, client int, sides *[2]reassembly.Window) {
	k := a.conn(c)
	k.Speaks, k.Side = what, client
	at := reassembly.Moment{Time: math.MinInt64}
	for i := range sides {
		if len(sides[i].Marks) > 0 && (at.Packet == 0 || sides[i].Marks[0].At.Packet < at.Packet) {
			at = sides[i].Marks[0].At
		}
	}
	k.Known = at
	if what == session.Kafka {
		a.broker(k)
	}
	x := a.event(c, at)
	x.Event.Sides = sides
	a.run(onKnown, -1)
	x.Event.Sides = nil
	a.flush()
}

// Lost implements session.Watcher.
func (a *Audit) Lost(c *reassembly.Conn, side int, at reassembly.Moment) {
	a.event(c, at).Event.Side = side
	a.run(onLost, -1)
	a.flush()
	k := a.conn(c)
	k.lost[side] = true
	k.gap()
}

// BadLength implements session.Watcher.
func (a *Audit) BadLength(c *reassembly.Conn, side int, at reassembly.Moment, length int32) {
	x := a.event(c, at)
	x.Event.Side, x.Event.Length = side, length
	a.run(onBadLength, -1)
	a.flush()
}

// Ended implements session.Watcher.
func (a *Audit) Ended(c *reassembly.Conn, side int, at reassembly.Moment, why reassembly.Ending) {
	x := a.event(c, at)
	x.Event.Side, x.Event.Ending, x.Event.First = side, why, x.Conn.ended == 0
	if x.Conn.ended == 0 {
		x.Conn.Ended = at.Time
	}
	x.Conn.ended++
	a.run(onEnded, -1)
	a.flush()
}

// Closed implements session.Watcher.
func (a *Audit) Closed(c *reassembly.Conn) {
	x := a.event(c, reassembly.Moment{})
	x.Event.At = reassembly.Moment{Packet: x.Conn.LastPacket, Time: x.Conn.Last}
	a.run(onClosed, -1)
	a.flush()
	for _, k := range x.Conn.out {
		a.drop(k)
	}
	c.Heard = nil
}

// Finish tells the rules that the capture has ended. Call it once, after the session's Flush.
func (a *Audit) Finish() {
	a.event(nil, reassembly.Moment{Time: math.MinInt64})
	a.run(onFinish, -1)
	a.flush()
}

func clone(s string) string { return strings.Clone(s) }
