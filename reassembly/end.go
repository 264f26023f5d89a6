package reassembly

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
	f.reset, f.resetBy, f.resetAt = true, int8(dir), Moment{a.packet, a.clock}
	a.close(f, closing)
}

// maxReset is how far an RST may be from the bytes that were seen: less than a spoofed one is likely
// to be, more than a capture is likely to lack just before it.
const maxReset = 16 << 20

// closingPackets is how many packets a reset connection must be silent before it ends: bytes that were
// captured after the RST, in flight from the other side or reordered, are handed out.
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

// end ends one side of a flow: at the packet that says so, else after its latest byte.
func (a *Assembler) end(f *flow, dir int, why Ending) {
	d := &f.sides[dir]
	if d.ended {
		return
	}
	d.ended = true
	if f.conn == nil {
		return
	}
	at := a.lastOf(d)
	switch why {
	case Fin:
		at = Moment{a.packet, a.clock}
	case Rst:
		at = f.resetAt
	}
	a.out.End(f.conn, dir, at, why)
}

// lastOf is the moment of the latest byte of a side, or now where there was none.
func (a *Assembler) lastOf(d *side) Moment {
	if d.last == (Moment{}) {
		return Moment{a.packet, a.clock}
	}
	return d.last
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
			a.gap(f, dir, a.lastOf(d), d.promised())
		}
	}
	for i := range f.sides {
		dir := i ^ int(f.resetBy) // who reset the connection ends first
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
	if near := &a.near[nearBy(f.ends[0].Port, f.ends[1].Port)]; *near == f {
		*near = nil
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
	if f == nil {
		f = a.closing.head
	}
	if f.conn != nil {
		a.stats.Evicted++
	}
	a.drop(f, Evicted)
}
