package reassembly

// hand gives the next bytes of a side to the consumer.
func (a *Assembler) hand(f *flow, dir int, at Moment, p []byte) {
	d := &f.sides[dir]
	a.announce(f, dir)
	d.last = later(d.last, at)
	d.advance(int64(len(p)))
	a.stats.Bytes += int64(len(p))
	a.out.Data(f.conn, dir, d.last, p)
}

// gap tells the consumer that the bytes up to offset to are lost: first those that the snap length cut off, which
// came with a packet that was captured. When the others came is not known; at is near.
func (a *Assembler) gap(f *flow, dir int, at Moment, to int64) {
	d := &f.sides[dir]
	if cut := min(to, d.cut); cut > d.off {
		a.lose(f, dir, d.cutAt, cut, false)
	}
	if to > d.off {
		a.lose(f, dir, at, to, true)
	}
}

func (a *Assembler) lose(f *flow, dir int, at Moment, to int64, unseen bool) {
	d := &f.sides[dir]
	a.announce(f, dir)
	d.last = later(d.last, at)
	n := to - d.off
	d.advance(n)
	a.stats.Gaps++
	a.stats.GapBytes += n
	a.out.Gap(f.conn, dir, d.last, n, unseen)
}

// snapped notes that the packet with the bytes before off went on to an offset, of which the snap length cut off
// the rest. What the one before it lacks is lost now: the first copy counts.
func (a *Assembler) snapped(f *flow, dir int, at Moment, to int64) {
	d := &f.sides[dir]
	if to <= max(d.off, d.cut) {
		return
	}
	lost := d.cut
	if d.q != nil {
		lost = min(lost, d.q.blocks[0].off)
	}
	if lost > d.off && !d.unsure {
		a.gap(f, dir, at, lost)
	}
	d.cut, d.cutAt = to, at
}

// cutOff gives up what the snap length cut off at the end of a side, if the receiver has it, and says whether there was any.
func (a *Assembler) cutOff(f *flow, dir int) bool {
	d := &f.sides[dir]
	if d.q != nil || d.ended || d.unsure || d.cut <= d.off || d.cut > d.acked {
		return false
	}
	a.gap(f, dir, d.cutAt, d.cut)
	return true
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
		f.conn.Seq[dir] = d.next
		if d.syn {
			a.out.Start(f.conn, dir)
		}
	}
}
