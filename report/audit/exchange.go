package audit

import (
	"math"

	"ksniff/decode"
	"ksniff/reassembly/session"
)

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
		c.asked = true
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
		if id := x.kept.req.CorrelationID; len(c.out) == 0 || id > c.highest {
			c.highest = id
		}
		c.out = append(c.out, x.kept) // looks see those that were outstanding before
	}
}

// heard calls the looks at a modern request.
func (a *Audit) heard(x *Ctx) {
	f, c := x.Frame, x.Conn
	offer := x.Offer()
	calm := c.alike.is(f) && c.alike.calm && c.alike.offer == offer
	known := calm || c.heard.has(f, offer)
	if !known {
		x.marks |= unheard
	}
	if !calm {
		x.marks |= unlike
	}
	if f.Request != nil && f.Request.Silent {
		x.marks |= mute
	}
	if len(c.out) > 0 {
		x.marks |= pipelined
	}
	finds := a.finds
	a.run(onRequest, f.Key)
	if calm || a.finds != finds {
		return
	}
	if !known {
		c.heard.add(f)
	}
	if f.Like != nil {
		c.alike.begin(f)
		c.alike.calm, c.alike.offer = true, offer
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
			c.torn = true
			a.torn++
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
	exchange := onExchange
	if f.Generation == session.Legacy {
		exchange = onLegacyExchange
	}
	switch {
	case f.Guessed || exchange == onLegacyExchange && x.guards&NoGap == 0: // it may answer another request
		if cell := a.table.cell(exchange, f.Key); cell != nil {
			cell.skipped[skipIncomplete]++
		}
	case exchange == onLegacyExchange:
		a.runIf(readable, exchange, f)
	default:
		a.runIf(readable, exchange, f)
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
		x.Conn.torn = true
		a.torn++
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
		b := a.broker(x.Conn)
		if b == nil {
			x.Conn.Offer = readOffer(f.Tree, f.Last.Packet, x.Conn.Offer)
			break
		}
		b.Offer = readOffer(f.Tree, f.Last.Packet, b.Offer)
		x.Conn.Offer = b.Offer
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
	if cell := a.table.cell(o, key); cell != nil {
		cell.run(&a.ctx)
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
