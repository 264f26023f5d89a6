package audit

import (
	"math"

	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

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
	if k.seen[side] || k.lost[side] { // of a side that began before the capture, the first is no more than that
		k.torn = true
		a.torn++
	}
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
	x.Conn.ends[side] = ended{at, why, x.Event.First}
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
