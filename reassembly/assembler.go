package reassembly

import "math"

// The TCP flags that matter here.
const (
	flagFIN = 1 << iota
	flagSYN
	flagRST
	flagPSH
	flagACK
)

// maxWindow is the largest window TCP can have (65535 << 14): what lies farther away is no packet of
// this stream, or of another time.
const maxWindow = 1 << 30

// Assembler puts the segments of all connections in order and hands their bytes to Streams. What a
// hole in a stream is taken for, and when, says wait.go.
type Assembler struct {
	out   Streams
	stats Stats
	table table
	last  *flow // where the previous segment went

	live, closing, closed flows
	maxFlows, nextID      int

	mem              buffers
	memory           int64
	unproven, proven queues
	packet           uint64
	clock            int64 // the latest time seen: clocks that go back do not matter
}

// flowCost is what a connection needs here: its flow and its share of the table.
const flowCost = 272

// maxClosed is how many ended connections are remembered, for packets that trail behind.
const maxClosed = 4096

// New makes an Assembler that hands out to out.
func New(out Streams, cfg Config) *Assembler {
	if cfg.Memory <= 0 {
		cfg.Memory = 32 << 20
	}
	return &Assembler{
		out:      out,
		table:    newTable(),
		maxFlows: int(max(cfg.Memory/8*7/flowCost, 64)),
		memory:   cfg.Memory,
		clock:    math.MinInt64,
	}
}

// Segment takes the next segment as captured. Packet numbers must not go down; times may.
func (a *Assembler) Segment(s *Segment) {
	a.stats.Segments++
	a.packet = s.Packet
	if s.Time > a.clock {
		a.clock = s.Time
	}
	f, dir := a.last, -1
	if f != nil {
		dir = f.from(s)
	}
	if dir < 0 {
		hash := a.table.hashOf(s)
		if f, dir = a.table.find(s, hash); f == nil {
			if f, dir = a.first(s, hash); f == nil {
				return
			}
		}
		a.last = f
	}
	f.seen = s.Packet
	f.count++
	d, o := &f.sides[dir], &f.sides[1-dir]
	// The common case: the next bytes of an open stream, behind no hole, acknowledging what was seen.
	if s.Flags&(flagFIN|flagSYN|flagRST) == 0 && s.Seq == d.next && len(s.Payload) == s.Wire && d.started && !d.ended &&
		d.q == nil && d.off+int64(s.Wire) <= d.fin && int32(s.Ack-o.next) <= 0 && o.q == nil {
		if n := len(s.Payload); n > 0 {
			d.advance(int64(n))
			d.last = Moment{s.Packet, s.Time}
			d.astray = 0
			a.stats.Bytes += int64(n)
			a.out.Data(f.conn, dir, d.last, s.Payload)
		}
	} else {
		a.plain(f, dir, s)
	}
	if a.unproven.head != nil || a.proven.head != nil || a.closing.head != nil {
		a.sweep()
	}
}

// plain does all that Segment does, for any segment.
func (a *Assembler) plain(f *flow, dir int, s *Segment) {
	if s.Flags&(flagSYN|flagRST) == flagSYN && a.isNew(f, dir, s) {
		f, dir = a.replace(f, s, Reused)
	}
	if len(s.Payload) > 0 && a.isOther(f, dir, s) {
		f, dir = a.replace(f, s, Reused)
	}
	d, o := &f.sides[dir], &f.sides[1-dir]
	d.seen = true
	seq := s.Seq
	if s.Flags&(flagSYN|flagRST) == flagSYN {
		seq++
		switch {
		case !d.known:
			d.begin(seq, true)
		case d.unsure:
			d.advance(d.place(seq) - d.off)
			d.unsure, d.syn = false, true
			a.pump(f)
		}
	}
	if s.Flags&flagRST != 0 {
		a.stats.Stray += int64(len(s.Payload))
		a.reset(f, dir, s)
		return
	}
	if s.Flags&flagACK != 0 {
		a.ack(f, dir, s)
	}
	if !d.known && (len(s.Payload) > 0 || s.Flags&flagFIN != 0) {
		if probe := len(s.Payload) == 1 && s.Flags&flagPSH == 0; probe {
			seq++
			a.stats.Repeated++
			d.begin(seq, false)
			return
		}
		d.begin(seq, false)
		d.unsure = true
	}
	if len(s.Payload) > 0 {
		a.data(f, dir, s, seq)
	}
	if s.Flags&flagFIN != 0 {
		a.finish(f, dir, seq+uint32(s.Wire))
	}
	a.look(d)
	a.look(o)
	a.settle(f)
}

// ack notes what dir acknowledges of the other side.
func (a *Assembler) ack(f *flow, dir int, s *Segment) {
	d, o := &f.sides[dir], &f.sides[1-dir]
	if !o.known {
		// The handshake's last packet, or a SYN-ACK whose SYN was lost, tells where the other side begins.
		if s.Flags&flagSYN != 0 || d.syn && s.Seq == d.next && d.off == 0 {
			o.begin(s.Ack, true)
		}
		return
	}
	at := o.place(s.Ack)
	if at <= o.acked || at-o.off > maxWindow {
		return
	}
	o.acked = at
	if o.q != nil {
		a.prove(o.q, at)
	} else if !o.ended && o.cut > o.off && o.cut <= at {
		a.gap(f, 1-dir, Moment{s.Packet, s.Time}, o.cut)
	}
}

// data takes the payload of a segment, whose first byte has sequence number seq.
func (a *Assembler) data(f *flow, dir int, s *Segment, seq uint32) {
	d := &f.sides[dir]
	p := s.Payload
	off := d.place(seq)
	if s.Wire > len(p) && s.Wire < maxSegment && !d.ended {
		d.cut = max(d.cut, off+int64(s.Wire))
	}
	if d.ended {
		if off+int64(len(p)) <= d.off {
			a.stats.Repeated += int64(len(p))
		} else {
			a.stats.Stray += int64(len(p))
		}
		return
	}
	if old := min(max(d.off-off, 0), int64(len(p))); old > 0 && !d.unsure {
		a.stats.Repeated += old
		off, p = off+old, p[old:]
	}
	if behind := min(off+int64(len(p))-d.fin, int64(len(p))); behind > 0 {
		a.stats.Stray += behind
		p = p[:int64(len(p))-behind]
	}
	if len(p) == 0 {
		return
	}
	at, after := Moment{s.Packet, s.Time}, a.cause(f, dir, s)
	o := &f.sides[1-dir]
	switch {
	case off == d.off && (d.q == nil || off+int64(len(p)) <= d.q.blocks[0].off) && after <= o.off && !d.unsure:
		a.hand(f, dir, at, p)
		a.pump(f)
	case off > d.off && isProbe(s) && d.acked > off:
		a.stats.Repeated += int64(len(p)) // a keep-alive's garbage byte, where the true one was lost
	default:
		a.hold(f, dir, at, off, after, p)
	}
}

// maxSegment bounds what a packet may claim to have had before the snap length cut it.
const maxSegment = 1 << 20

// isProbe says whether s may be a keep-alive: one byte that was acknowledged before.
func isProbe(s *Segment) bool { return s.Wire == 1 && s.Flags&flagPSH == 0 }

// hand gives the next bytes of a side to the consumer.
func (a *Assembler) hand(f *flow, dir int, at Moment, p []byte) {
	d := &f.sides[dir]
	a.announce(f, dir)
	d.last = later(d.last, at)
	d.advance(int64(len(p)))
	a.stats.Bytes += int64(len(p))
	a.out.Data(f.conn, dir, d.last, p)
}

// gap tells the consumer that the bytes up to offset to are lost.
func (a *Assembler) gap(f *flow, dir int, at Moment, to int64) {
	d := &f.sides[dir]
	a.announce(f, dir)
	d.last = later(d.last, at)
	n := to - d.off
	d.advance(n)
	a.stats.Gaps++
	a.stats.GapBytes += n
	a.out.Gap(f.conn, dir, d.last, n)
}

// announce opens the connection and starts the side, each once.
func (a *Assembler) announce(f *flow, dir int) {
	if f.conn == nil {
		a.nextID++
		a.stats.Connections++
		f.conn = &Conn{ID: a.nextID, Ends: f.ends}
		a.out.Open(f.conn)
		for k := range f.sides {
			if f.sides[k].ended { // a FIN before any byte
				a.out.End(f.conn, k, Moment{a.packet, a.clock}, Fin)
			}
		}
	}
	if d := &f.sides[dir]; !d.started {
		d.started = true
		if d.syn {
			a.out.Start(f.conn, dir)
		}
	}
}

// Flush hands out all that waits and ends all connections; the capture is over. Connections opened
// first end first.
func (a *Assembler) Flush() {
	for _, l := range []*flows{&a.closed, &a.closing, &a.live} {
		for l.head != nil {
			a.drop(l.head, EOF)
		}
	}
}
