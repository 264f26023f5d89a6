package main

import "ksniff/reassembly"

// relay stands between the TCP layer and the session. It hands on what it gets or, where files are read ahead, keeps
// it in a batch for the other goroutine.
type relay struct {
	to    reassembly.Streams
	batch *batch // nil: nobody reads ahead
	lent  []byte // the payload at hand, where it lies in the buffer of the batch
}

// event is a call of one of reassembly.Streams. It fills a line of the processor's cache.
type event struct {
	conn  *reassembly.Conn
	at    reassembly.Moment
	bytes []byte
	gap   int64
	what  eventKind
	why   reassembly.Ending
	side  uint8
	// unseen is that of a gap.
	unseen bool
}

type eventKind uint8

const (
	opens eventKind = iota
	starts
	data
	gaps
	ends
)

// add makes room for an event, which the caller fills: all fields that its kind has.
func (b *batch) add(what eventKind, c *reassembly.Conn, side int) *event {
	n := len(b.events)
	if n < cap(b.events) {
		b.events = b.events[:n+1]
	} else {
		b.events = append(b.events, event{})
	}
	e := &b.events[n]
	e.what, e.conn, e.side = what, c, uint8(side)
	return e
}

// copy keeps bytes that lie where the TCP layer will use it again.
func (b *batch) copy(p []byte) []byte {
	at := len(b.copied)
	b.copied = append(b.copied, p...) // what lies in a smaller one stays valid
	return b.copied[at:len(b.copied):len(b.copied)]
}

// Open implements reassembly.Streams, as all of these do.
func (r *relay) Open(c *reassembly.Conn) {
	if r.batch == nil {
		r.to.Open(c)
		return
	}
	r.batch.add(opens, c, 0)
}

func (r *relay) Start(c *reassembly.Conn, side int) {
	if r.batch == nil {
		r.to.Start(c, side)
		return
	}
	r.batch.add(starts, c, side)
}

func (r *relay) Data(c *reassembly.Conn, side int, at reassembly.Moment, b []byte) {
	if r.batch == nil {
		r.to.Data(c, side, at, b)
		return
	}
	if len(r.lent) == 0 || len(b) == 0 || &r.lent[0] != &b[0] {
		b = r.batch.copy(b)
	}
	e := r.batch.add(data, c, side)
	e.at.Packet, e.at.Time, e.bytes = at.Packet, at.Time, b
}

func (r *relay) Gap(c *reassembly.Conn, side int, at reassembly.Moment, n int64, unseen bool) {
	if r.batch == nil {
		r.to.Gap(c, side, at, n, unseen)
		return
	}
	e := r.batch.add(gaps, c, side)
	e.at, e.gap, e.unseen = at, n, unseen
}

func (r *relay) End(c *reassembly.Conn, side int, at reassembly.Moment, why reassembly.Ending) {
	if r.batch == nil {
		r.to.End(c, side, at, why)
		return
	}
	e := r.batch.add(ends, c, side)
	e.at, e.why = at, why
}

// tell makes the call that the event stands for.
func (e *event) tell(to reassembly.Streams) {
	switch e.what {
	case data:
		to.Data(e.conn, int(e.side), e.at, e.bytes)
	case opens:
		to.Open(e.conn)
	case starts:
		to.Start(e.conn, int(e.side))
	case gaps:
		to.Gap(e.conn, int(e.side), e.at, e.gap, e.unseen)
	case ends:
		to.End(e.conn, int(e.side), e.at, e.why)
	}
}
