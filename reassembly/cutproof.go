package reassembly

import "unsafe"

// proofWindow bounds what is held of each side of a connection until it is proven, and proofLimit
// what is looked at in all.
const (
	proofWindow = 256 << 10
	proofLimit  = 16 << 20
	proofCost   = 416 // of an unproven beside what its slices hold
	eventCost   = int64(unsafe.Sizeof(event{}))
)

// unproven is what both sides of a connection sent before it is known what it speaks.
type unproven struct {
	sides  [2]rawSide
	events []event
	played [2]int // by side: the next of events to be replayed
	held   int64
}

// size is what it takes.
func (u *unproven) size() int64 {
	n := proofCost + int64(cap(u.events))*eventCost
	for i := range u.sides {
		n += int64(cap(u.sides[i].raw)) + int64(cap(u.sides[i].win.Marks))*markCost
	}
	return n
}

// weigh keeps the count of held bytes right.
func (t *Cutter) weigh(f *cutConn) {
	if n := f.proof.size(); n != f.proof.held {
		t.hold(f, n-f.proof.held)
		f.proof.held = n
	}
}

// rawSide holds the bytes of one side: those before and those after its last gap.
type rawSide struct {
	raw     []byte
	dropped int64 // bytes that were too many to hold
	offset  int64 // in the stream, of raw or of what was presumed before it
	segment int   // where the window begins in raw
	lost    int64 // bytes of gaps in raw
	win     Window
}

// event is a packet, a gap, the end of a presumed frame or of a side, to be replayed in the order of the capture.
type event struct {
	side int8
	end  Ending
	done bool
	at   Moment
	n    int
	gap  int64
	// unseen is that of Streams.Gap.
	unseen bool
}

// prove takes the next bytes of a connection that is not proven.
func (t *Cutter) prove(f *cutConn, side int, at Moment, b []byte) {
	u := f.proof
	r := &u.sides[side]
	if t.presuming(f, side) {
		if b = t.presumed(f, side, at, b); len(b) == 0 {
			return
		}
	}
	if len(r.raw)+len(b) > proofWindow && len(r.raw) > 0 {
		if t.decide(f, r.win.Start); f.proof == nil || t.presume(f, side) {
			t.Data(f.conn, side, at, b)
			return
		}
		t.forget(f, side)
	}
	if r.raw == nil {
		r.raw = t.buffer(0)
	}
	r.win.Marks = append(r.win.Marks, Mark{Off: len(r.raw) - r.segment, At: at})
	r.raw = append(r.raw, b...)
	r.win.Bytes = r.raw[r.segment:]
	if r.win.Seen == 0 {
		r.win.Began = at.Packet
	}
	r.win.Seen += int64(len(b))
	u.events = append(u.events, event{side: int8(side), at: at, n: len(b)})
	t.weigh(f)
	if last := u.sides[0].win.Seen+u.sides[1].win.Seen > proofLimit; last || r.win.due() {
		n := int64(len(u.sides[0].win.Bytes) + len(u.sides[1].win.Bytes))
		r.win.Spent += n
		t.Spent += n
		t.decide(f, last)
	}
}

// forget drops what is held of one side: it was looked at in vain.
func (t *Cutter) forget(f *cutConn, side int) {
	u := f.proof
	if f.sides[side].part != nil {
		t.refuse(f, side)
	}
	u.sides[side].forget(len(u.sides[side].win.Bytes))
	u.drop(side)
	f.sides[side].start = false
}

// forget drops what is held up to the nth byte of the window, and the rest too: that begins there now.
func (r *rawSide) forget(n int) {
	r.dropped += int64(r.segment + n)
	r.offset += int64(r.segment+n) + r.lost
	r.raw, r.segment, r.lost = r.raw[:0], 0, 0
	r.win = Window{Bytes: r.raw, Marks: r.win.Marks[:0], Seen: r.win.Seen, Began: r.win.Began, Spent: r.win.Spent}
}

// drop takes out the events of a side but its end.
func (u *unproven) drop(side int) {
	events := u.events[:0]
	for _, e := range u.events {
		if int(e.side) != side || e.end != 0 {
			events = append(events, e)
		}
	}
	u.events = events
}

// gapUnproven takes a hole in a connection that is not proven.
func (t *Cutter) gapUnproven(f *cutConn, side int, at Moment, n int64, unseen bool) {
	u := f.proof
	r := &u.sides[side]
	if t.presuming(f, side) {
		if n = t.presumedGap(f, side, at, n, unseen); n == 0 {
			return
		}
	}
	if r.win.Seen == 0 {
		f.sides[side].start = false
	} else if r.win.Ended = true; len(r.win.Bytes) > 0 {
		if t.decide(f, false); f.mode == modeUnproven && t.presume(f, side) {
			t.gapUnproven(f, side, at, n, unseen)
			return
		}
	}
	if f.mode != modeUnproven {
		if f.mode == modeCut {
			t.gap(f, side, at, n, unseen)
		}
		return
	}
	u.events = append(u.events, event{side: int8(side), at: at, gap: n, unseen: unseen})
	r.segment = len(r.raw)
	r.lost += n
	r.win = Window{Bytes: r.raw[r.segment:], Seen: r.win.Seen, Began: r.win.Began, Presumed: r.win.Presumed, Even: r.win.Even, Spent: r.win.Spent}
	if t.weigh(f); len(u.events) > 4096 {
		t.decide(f, true)
	}
}

// decide asks what the connection speaks and, when that is known, replays what is held.
func (t *Cutter) decide(f *cutConn, last bool) {
	u := f.proof
	windows := [2]Window{u.sides[0].win, u.sides[1].win}
	proof := t.judge.Prove(f.conn, &windows, last)
	for i := range windows {
		w := &u.sides[i].win
		t.Spent += windows[i].Spent - w.Spent
		w.Searched, w.Tried, w.Spent = windows[i].Searched, windows[i].Tried, windows[i].Spent
		if proof.Refused[i] {
			t.refuse(f, i)
		}
	}
	if proof.Speaks == Undecided {
		if !last {
			return
		}
		proof = Proof{Speaks: Other, Fate: [2]Fate{Foreign, Foreign}}
	}
	t.hold(f, -u.held)
	for i := range u.sides {
		if proof.Speaks == Other && f.sides[i].part != nil {
			t.refuse(f, i)
		}
	}
	f.proof = nil
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
	case a == len(u.events) || b < len(u.events) && (u.events[b].at.Packet < u.events[a].at.Packet || u.events[b].at.Packet == u.events[a].at.Packet && b < a):
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
		t.Ledger.add(Skipped, u.sides[i].dropped)
		if s.part == nil {
			s.offset = u.sides[i].offset
		}
		if !s.start && s.part == nil {
			s.state, s.win = searching, &Window{}
		}
	}
	for e, more := u.next(); more; e, more = u.next() {
		side := int(e.side)
		switch {
		case e.end != 0:
			t.end(f, side, e.at, e.end)
		case e.done:
			t.judge.Lost(f.conn, side, f.sides[side].first)
			t.done(f, &f.sides[side], e.at)
		case e.gap > 0:
			t.gap(f, side, e.at, e.gap, e.unseen)
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
