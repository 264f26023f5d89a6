package reassembly

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
		return f.state != open || d.off > 0 && o.off > 0 && a.packet-last.Packet >= freshPackets && a.clock-last.Time >= freshTime
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
// then so many packets passed and so much time.
const (
	freshPackets = 1024
	freshTime    = 1e9
)

// isOther says whether bytes are those of another connection, whose SYN is missing: they are behind
// the end, or again and again where only bytes of long ago could be.
func (a *Assembler) isOther(f *flow, dir int, s *Segment) bool {
	d := &f.sides[dir]
	if s.Flags&(flagRST|flagSYN) != 0 || !d.known || d.unsure {
		return false
	}
	from := d.place(s.Seq)
	if f.state == over && from > d.off {
		return true
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

// replace ends f and begins another connection of the same ends.
func (a *Assembler) replace(f *flow, s *Segment, why Ending) (*flow, int) {
	hash := f.hash
	a.drop(f, why)
	f, dir := a.first(s, hash)
	f.count++
	a.last = f
	return f, dir
}

// finish notes a FIN at sequence number seq.
func (a *Assembler) finish(f *flow, dir int, seq uint32) {
	d := &f.sides[dir]
	at := d.place(seq)
	if d.ended || d.fin != noFin || at < d.off || d.q != nil && at < d.q.blocks[len(d.q.blocks)-1].end() {
		return
	}
	d.fin = at
}

// accepts says whether an RST is near where side d is, as the receiver demands. One from a side that
// sent nothing must acknowledge the other side's bytes.
func (d *side) accepts(o *side, s *Segment) bool {
	if d.known {
		at := d.place(s.Seq)
		return at == d.off || at >= max(d.acked, d.off-maxReset) && at <= d.off+maxReset
	}
	at := o.place(s.Ack)
	return s.Flags&flagACK != 0 && o.known && at >= o.off-maxReset && at <= o.off+maxReset
}

// reset ends a connection by an RST.
func (a *Assembler) reset(f *flow, dir int, s *Segment) {
	d, o := &f.sides[dir], &f.sides[1-dir]
	if !d.accepts(o, s) {
		return
	}
	if f.conn == nil && d.q == nil && o.q == nil { // a SYN that was refused: nothing to remember
		a.drop(f, Rst)
		return
	}
	f.reset = true
	a.close(f, closing)
}

// maxReset is how far an RST may be from the bytes that were seen: less than a spoofed one is likely
// to be, more than a capture is likely to lack just before it.
const maxReset = 16 << 20

// closingPackets is how many packets later a reset connection ends: bytes that were captured after the
// RST, in flight from the other side or reordered, are handed out.
const closingPackets = 64

// settle ends the sides that are complete, and closes the flow when both are.
func (a *Assembler) settle(f *flow) {
	left, unsure := 0, false
	for dir := range f.sides {
		d := &f.sides[dir]
		switch complete := d.fin == d.off && d.q == nil; {
		case d.ended:
		case complete && d.unsure:
			unsure = true
		case complete:
			a.end(f, dir, Fin)
		default:
			left++
		}
	}
	if left == 0 && unsure {
		a.close(f, closing)
	} else if left == 0 {
		a.close(f, over)
	}
}

func (a *Assembler) listOf(f *flow) *flows {
	return [...]*flows{open: &a.live, closing: &a.closing, over: &a.closed}[f.state]
}

// close moves a flow towards its end. What is over is remembered for a while, but no more of them
// than maxClosed.
func (a *Assembler) close(f *flow, to state) {
	if f.state >= to {
		return
	}
	a.listOf(f).remove(f)
	f.state = to
	a.listOf(f).push(f)
	if a.closed.n > maxClosed {
		a.drop(a.closed.head, EOF)
	}
}

// end ends one side of a flow.
func (a *Assembler) end(f *flow, dir int, why Ending) {
	d := &f.sides[dir]
	if d.ended {
		return
	}
	d.ended = true
	if f.conn != nil {
		at := d.last
		if at == (Moment{}) {
			at = Moment{a.packet, a.clock}
		}
		a.out.End(f.conn, dir, at, why)
	}
}

// conclude hands out what is left of a flow and ends it.
func (a *Assembler) conclude(f *flow, why Ending) {
	if f.reset {
		why = Rst
	}
	for {
		q := f.sides[0].q
		if p := f.sides[1].q; q == nil || p != nil && p.blocks[0].at.Packet < q.blocks[0].at.Packet {
			q = p
		}
		if q == nil {
			break
		}
		a.giveUp(q)
	}
	for dir := range f.sides {
		if d := &f.sides[dir]; !d.ended && d.promised() > d.off {
			a.gap(f, dir, d.last, d.promised())
		}
	}
	for dir := range f.sides {
		if f.sides[dir].fin == f.sides[dir].off {
			a.end(f, dir, Fin)
		}
		a.end(f, dir, why)
	}
}

// promised is how far the stream went for sure, though no later byte was captured.
func (d *side) promised() int64 {
	end := d.cut
	if d.fin != noFin {
		return max(end, d.fin)
	}
	if d.seen && d.acked > d.off+1 { // a single one may be a FIN that was not captured
		end = max(end, d.acked)
	}
	return end
}

// drop concludes a flow and forgets it.
func (a *Assembler) drop(f *flow, why Ending) {
	a.conclude(f, why)
	a.listOf(f).remove(f)
	if a.last == f {
		a.last = nil
	}
	a.table.remove(f)
}

// evict makes room for one more flow: ended ones go first, then the one that is silent for longest.
func (a *Assembler) evict() {
	if f := a.closed.head; f != nil {
		a.drop(f, EOF)
		return
	}
	f := a.live.oldest()
	if f.conn != nil {
		a.stats.Evicted++
	}
	a.drop(f, Evicted)
}
