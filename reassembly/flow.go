package reassembly

// flow is the state of one 4-tuple: a connection, or what is left of it for a while after its end, so
// that trailing packets do not look like a new one. It is small, since there may be 100,000.
type flow struct {
	ends    [2]Endpoint
	state   state
	reset   bool // by a valid RST
	resetBy int8 // the side that sent it, and when
	resetAt Moment
	conn    *Conn // nil until the first byte or gap
	sides   [2]side

	count      uint32 // segments so far, wrapping
	hash       uint32
	seen       uint64 // packet number of the latest segment
	queued     uint64 // value of seen when it was put at its place in the list
	prev, next *flow  // in Assembler.live, Assembler.closing or Assembler.closed
}

type state uint8

const (
	open    state = iota
	closing       // reset, or closed with an unsure start: bytes in flight may follow
	over          // both sides ended
)

// side is one direction of a flow. Offsets count stream bytes from where the side was first seen.
type side struct {
	next    uint32 // sequence number of the next byte to hand out
	known   bool   // next is set
	syn     bool   // offset 0 is the first byte of the stream
	started bool   // Start was called, or need not be
	ended   bool   // End was called or would have been
	seen    bool   // a packet was captured
	unsure  bool   // off is not settled: the stream was open before and its earliest bytes may come yet
	astray  uint8  // so many segments in a row were far behind
	off     int64  // offset of next
	acked   int64  // highest offset that the other side acknowledged, or unknown
	fin     int64  // offset of the FIN, or noFin
	cut     int64  // where the segment ended that the snap length cut off at off; else not above off
	cutAt   Moment // of that segment
	last    Moment // of the latest byte handed out
	q       *queue // bytes behind a hole, nil where there is no hole
}

const (
	noFin   = int64(1)<<62 - 1
	unknown = -noFin // before any offset
)

// begin sets the sequence number of a side's first byte.
func (d *side) begin(seq uint32, syn bool) {
	d.next, d.known, d.syn = seq, true, syn
	if !syn { // bytes before it may come
		d.acked, d.cut = unknown, unknown
	}
}

// place gives the offset of a sequence number: the one nearest to the next byte.
func (d *side) place(seq uint32) int64 { return d.off + int64(int32(seq-d.next)) }

// advance moves the next byte on.
func (d *side) advance(n int64) {
	d.off += n
	d.next += uint32(n)
}

// later is the one of two moments that has the higher packet number.
func later(a, b Moment) Moment {
	if b.Packet > a.Packet {
		return b
	}
	return a
}

// flows is a list of flows in the order in which they were put in.
type flows struct {
	head, tail *flow
	n          int
}

func (l *flows) push(f *flow) {
	f.queued = f.seen
	f.prev, f.next = l.tail, nil
	if l.tail == nil {
		l.head = f
	} else {
		l.tail.next = f
	}
	l.tail = f
	l.n++
}

func (l *flows) remove(f *flow) {
	if f.prev == nil {
		l.head = f.next
	} else {
		f.prev.next = f.next
	}
	if f.next == nil {
		l.tail = f.prev
	} else {
		f.next.prev = f.prev
	}
	f.prev, f.next = nil, nil
	l.n--
}

// oldest gives a flow that no segment reached since it was put in. Those that were reached go to the
// end on the way, so that a segment need not touch the list.
func (l *flows) oldest() *flow {
	for range l.n {
		f := l.head
		if f.seen == f.queued {
			return f
		}
		l.remove(f)
		l.push(f)
	}
	return l.head
}
