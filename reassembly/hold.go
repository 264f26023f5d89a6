package reassembly

import "slices"

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
// like has what is known of all of them.
func (a *Assembler) hold(f *flow, dir int, off int64, like block, p []byte) {
	d := &f.sides[dir]
	if d.q == nil {
		d.q = a.mem.queue(f, dir)
	}
	a.mem.limit = max(a.memory-int64(a.table.n)*flowCost, a.memory/4)
	before := len(d.q.blocks)
	repeated, conflict := a.mem.insert(d.q, off, like, p)
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
	for d.q != nil && (d.q.size > a.memory/4 || len(d.q.blocks) > maxBlocks) {
		a.stats.Forced++
		a.giveUp(d.q)
	}
	for a.mem.lent > a.mem.limit {
		q := a.unproven.head
		if p := a.proven.head; q == nil || p != nil && p.blocks[0].since.packet < q.blocks[0].since.packet {
			q = p
		}
		a.stats.Forced++
		a.resolve(q)
	}
}

// maxBlocks bounds what a side may have waiting, and with it the cost of putting one more among them.
const maxBlocks = 8192

// giveUp ends the wait of q's first block: what it waits for is a gap.
func (a *Assembler) giveUp(q *queue) {
	f, b := q.f, q.blocks[0]
	d, o := &f.sides[q.dir], &f.sides[1-q.dir]
	switch {
	case d.unsure: // there is nothing before it
		d.advance(b.off - d.off)
		d.unsure = false
		a.wait(q)
	case b.off > d.off:
		a.gap(f, q.dir, b.at, b.off)
		a.wait(q)
	case o.unsure && o.q != nil: // it waits for the other side, which waits for its start
		a.giveUp(o.q)
	default: // it waits for the other side
		to, at := b.after, b.at
		if o.q != nil {
			behind := o.q.blocks[0]
			if to = min(to, behind.off); behind.at.Packet < at.Packet {
				at = behind.at // else those bytes, too, would seem to be as late
			}
		}
		if to > o.off && !o.ended && !o.unsure {
			a.gap(f, 1-q.dir, at, to)
		} else {
			b.after = unknown // no cause can be had
		}
	}
	a.pump(f)
}

// pump hands out all that waits and is next now, of both sides.
func (a *Assembler) pump(f *flow) {
	for a.drain(f, 0) || a.drain(f, 1) || a.cutOff(f, 0) || a.cutOff(f, 1) {
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
		if b.cut > max(d.off, d.cut) {
			d.cut, d.cutAt = b.cut, b.at
		}
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
