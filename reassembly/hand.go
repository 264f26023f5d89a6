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
		f.conn.Seq[dir] = d.next
		if d.syn {
			a.out.Start(f.conn, dir)
		}
	}
}
