package reassembly

import (
	"cmp"
	"math"
	"slices"
)

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
	near  [256]*flow // where segments with such ports went last, see nearBy

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
	most := int(max(cfg.Memory/16*15/flowCost, 64))
	if cfg.Most > 0 {
		most = min(most, cfg.Most)
	}
	return &Assembler{
		out:      out,
		table:    newTable(),
		maxFlows: most,
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
	f, dir := a.near[nearBy(s.SrcPort, s.DstPort)], -1
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
		a.near[nearBy(s.SrcPort, s.DstPort)] = f
	}
	f.seen = s.Packet
	f.count++
	d, o := &f.sides[dir], &f.sides[1-dir]
	// The common case: the next bytes of an open stream, behind no hole, acknowledging what was seen.
	if s.Flags&(flagFIN|flagSYN|flagRST) == 0 && s.Seq == d.next && len(s.Payload) == s.Wire && d.started && !d.ended &&
		d.q == nil && d.cut <= d.off && d.off+int64(s.Wire) <= d.fin && int32(s.Ack-o.next) <= 0 && o.q == nil {
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
	if s.Wire > 0 && a.isOther(f, dir, s) {
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
	if !d.known && (s.Wire > 0 || s.Flags&flagFIN != 0) {
		if probe := len(s.Payload) == 1 && s.Flags&flagPSH == 0; probe {
			seq++ // of a zero-window probe, the byte comes again
			a.stats.Repeated++
			d.begin(seq, false)
			d.unsure = true
			return
		}
		d.begin(seq, false)
		d.unsure = true
	}
	if s.Wire > 0 {
		a.data(f, dir, s, seq)
	}
	if s.Flags&flagFIN != 0 {
		a.finish(f, dir, seq+uint32(s.Wire))
	}
	a.look(d)
	a.look(o)
	a.settle(f)
}

// Flush hands out all that waits and ends all connections: the capture is over. Connections whose bytes
// wait for longest come first.
func (a *Assembler) Flush() {
	var waiting []*queue
	for _, q := range []*queue{a.proven.head, a.unproven.head} {
		for ; q != nil; q = q.next {
			waiting = append(waiting, q)
		}
	}
	slices.SortStableFunc(waiting, func(p, q *queue) int { return cmp.Compare(p.blocks[0].at.Packet, q.blocks[0].at.Packet) })
	for _, q := range waiting {
		if q.f != nil { // not handed out with the other side's
			a.conclude(q.f, EOF)
		}
	}
	for _, l := range []*flows{&a.closed, &a.closing, &a.live} {
		for l.head != nil {
			a.drop(l.head, EOF)
		}
	}
}
