package reassembly

import "math"

// first takes the first segment of a 4-tuple. It returns nil where there is nothing to keep.
func (a *Assembler) first(s *Segment, hash uint32) (*flow, int) {
	if s.Flags&flagRST != 0 {
		a.stats.Stray += int64(len(s.Payload))
		return nil, 0
	}
	if a.table.n >= a.maxFlows {
		a.evict()
	}
	f := a.table.add(s, hash)
	f.seen = s.Packet
	a.live.push(f)
	if s.Flags&(flagSYN|flagACK) == flagSYN|flagACK { // the receiver sent the SYN
		f.ends[0], f.ends[1] = f.ends[1], f.ends[0]
		return f, 1
	}
	return f, 0
}

// isNew says whether a SYN opens another connection than the one that f is.
func (a *Assembler) isNew(f *flow, dir int, s *Segment) bool {
	d := &f.sides[dir]
	if !d.known {
		return false
	}
	first := s.Seq + 1                          // sequence number of the stream's first byte
	if d.syn && first == d.next-uint32(d.off) { // a repeated SYN, unless too much happened since
		o := &f.sides[1-dir]
		last := later(d.last, o.last)
		packets, time := a.packet-last.Packet, a.clock-last.Time
		if f.state != open {
			return packets >= freshAfterEnd || time >= freshTime && (packets >= copyPackets || s.Time >= last.Time+freshTime)
		}
		return d.off > 0 && o.off > 0 && packets >= freshPackets && time >= freshTime
	}
	if d.syn {
		return true
	}
	if d.unsure { // the bytes that were captured so far are not handed out yet
		at, begin := d.place(first), d.off
		if d.q != nil {
			begin = d.q.blocks[0].off
		}
		return at > begin || at < begin-maxLate
	}
	// No SYN was seen: this one may have been captured late, a little behind the first bytes.
	back := int32(d.next - first)
	return back < 0 || int64(back) > d.off
}

// maxLate is how many bytes may have been captured before their SYN.
const maxLate = 1 << 16

// A SYN with the number of the one before is taken for its copy, but not when bytes went both ways and
// then so many packets passed and so much time. Behind the end one of the two is enough: where both sides of a
// bridge are captured, or captures were merged whose clocks differ a little, all of a short connection comes again.
const (
	freshPackets  = 1024
	freshTime     = 1e9
	freshAfterEnd = 1 << 16
	copyPackets   = 256 // a copy may also be written so much too late, with its own time
)

// isOther says whether bytes are those of another connection, whose SYN is missing: they are behind
// the end, or far before the beginning of what has ended, or far off after a silence, or again and again where
// only bytes of long ago could be.
func (a *Assembler) isOther(f *flow, dir int, s *Segment) bool {
	d := &f.sides[dir]
	if s.Flags&(flagRST|flagSYN) != 0 || !d.known {
		return false
	}
	from := d.place(s.Seq)
	switch {
	case f.state == over && (from > d.off || from < -maxLate), d.fin != noFin && from > d.fin && f.sides[1-dir].fin != noFin, a.isFar(f, dir, from, s):
		return true
	case d.unsure:
		return false
	}
	if from+int64(s.Wire) > d.off-maxBehind {
		d.astray = 0
		return false
	}
	d.astray++
	return d.astray >= maxAstray
}

const (
	maxBehind = 16 << 20 // farther back than any repetition in practice
	maxAstray = 8
)

// isFar says whether both numbers of a segment are where no packet of this connection can be, which was silent.
func (a *Assembler) isFar(f *flow, dir int, from int64, s *Segment) bool {
	d, o := &f.sides[dir], &f.sides[1-dir]
	if s.Flags&flagACK == 0 || !o.known {
		return false
	}
	ahead, acked := from-d.off, o.place(s.Ack)-o.off
	return max(ahead, -ahead) > maxBehind && max(acked, -acked) > maxBehind && max(d.lastTime(), o.lastTime()) <= a.clock-freshTime
}

// lastTime is that of the latest byte, handed out or waiting.
func (d *side) lastTime() int64 {
	last := int64(math.MinInt64)
	if d.last != (Moment{}) {
		last = d.last.Time
	}
	if d.q != nil {
		for _, b := range d.q.blocks {
			last = max(last, b.at.Time)
		}
	}
	return last
}

// replace ends f and begins another connection of the same ends.
func (a *Assembler) replace(f *flow, s *Segment, why Ending) (*flow, int) {
	hash := f.hash
	a.drop(f, why)
	f, dir := a.first(s, hash)
	f.count++
	a.near[nearBy(s.SrcPort, s.DstPort)] = f
	return f, dir
}
