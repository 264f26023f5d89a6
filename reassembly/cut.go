package reassembly

import "encoding/binary"

// Cutter cuts ordered streams into length-delimited frames. It implements Streams; what a frame is,
// its Judge says. A frame that lies within one packet is handed on without a copy; of others only
// wanted bytes are kept.
type Cutter struct {
	Ledger Ledger
	// Evictions counts how often the bytes held for a connection were given up for the memory limit.
	Evictions int64
	Spent     int64 // what searching cost in all: see Window.Spent

	judge Judge
	limit int64   // of held
	held  int64   // bytes of buffers in use
	old   cutConn // ring of the flows that hold bytes, the oldest next to it
	least int     // lengths from here
	most  int     // to here are plausible anywhere
	frame *Frame  // where frames that lie in one piece are set
	run   [1]Run
	parts []*part  // to use again
	spare [][]byte // buffers to use again
	large [][]byte // the same, of large frames
	idle  int64    // bytes of these
}

// NewCutter makes a Cutter that holds no more than limit bytes of unfinished frames and unproven
// connections (0: 64 MiB).
func NewCutter(judge Judge, limit int64) *Cutter {
	if limit <= 0 {
		limit = 64 << 20
	}
	t := &Cutter{judge: judge, limit: limit, frame: &Frame{}, most: -1}
	t.old.newer, t.old.older = &t.old, &t.old
	return t
}

// Into says where to set frames that lie in one piece, so that a Judge has them where it needs them: all of it
// is set anew for each one.
func (t *Cutter) Into(f *Frame) { t.frame = f }

// Usual says that lengths from least to most are plausible at each boundary of each connection: the Judge is not asked.
func (t *Cutter) Usual(least, most int) { t.least, t.most = least, most }

// cutConn is what is known of a connection.
type cutConn struct {
	conn  *Conn
	mode  cutMode
	fate  [2]Fate // of bytes that are not cut
	sides [2]cutSide
	proof *unproven // until it is proven
	held  int64
	older *cutConn
	newer *cutConn
	ended [2]bool
}

type cutMode uint8

const (
	modeUnproven cutMode = iota
	modeCut
	modeOther
)

// cutSide is what is known of one direction of a cut connection.
type cutSide struct {
	state  cutState
	start  bool // the next byte is the first of the stream
	nhead  uint8
	head   [4]byte // the bytes of a length word that are there: nhead
	offset int64   // in the stream, of the next byte; gaps count
	first  Moment  // packet with the first byte of the frame
	part   *part   // inside a frame
	win    *Window
}

type cutState uint8

const (
	atBoundary cutState = iota
	inFrame
	searching
)

// Open implements Streams.
func (t *Cutter) Open(c *Conn) {
	f := &cutConn{conn: c, proof: &unproven{}}
	c.User = f
	t.weigh(f)
	t.judge.Open(c)
}

// Start implements Streams.
func (t *Cutter) Start(c *Conn, side int) {
	f := c.User.(*cutConn)
	s := &f.sides[side]
	if s.start = s.offset == 0; !s.start {
		return
	}
	switch {
	case f.mode == modeUnproven:
		f.proof.sides[side].win.Start = f.proof.sides[side].win.Seen == 0
	case s.state == searching && s.win.Seen == 0:
		s.state, s.win = atBoundary, nil
	}
}

// Data implements Streams.
func (t *Cutter) Data(c *Conn, side int, at Moment, b []byte) {
	f := c.User.(*cutConn)
	switch f.mode {
	case modeCut:
		// The common case, as cut would take it: a segment is a frame.
		if s := &f.sides[side&1]; s.state == atBoundary && s.nhead == 0 && len(b) >= 4 {
			if n := len(b) - 4; n == int(binary.BigEndian.Uint32(b)) && n >= t.least && n <= t.most {
				t.whole(f, s, side, at, at, b[4:])
				return
			}
		}
		t.cut(f, side, at, b)
	case modeOther:
		t.Ledger.add(f.fate[side], int64(len(b)))
	default:
		t.prove(f, side, at, b)
	}
	if t.held > t.limit {
		t.evict()
	}
}

// Gap implements Streams.
func (t *Cutter) Gap(c *Conn, side int, at Moment, n int64, unseen bool) {
	f := c.User.(*cutConn)
	t.Ledger.Gap += n
	switch f.mode {
	case modeCut:
		t.gap(f, side, at, n, unseen)
	case modeUnproven:
		t.gapUnproven(f, side, at, n, unseen)
	}
}

// End implements Streams.
func (t *Cutter) End(c *Conn, side int, at Moment, why Ending) {
	f := c.User.(*cutConn)
	if f.ended[side] {
		return
	}
	f.ended[side] = true
	if f.mode == modeUnproven {
		f.proof.events = append(f.proof.events, event{side: int8(side), at: at, end: why})
		f.proof.sides[side].win.Ended, f.proof.sides[side].win.Closed = true, why == Fin || why == Rst
		if f.ended[1-side] {
			t.decide(f, true)
			t.judge.Close(c)
		}
		return
	}
	t.end(f, side, at, why)
	if f.ended[1-side] {
		t.hold(f, -f.held)
		t.judge.Close(c)
	}
}

// end finishes what a side of a proven connection has begun.
func (t *Cutter) end(f *cutConn, side int, at Moment, why Ending) {
	if f.mode == modeCut {
		s := &f.sides[side]
		t.searchLast(f, side)
		switch s.state {
		case atBoundary:
			t.Ledger.add(Pending, int64(s.nhead))
			s.nhead = 0
		case inFrame:
			s.part.frame.Cut = true
			t.done(f, s, at)
		case searching:
			t.Ledger.add(Skipped, int64(len(s.win.Bytes)))
			t.freeWindow(f, s)
		}
		s.state = atBoundary
	}
	t.judge.End(f.conn, side, at, why)
}

// cut takes the next bytes of a proven connection.
func (t *Cutter) cut(f *cutConn, side int, at Moment, b []byte) {
	s, all := &f.sides[side], len(b)
	for len(b) > 0 {
		switch s.state {
		case atBoundary:
			b = t.boundary(f, side, at, b)
		case inFrame:
			b = t.inside(f, s, at, b)
		case searching:
			t.grow(f, s, at, b, len(b) < all)
			t.search(f, side, false)
			return
		}
	}
}

// boundary begins the frame that begins with b, and returns the bytes after it.
func (t *Cutter) boundary(f *cutConn, side int, at Moment, b []byte) []byte {
	s := &f.sides[side]
	if s.nhead == 0 {
		s.first = at
	}
	var length int32
	if s.nhead == 0 && len(b) >= 4 {
		length = int32(binary.BigEndian.Uint32(b))
		if len(b)-4 >= int(length) && t.plausible(f, side, length) {
			t.whole(f, s, side, s.first, at, b[4:4+length])
			return b[4+length:]
		}
		copy(s.head[:], b)
		s.nhead = 4
		b = b[4:]
	} else {
		n := copy(s.head[s.nhead:], b)
		s.nhead += uint8(n)
		b = b[n:]
		if s.nhead < 4 {
			return nil
		}
		length = int32(s.head[0])<<24 | int32(s.head[1])<<16 | int32(s.head[2])<<8 | int32(s.head[3])
	}
	s.nhead = 0
	if !t.plausible(f, side, length) {
		t.lose(f, side, at)
		t.Ledger.add(Skipped, 1)
		s.offset++
		t.grow(f, s, s.first, s.head[1:], true)
		return b
	}
	if len(b) >= int(length) {
		t.whole(f, s, side, s.first, at, b[:length])
		return b[length:]
	}
	t.begin(f, side, int(length))
	return b
}

// plausible says whether a frame of this length can begin here.
func (t *Cutter) plausible(f *cutConn, side int, length int32) bool {
	return int(length) >= t.least && int(length) <= t.most || t.judge.Plausible(f.conn, side, length)
}

// whole hands on a frame that lies in one piece.
func (t *Cutter) whole(f *cutConn, s *cutSide, side int, first, at Moment, body []byte) {
	t.run[0].Off, t.run[0].Bytes = 0, body
	// Field by field: a literal is made aside and copied in larger pieces, for which the processor waits.
	g := t.frame
	g.Conn, g.Side, g.Offset, g.Length, g.Runs = f.conn, side, s.offset, len(body), t.run[:]
	g.First.Packet, g.First.Time = first.Packet, first.Time
	g.Last.Packet, g.Last.Time = at.Packet, at.Time
	g.Missing, g.Cut, g.Dropped, g.Unseen = 0, false, false, false
	s.offset += 4 + int64(len(body))
	t.Ledger.add(t.judge.Whole(g), 4+int64(len(body)))
}

// lose leaves the boundary: what follows must be searched.
func (t *Cutter) lose(f *cutConn, side int, at Moment) {
	s := &f.sides[side]
	s.state = searching
	s.win = &Window{}
	t.judge.Lost(f.conn, side, at)
}

// gap takes a hole in a proven connection.
func (t *Cutter) gap(f *cutConn, side int, at Moment, n int64, unseen bool) {
	s := &f.sides[side]
	if s.state == inFrame {
		n = t.gapInside(f, s, at, n, unseen)
		if n == 0 {
			return
		}
	}
	switch s.state {
	case atBoundary:
		t.Ledger.add(Pending, int64(s.nhead))
		s.offset += int64(s.nhead)
		s.nhead = 0
		t.lose(f, side, at)
	case searching:
		t.searchLast(f, side)
		if s.state != searching { // a frame with the gap in it was found
			t.gap(f, side, at, n, unseen)
			return
		}
		t.drop(f, s, len(s.win.Bytes))
		t.judge.Lost(f.conn, side, at)
	}
	s.offset += n
}

// hold accounts for n more bytes of buffers of a flow.
func (t *Cutter) hold(f *cutConn, n int64) {
	t.held += n
	f.held += n
	if f.newer != nil && (f.held <= 0 || n > 0) {
		f.older.newer, f.newer.older = f.newer, f.older
		f.older, f.newer = nil, nil
	}
	if f.held > 0 && f.newer == nil {
		f.newer, f.older = &t.old, t.old.older
		f.older.newer, t.old.older = f, f
	}
}

// evict gives up the bytes of the flows that have waited longest, until the rest fits.
func (t *Cutter) evict() {
	for t.held > t.limit && t.old.newer != &t.old {
		f := t.old.newer
		t.Evictions++
		if f.mode == modeUnproven {
			t.decide(f, true)
		}
		for i := range f.sides {
			s := &f.sides[i]
			if s.part != nil {
				t.giveUp(f, s)
			}
			if s.state == searching {
				t.drop(f, s, len(s.win.Bytes))
				s.win.Bytes = nil
			}
		}
		t.hold(f, -f.held)
	}
}

// A buffer larger than smallBuffer is kept only while the large ones take no more than a quarter of the limit.
const smallBuffer = 256 << 10

// buffer lends an empty buffer for about n bytes.
func (t *Cutter) buffer(n int) []byte {
	if last := len(t.large) - 1; n > smallBuffer && last >= 0 {
		b := t.large[last]
		t.large = t.large[:last]
		t.idle -= int64(cap(b))
		return b[:0]
	}
	if last := len(t.spare) - 1; last >= 0 {
		b := t.spare[last]
		t.spare = t.spare[:last]
		return b[:0]
	}
	return nil
}

// release takes a buffer back.
func (t *Cutter) release(b []byte) {
	switch n := cap(b); {
	case n == 0:
	case n <= smallBuffer && len(t.spare) < 16:
		t.spare = append(t.spare, b)
	case n > smallBuffer && t.idle+int64(n) <= t.limit/4:
		t.large = append(t.large, b)
		t.idle += int64(n)
	}
}
