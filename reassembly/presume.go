package reassembly

import "encoding/binary"

// A frame in mid-stream that is larger than what is held, or lacks bytes, cannot be looked at as a whole. Where one
// seems to begin it is presumed: read as if it were proven, so that no more of it is kept than is needed, and handed
// on only when what follows it proves it.

// presume begins the frame that seems to begin in the window of a side, and drops what is before it.
func (t *Cutter) presume(f *cutConn, side int) bool {
	u, s := f.proof, &f.sides[side]
	r := &u.sides[side]
	if r.win.Start || s.part != nil {
		return false
	}
	off, ok := t.judge.Presume(f.conn, side, &r.win)
	if !ok {
		return false
	}
	w := r.win
	s.start, s.first, s.offset = false, w.First(off), r.offset+int64(r.segment+off)+r.lost
	t.begin(f, side, int(binary.BigEndian.Uint32(w.Bytes[off:])))
	for at, b := range w.packets(off + 4) {
		t.inside(f, s, at, b)
	}
	r.forget(off)
	u.drop(side)
	t.release(r.raw)
	r.raw = nil
	t.weigh(f)
	return true
}

// presuming says whether the next bytes of a side are in a presumed frame.
func (t *Cutter) presuming(f *cutConn, side int) bool {
	p := f.sides[side].part
	return p != nil && p.pos < p.frame.Length
}

// presumed takes bytes within a presumed frame and returns those after it.
func (t *Cutter) presumed(f *cutConn, side int, at Moment, b []byte) []byte {
	b = t.inside(f, &f.sides[side], at, b)
	if !t.presuming(f, side) {
		t.presumedEnd(f, side, at, len(b) == 0)
	}
	return b
}

// presumedGap takes a hole within a presumed frame and returns how much of it lies after the frame.
func (t *Cutter) presumedGap(f *cutConn, side int, at Moment, n int64, unseen bool) int64 {
	n = t.gapInside(f, &f.sides[side], at, n, unseen)
	if !t.presuming(f, side) {
		t.presumedEnd(f, side, at, n == 0)
	}
	return n
}

// presumedEnd puts a presumed frame that has ended before the window of its side.
func (t *Cutter) presumedEnd(f *cutConn, side int, at Moment, even bool) {
	u, p := f.proof, f.sides[side].part
	u.events = append(u.events, event{side: int8(side), at: at, done: true})
	if p.next == 0 && len(p.carry) == p.frame.Length {
		p.frame.Runs = append(p.frame.Runs[:0], Run{Off: 0, Bytes: p.carry})
	}
	w := &u.sides[side].win
	w.Presumed, w.Adjoins, w.Even = &p.frame, true, even
	if even {
		t.decide(f, false)
	}
}

// refuse gives up a presumed frame: its bytes are like those before it.
func (t *Cutter) refuse(f *cutConn, side int) {
	s, r := &f.sides[side], &f.proof.sides[side]
	p := s.part
	if p == nil {
		return
	}
	t.judge.Forget(&p.frame)
	r.dropped += int64(4 + p.pos - p.frame.Missing)
	r.offset += int64(4 + p.pos)
	r.win.Presumed = nil
	t.free(f, s)
	events := f.proof.events[:0]
	for _, e := range f.proof.events {
		if int(e.side) != side || !e.done {
			events = append(events, e)
		}
	}
	f.proof.events = events
}
