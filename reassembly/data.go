package reassembly

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
	} else {
		a.cutOff(f, 1-dir)
	}
}

// data takes the payload of a segment, whose first byte has sequence number seq.
func (a *Assembler) data(f *flow, dir int, s *Segment, seq uint32) {
	d := &f.sides[dir]
	p := s.Payload
	off := d.place(seq)
	if again := d.cut - off; d.cut > d.off && again > 0 && again < int64(len(p)) {
		first, rest := *s, *s
		first.Payload, first.Wire = p[:again], int(again)
		rest.Payload, rest.Wire = p[again:], s.Wire-int(again)
		a.data(f, dir, &first, seq)
		a.data(f, dir, &rest, seq+uint32(again))
		return
	}
	cut, joins := unknown, off <= max(d.off, d.cut)
	if s.Wire > len(p) && s.Wire < maxSegment {
		cut = off + int64(s.Wire)
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
	at := Moment{s.Packet, s.Time}
	if len(p) == 0 {
		if joins {
			a.snapped(f, dir, at, cut)
			a.pump(f)
		}
		return
	}
	if off+int64(len(p)) <= d.cut {
		at = d.cutAt // sent again: they came with the packet that the snap length cut
	}
	after, o := a.cause(f, dir, s), &f.sides[1-dir]
	switch {
	case off == d.off && (d.q == nil || off+int64(len(p)) <= d.q.blocks[0].off) && after <= o.off && !d.unsure:
		a.hand(f, dir, at, p)
		a.snapped(f, dir, at, cut)
		a.pump(f)
	case off > d.off && isProbe(s) && d.acked > off:
		a.stats.Repeated += int64(len(p)) // a keep-alive's garbage byte, where the true one was lost
	default:
		a.hold(f, dir, off, block{after: after, at: at, cut: cut, since: a.now(f)}, p)
	}
}

// maxSegment bounds what a packet may claim to have had before the snap length cut it.
const maxSegment = 1 << 20

// isProbe says whether s may be a keep-alive: one byte that was acknowledged before.
func isProbe(s *Segment) bool { return s.Wire == 1 && s.Flags&flagPSH == 0 }
