package reassembly

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
		if f.seen > f.queued { // not silent yet
			a.closing.remove(f)
			a.closing.push(f)
		} else {
			a.conclude(f, Fin)
			a.close(f, over)
		}
	}
	if q := a.proven.head; q != nil && a.due(q) {
		a.resolve(q)
	}
	if q := a.unproven.head; q != nil && a.due(q) {
		a.resolve(q)
	}
}

// Idle says that the capture has been silent for a while: what is still missing, though it was on the
// wire, does not come any more. It need not be called.
func (a *Assembler) Idle() {
	for a.proven.head != nil {
		a.resolve(a.proven.head)
	}
	for a.closing.head != nil {
		f := a.closing.head
		a.conclude(f, Fin)
		a.close(f, over)
	}
}

// resolve gives up q's first hole, out of turn.
func (a *Assembler) resolve(q *queue) {
	f := q.f
	a.giveUp(q)
	a.settle(f)
}
