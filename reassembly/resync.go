package reassembly

// searchWindow bounds what is held of a stream while the next frame is searched.
const searchWindow = 256 << 10

// grow adds bytes of a packet to the window that is searched; inside says that the packet began before them.
func (t *Cutter) grow(f *cutConn, s *cutSide, at Moment, b []byte, inside bool) {
	w := s.win
	before := w.size()
	if w.Bytes == nil {
		w.Bytes = t.buffer(0)
	}
	w.Marks = append(w.Marks, Mark{len(w.Bytes), inside, at})
	w.Bytes = append(w.Bytes, b...)
	w.Seen += int64(len(b))
	t.hold(f, w.size()-before)
}

// search looks for the next frame in the window of a side and goes on with it.
func (t *Cutter) search(f *cutConn, side int, last bool) {
	s := &f.sides[side]
	w := s.win
	if len(w.Bytes) == 0 {
		return
	}
	if last = last || len(w.Bytes) >= searchWindow; !last && !w.due() {
		return
	}
	before := w.Spent
	n, found := t.judge.Find(f.conn, side, w, last)
	t.Spent += w.Spent - before
	if !found {
		if last && len(w.Bytes) >= searchWindow {
			n = max(n, len(w.Bytes)/2)
		}
		if n >= len(w.Bytes) || n >= 4<<10 {
			t.drop(f, s, n)
		}
		return
	}
	t.Ledger.add(Skipped, int64(n))
	s.offset += int64(n)
	s.win, s.state = nil, atBoundary
	t.hold(f, -w.size())
	for at, b := range w.packets(n) {
		t.cut(f, side, at, b)
	}
	t.release(w.Bytes)
}

// searchLast searches a window that will not grow, until nothing more is found in it.
func (t *Cutter) searchLast(f *cutConn, side int) {
	s := &f.sides[side]
	for s.state == searching && len(s.win.Bytes) > 0 {
		w, n := s.win, len(s.win.Bytes)
		if t.search(f, side, true); s.win == w && len(w.Bytes) == n {
			return
		}
	}
}

// drop skips the first n bytes of the window that is searched.
func (t *Cutter) drop(f *cutConn, s *cutSide, n int) {
	t.Ledger.add(Skipped, int64(n))
	s.offset += int64(n)
	s.win.drop(n)
	if len(s.win.Bytes) == 0 {
		t.freeWindow(f, s)
		s.win = &Window{Seen: s.win.Seen, Spent: s.win.Spent}
	}
}

// freeWindow gives the buffer of a window back.
func (t *Cutter) freeWindow(f *cutConn, s *cutSide) {
	t.hold(f, -s.win.size())
	t.release(s.win.Bytes)
	s.win.Bytes, s.win.Marks = nil, nil
}

// drop forgets the first n bytes.
func (w *Window) drop(n int) {
	if n <= 0 {
		return
	}
	w.Bytes = w.Bytes[:copy(w.Bytes, w.Bytes[n:])]
	w.Start = false
	w.Searched, w.Tried = max(0, w.Searched-n), max(0, w.Tried-n)
	w.moveMarks(n)
}

// moveMarks moves the marks with the bytes, the first n of which are gone.
func (w *Window) moveMarks(n int) {
	marks := w.Marks[:0]
	for i, m := range w.Marks {
		last := i+1 == len(w.Marks) || w.Marks[i+1].Off > n
		if m.Off >= n || last && len(w.Bytes) > 0 {
			marks = append(marks, Mark{max(0, m.Off-n), m.Inside || m.Off < n, m.At})
		}
	}
	w.Marks = marks
}
