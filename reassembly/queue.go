package reassembly

import (
	"bytes"
	"math/bits"
	"slices"
)

// block is a run of stream bytes that came before the bytes in front of it.
type block struct {
	off   int64
	after int64 // offset in the other side's stream that its sender had received
	cut   int64 // where it ended before the snap length cut it; unknown where it did not
	at    Moment
	b     []byte

	// When the wait for the bytes in front of it began: it came or, later, they were proven.
	proven bool
	since  mark
}

// mark is a point in the capture, in the units of the bounds in wait.go.
type mark struct {
	packet uint64
	time   int64
	count  uint32 // segments of the connection
}

func (b *block) end() int64 { return b.off + int64(len(b.b)) }

// queue holds what a side has behind its first hole: blocks by offset, that do not overlap.
type queue struct {
	f      *flow
	dir    int
	blocks []*block
	size   int64 // bytes of memory
	proved int   // the first so many blocks have bytes in front that are proven

	list       *queues // Assembler.proven or Assembler.unproven
	prev, next *queue
}

// Buffers are of powers of two; longer segments become several blocks.
const (
	minClass, maxClass = 8, 16 // 256 bytes, 64 KiB
	blockCost          = 64    // of a block beside its bytes
)

// buffers lends memory for blocks and takes it back.
type buffers struct {
	free   [maxClass + 1][]*block
	queues []*queue
	lent   int64 // bytes in use
	kept   int64 // bytes in free
	limit  int64 // of both, set by the caller; lent may be above it until blocks come back
}

func classOf(n int) int { return max(minClass, bits.Len(uint(n-1))) }

func costOf(b *block) int64 { return int64(cap(b.b)) + blockCost }

// take copies p into a block.
func (m *buffers) take(p []byte) *block {
	c := classOf(len(p))
	var b *block
	if n := len(m.free[c]); n > 0 {
		b, m.free[c] = m.free[c][n-1], m.free[c][:n-1]
		m.kept -= costOf(b)
	} else {
		m.makeRoom(1<<c + blockCost)
		b = &block{b: make([]byte, 0, 1<<c)}
	}
	*b = block{b: append(b.b[:0], p...)}
	m.lent += costOf(b)
	return b
}

func (m *buffers) give(b *block) {
	c := classOf(cap(b.b))
	if m.lent > m.limit { // more than there should be: this one goes
		m.lent -= costOf(b)
		return
	}
	m.lent -= costOf(b)
	m.kept += costOf(b)
	m.free[c] = append(m.free[c], b)
}

// makeRoom leaves free blocks to the collector until need more bytes can be had.
func (m *buffers) makeRoom(need int64) {
	for c := range m.free {
		for n := len(m.free[c]); n > 0 && m.lent+m.kept+need > m.limit; n-- {
			m.kept -= costOf(m.free[c][n-1])
			m.free[c][n-1] = nil
			m.free[c] = m.free[c][:n-1]
		}
	}
}

func (m *buffers) queue(f *flow, dir int) *queue {
	q := &queue{}
	if n := len(m.queues); n > 0 {
		q, m.queues = m.queues[n-1], m.queues[:n-1]
	}
	*q = queue{f: f, dir: dir, blocks: q.blocks[:0]}
	return q
}

func (m *buffers) putQueue(q *queue) {
	q.f = nil
	if len(m.queues) < 64 && cap(q.blocks) <= 1024 {
		m.queues = append(m.queues, q)
	}
}

// insert puts what is new of p into q: like gives what the new blocks have in common. It returns how
// many bytes were there before, and whether one of them was another byte.
func (m *buffers) insert(q *queue, off int64, like block, p []byte) (repeated int64, conflict bool) {
	acked, end := q.f.sides[q.dir].acked, off+int64(len(p))
	i, _ := slices.BinarySearchFunc(q.blocks, off, func(b *block, off int64) int {
		if b.end() <= off {
			return -1
		}
		return 1
	})
	for len(p) > 0 {
		n := len(p)
		if i < len(q.blocks) {
			old := q.blocks[i]
			if old.off <= off { // the first copy wins
				from := int(off - old.off)
				n = min(n, len(old.b)-from)
				conflict = conflict || !bytes.Equal(old.b[from:from+n], p[:n])
				repeated += int64(n)
				off, p = off+int64(n), p[n:]
				i++
				continue
			}
			n = int(min(int64(n), old.off-off))
		}
		n = min(n, 1<<maxClass)
		b := m.take(p[:n])
		b.off, b.after, b.at, b.since, b.cut = off, like.after, like.at, like.since, unknown
		if i > 0 && q.blocks[i-1].cut >= off+int64(n) { // sent again, as in data
			b.at = q.blocks[i-1].at
		}
		if off+int64(n) == end {
			b.cut = like.cut
		}
		if b.proven = off <= acked; b.proven {
			q.proved++
		}
		q.size += costOf(b)
		q.blocks = slices.Insert(q.blocks, i, b)
		off, p = off+int64(n), p[n:]
		i++
	}
	return repeated, conflict
}

// queues is a list of queues in the order in which their waits began.
type queues struct{ head, tail *queue }

func (l *queues) push(q *queue) {
	q.list, q.prev, q.next = l, l.tail, nil
	if l.tail == nil {
		l.head = q
	} else {
		l.tail.next = q
	}
	l.tail = q
}

func (l *queues) remove(q *queue) {
	if q.prev == nil {
		l.head = q.next
	} else {
		q.prev.next = q.next
	}
	if q.next == nil {
		l.tail = q.prev
	} else {
		q.next.prev = q.prev
	}
	q.list, q.prev, q.next = nil, nil, nil
}
