package reassembly

// proofWindow bounds what is held of each side of a connection until it is proven, and proofLimit
// what is looked at in all.
const (
	proofWindow = 256 << 10
	proofLimit  = 16 << 20
)

// unproven is what both sides of a connection sent before it is known what it speaks.
type unproven struct {
	sides  [2]rawSide
	events []event
	played [2]int // by side: the next of events to be replayed
}

// rawSide holds the bytes of one side: those before and those after its last gap.
type rawSide struct {
	raw     []byte
	dropped int64 // bytes that were too many to hold
	segment int   // where the window begins in raw
	win     Window
}

// event is a packet, a gap or an end, to be replayed in the order of the capture.
type event struct {
	side int8
	end  Ending
	at   Moment
	n    int
	gap  int64
}

// prove takes the next bytes of a connection that is not proven.
func (t *Cutter) prove(f *cutConn, side int, at Moment, b []byte) {
	u := f.proof
	r := &u.sides[side]
	if len(r.raw)+len(b) > proofWindow && len(r.raw) > 0 {
		if t.decide(f, r.win.Start); f.proof == nil {
			t.Data(f.conn, side, at, b)
			return
		}
		t.forget(f, side)
	}
	if r.raw == nil {
		r.raw = t.buffer(0)
	}
	before := cap(r.raw)
	r.win.Marks = append(r.win.Marks, Mark{Off: len(r.raw) - r.segment, At: at})
	r.raw = append(r.raw, b...)
	r.win.Bytes = r.raw[r.segment:]
	if r.win.Seen == 0 {
		r.win.Began = at.Packet
	}
	r.win.Seen += int64(len(b))
	u.events = append(u.events, event{side: int8(side), at: at, n: len(b)})
	t.hold(f, int64(cap(r.raw)-before))
	t.decide(f, u.sides[0].win.Seen+u.sides[1].win.Seen > proofLimit)
}

// forget drops what is held of one side: it was looked at in vain.
func (t *Cutter) forget(f *cutConn, side int) {
	u := f.proof
	r := &u.sides[side]
	r.dropped += int64(len(r.raw))
	r.raw, r.segment = r.raw[:0], 0
	r.win = Window{Bytes: r.raw, Marks: r.win.Marks[:0], Seen: r.win.Seen, Began: r.win.Began}
	events := u.events[:0]
	for _, e := range u.events {
		if int(e.side) != side || e.end != 0 {
			events = append(events, e)
		}
	}
	u.events = events
	f.sides[side].start = false
}

// gapUnproven takes a hole in a connection that is not proven.
func (t *Cutter) gapUnproven(f *cutConn, side int, at Moment, n int64) {
	u := f.proof
	r := &u.sides[side]
	if r.win.Seen == 0 {
		f.sides[side].start = false
	} else if r.win.Ended = true; len(r.win.Bytes) > 0 {
		if t.decide(f, false); f.mode == modeCut {
			t.gap(f, side, at, n)
		}
		if f.mode != modeUnproven {
			return
		}
	}
	u.events = append(u.events, event{side: int8(side), at: at, gap: n})
	r.segment = len(r.raw)
	r.win = Window{Bytes: r.raw[r.segment:], Seen: r.win.Seen, Began: r.win.Began}
	if len(u.events) > 4096 {
		t.decide(f, true)
	}
}

// decide asks what the connection speaks and, when that is known, replays what is held.
func (t *Cutter) decide(f *cutConn, last bool) {
	u := f.proof
	windows := [2]Window{u.sides[0].win, u.sides[1].win}
	proof := t.judge.Prove(f.conn, &windows, last)
	for i := range windows {
		u.sides[i].win.Searched, u.sides[i].win.Tried = windows[i].Searched, windows[i].Tried
	}
	if proof.Speaks == Undecided {
		if !last {
			return
		}
		proof = Proof{Speaks: Other, Fate: [2]Fate{Foreign, Foreign}}
	}
	f.proof = nil
	t.hold(f, -f.held)
	if proof.Speaks == Other {
		f.mode, f.fate = modeOther, proof.Fate
		for i := range u.sides {
			n := min(proof.Skip[i], len(u.sides[i].raw))
			t.Ledger.add(Foreign, int64(n))
			t.Ledger.add(f.fate[i], u.sides[i].dropped+int64(len(u.sides[i].raw)-n))
		}
		for _, e := range u.events {
			if e.end != 0 {
				t.judge.End(f.conn, int(e.side), e.at, e.end)
			}
		}
	} else {
		f.mode = modeCut
		t.replay(f, u, proof.Skip)
	}
	for i := range u.sides {
		t.release(u.sides[i].raw)
	}
}

// next takes the next event to be replayed: of the two sides, each in its own order, the one with the
// lower packet number, since the TCP layer may have held back one side behind a hole.
func (u *unproven) next() (event, bool) {
	for side := range u.played {
		for u.played[side] < len(u.events) && int(u.events[u.played[side]].side) != side {
			u.played[side]++
		}
	}
	first := 0
	switch a, b := u.played[0], u.played[1]; {
	case a == len(u.events) && b == a:
		return event{}, false
	case a == len(u.events) || b < len(u.events) && u.events[b].at.Packet < u.events[a].at.Packet:
		first = 1
	}
	e := u.events[u.played[first]]
	u.played[first]++
	return e, true
}

// replay cuts what was held while the connection was not proven.
func (t *Cutter) replay(f *cutConn, u *unproven, skip [2]int) {
	var at [2]int
	for i := range f.sides {
		s := &f.sides[i]
		s.offset = u.sides[i].dropped
		t.Ledger.add(Skipped, u.sides[i].dropped)
		if !s.start {
			s.state, s.win = searching, &Window{}
		}
	}
	for e, more := u.next(); more; e, more = u.next() {
		side := int(e.side)
		switch {
		case e.end != 0:
			t.end(f, side, e.at, e.end)
		case e.gap > 0:
			t.gap(f, side, e.at, e.gap)
		default:
			b := u.sides[side].raw[at[side] : at[side]+e.n]
			at[side] += e.n
			if n := min(skip[side], len(b)); n > 0 {
				t.Ledger.add(Foreign, int64(n))
				f.sides[side].offset += int64(n)
				skip[side], b = skip[side]-n, b[n:]
			}
			t.cut(f, side, e.at, b)
		}
	}
}
