package reassembly

import (
	"slices"
)

// When is a hole a gap? A hole is the range between the last byte handed out and the first byte that
// waits. Its bytes may still come: because the capture saw packets in another order than the wire
// (some tens of packets, some milliseconds), or because the network lost them and the sender will
// repeat them (a round trip, or a timeout of a second and more). It is called a gap when
//
//   - the receiver has acknowledged it (it was on the wire: the capture lacks it, or is late by
//     reordering), and since then provenSegments segments of its connection were seen, or
//     provenPackets packets of any and provenTime. The packets keep a slow capture from giving up a
//     reordered segment by time, the time keeps a fast one from giving it up by packets;
//   - nobody acknowledges since only one direction is captured, and the same is true of the larger
//     bounds aloneSegments or alonePackets and aloneTime;
//   - the receiver is seen and does not acknowledge it, and silentPackets and silentTime have passed;
//   - the snap length cut it: it is not waited for at all, nor when it is the last of its stream and
//     acknowledged;
//   - the connection has more waiting bytes than its share of memory, or all have: then the hole that
//     is open for longest is given up;
//   - the connection ends or is evicted, or the capture ends.
//
// Bytes that come after that count as repeated and are not handed out.
//
// Two more waits come from captures that see packets in another order than the wire:
//
//   - Bytes whose sender had received bytes of the other side that were not handed out yet (says their
//     acknowledgment number) wait for those, as for a hole that is acknowledged. So a request is
//     handed out before its response, whichever was captured first.
//   - The first bytes of a stream without SYN wait for earlier ones: startSegments, or provenPackets
//     and provenTime, and where the receiver is seen until it acknowledges what is in front of them.
const (
	provenSegments = 64
	provenPackets  = 64
	provenTime     = 200e6

	startSegments = 32

	aloneSegments = 1024
	alonePackets  = 64
	aloneTime     = 3e9

	silentPackets = 64
	silentTime    = 60e9
)

// now is the present mark of f.
func (a *Assembler) now(f *flow) mark { return mark{a.packet, a.clock, f.count} }

// cause gives the offset in the other side's stream that dir had received when it sent s, where the
// bytes up to it may still come.
func (a *Assembler) cause(f *flow, dir int, s *Segment) int64 {
	o := &f.sides[1-dir]
	if !o.seen || !o.known || o.ended || s.Flags&flagACK == 0 {
		return unknown
	}
	at := min(o.place(s.Ack), o.fin)
	if at == o.off+1 || at-o.off > maxWindow { // a single one may be a FIN that was not captured
		return unknown
	}
	return at
}

// hold keeps bytes that came before those in front of them, or fill a hole in part.
func (a *Assembler) hold(f *flow, dir int, at Moment, off, after int64, p []byte) {
	d := &f.sides[dir]
	if d.q == nil {
		d.q = a.mem.queue(f, dir)
	}
	a.mem.limit = max(a.memory-int64(a.table.n)*flowCost, a.memory/4)
	before := len(d.q.blocks)
	repeated, conflict := a.mem.insert(d.q, off, block{after: after, at: at, since: a.now(f)}, p)
	a.stats.Repeated += repeated
	a.stats.Waiting += int64(len(p)) - repeated
	if conflict {
		a.stats.Conflicts++
	}
	if len(d.q.blocks) > before {
		a.stats.OutOfOrder++
		a.wait(d.q)
	}
	a.pump(f)
	for d.q != nil && d.q.size > a.memory/4 {
		a.stats.Forced++
		a.giveUp(d.q)
	}
	for a.mem.lent > a.mem.limit {
		q := a.unproven.head
		if p := a.proven.head; q == nil || p != nil && p.blocks[0].since.packet < q.blocks[0].since.packet {
			q = p
		}
		a.stats.Forced++
		a.giveUp(q)
	}
}

// wait puts q into the list in which it belongs now.
func (a *Assembler) wait(q *queue) {
	l := &a.unproven
	if b, d := q.blocks[0], &q.f.sides[q.dir]; b.proven || b.off == d.off && !d.unsure {
		l = &a.proven
	}
	if q.list == l {
		return
	}
	if q.list != nil {
		q.list.remove(q)
	}
	l.push(q)
}

// prove begins the shorter wait for all holes that the other side has filled.
func (a *Assembler) prove(q *queue, acked int64) {
	for q.proved < len(q.blocks) && q.blocks[q.proved].off <= acked {
		b := q.blocks[q.proved]
		b.proven, b.since = true, a.now(q.f)
		q.proved++
	}
	a.wait(q)
}

// due says whether the wait for q's first hole is over.
func (a *Assembler) due(q *queue) bool {
	first, d, o := q.blocks[0], &q.f.sides[q.dir], &q.f.sides[1-q.dir]
	segments, packets, time := q.f.count-first.since.count, a.packet-first.since.packet, a.clock-first.since.time
	switch {
	case d.unsure && (first.proven || !o.seen):
		return segments >= startSegments || packets >= provenPackets && time >= provenTime
	case first.off > d.off && first.off <= d.cut && !d.unsure:
		return true
	case first.proven || first.off == d.off && !d.unsure:
		return segments >= provenSegments || packets >= provenPackets && time >= provenTime
	case !o.seen:
		return segments >= aloneSegments || packets >= alonePackets && time >= aloneTime
	default:
		return packets >= silentPackets && time >= silentTime
	}
}

// look gives up the holes of a side that are due.
func (a *Assembler) look(d *side) {
	for d.q != nil && a.due(d.q) {
		a.giveUp(d.q)
	}
}

// sweep gives up holes of connections that are silent, and ends those that began to close a while ago.
func (a *Assembler) sweep() {
	if f := a.closing.head; f != nil && a.packet-f.queued >= closingPackets {
		a.conclude(f, Fin)
		a.close(f, over)
	}
	if q := a.proven.head; q != nil && a.due(q) {
		a.giveUp(q)
	}
	if q := a.unproven.head; q != nil && a.due(q) {
		a.giveUp(q)
	}
}

// giveUp ends the wait of q's first block: what it waits for is a gap.
func (a *Assembler) giveUp(q *queue) {
	f, b := q.f, q.blocks[0]
	d, o := &f.sides[q.dir], &f.sides[1-q.dir]
	switch {
	case d.unsure: // there is nothing before it
		d.advance(b.off - d.off)
		d.unsure = false
	case b.off > d.off:
		a.gap(f, q.dir, b.at, b.off)
	case o.unsure && o.q != nil: // it waits for the other side, which waits for its start
		a.giveUp(o.q)
	default: // it waits for the other side
		to := b.after
		if o.q != nil {
			to = min(to, o.q.blocks[0].off)
		}
		if to > o.off && !o.ended && !o.unsure {
			a.gap(f, 1-q.dir, b.at, to)
		} else {
			b.after = unknown // no cause can be had
		}
	}
	a.pump(f)
}

// pump hands out all that waits and is next now, of both sides.
func (a *Assembler) pump(f *flow) {
	for a.drain(f, 0) || a.drain(f, 1) {
	}
}

// drain hands out what of one side waits and is next now, and says whether there was any.
func (a *Assembler) drain(f *flow, dir int) bool {
	d, o := &f.sides[dir], &f.sides[1-dir]
	q := d.q
	if q == nil || d.unsure {
		return false
	}
	n := 0
	for ; n < len(q.blocks) && q.blocks[n].off == d.off && q.blocks[n].after <= o.off; n++ {
		b := q.blocks[n]
		a.stats.Waiting -= int64(len(b.b))
		a.hand(f, dir, b.at, b.b)
		q.size -= costOf(b)
		a.mem.give(b)
	}
	switch {
	case n == 0:
		return false
	case n < len(q.blocks):
		q.blocks = slices.Delete(q.blocks, 0, n)
		q.proved = max(q.proved-n, 0)
		a.wait(q)
	default:
		q.blocks = q.blocks[:0]
		q.list.remove(q)
		d.q = nil
		a.mem.putQueue(q)
	}
	return true
}
