package mask

import (
	"slices"

	"ksniff/capture"
	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

// way is one direction of a connection.
type way struct{ from, to reassembly.Endpoint }

// stream is what is known of a direction, by sequence numbers: those of packets, whatever became of them.
type stream struct {
	way     way
	open    bool    // a connection is known
	over    bool    // nothing of it will be decoded
	known   bool    // done is set
	done    uint32  // sequence number behind the last frame that was decoded
	packets int     // in the queue
	waiting []*held // those of them that wait for frames
	recent  []*chunk

	at   int64  // offset of the next byte
	edge int64  // offset of where the next frame begins; -1 where that is not known
	head []byte // the length word there, in case no more of the frame comes
}

const lengthWord = 4

// chunk is a masked frame, kept for packets that are sent again.
type chunk struct {
	stream *stream
	seq    uint32
	b      []byte
	total  int // bytes of the frame; those behind b are zeros
}

// past bounds the chunks of all streams.
type past struct {
	chunks []*chunk
	bytes  int
	limit  int
}

func (m *Masker) streamOf(c *reassembly.Conn, side int) *stream {
	return m.stream(way{c.Ends[side], c.Ends[1-side]})
}

func (m *Masker) stream(w way) *stream {
	s := m.streams[w]
	if s == nil {
		s = &stream{way: w, edge: -1}
		m.streams[w] = s
	}
	return s
}

// forget drops a stream about which there is nothing to know any more.
func (m *Masker) forget(s *stream) {
	if !s.open && s.packets == 0 && len(s.recent) == 0 {
		delete(m.streams, s.way)
	}
}

// enlist lets a packet wait for the frames in it, unless they are known.
func (m *Masker) enlist(h *held, seg *capture.Segment) {
	s := m.stream(way{reassembly.Endpoint{Addr: seg.Src, Port: seg.SrcPort}, reassembly.Endpoint{Addr: seg.Dst, Port: seg.DstPort}})
	h.stream = s
	s.packets++
	const syn, rst = 2, 4
	if seg.Flags&(syn|rst) == syn {
		s.known, s.recent = false, nil
		h.segment.Seq++
	}
	if len(h.left) == 0 {
		return
	}
	if s.known && int32(h.segment.Seq-s.done) < 0 {
		for _, c := range s.recent {
			h.put(c.seq, c.b, c.total)
		}
	}
	switch {
	case len(h.left) == 0:
	case s.over:
		m.giveUp(h)
	default:
		s.waiting = append(s.waiting, h)
	}
}

// put gives a masked frame to the packets that wait for it, and keeps it for those that come again.
func (m *Masker) put(s *stream, seq uint32, b []byte, total int) {
	rest := s.waiting[:0]
	for _, h := range s.waiting {
		if h.put(seq, b, total); len(h.left) > 0 {
			rest = append(rest, h)
		}
	}
	clear(s.waiting[len(rest):])
	s.waiting = rest
	c := &chunk{s, seq, b, total}
	s.recent = append(s.recent, c)
	p := &m.past
	p.chunks = append(p.chunks, c)
	for p.bytes += len(b) + chunkCost; p.bytes > p.limit; {
		old := p.chunks[0]
		p.chunks[0], p.chunks = nil, p.chunks[1:]
		p.bytes -= len(old.b) + chunkCost
		if o := old.stream; len(o.recent) > 0 && o.recent[0] == old {
			o.recent[0], o.recent = nil, o.recent[1:]
			m.forget(o)
		}
	}
}

const chunkCost = 100

// leave takes a packet from those that wait.
func (s *stream) leave(h *held) {
	for i, one := range s.waiting {
		if one == h {
			s.waiting = append(s.waiting[:i], s.waiting[i+1:]...)
			return
		}
	}
}

// judged notes where the last frame ends.
func (s *stream) judged(end int64, first uint32) {
	if seq := first + uint32(end); !s.known || int32(seq-s.done) > 0 {
		s.known, s.done = true, seq
	}
	if end >= s.edge {
		s.edge, s.head = end, s.head[:0]
	}
}

// pending shows the length of the frame that began at the edge and of which no more will come: what is
// decoded next, if anything, begins at offset next.
func (s *stream) pending(m *Masker, c *reassembly.Conn, side int, next int64) {
	if s.edge < 0 || s.edge >= next || len(s.head) == 0 {
		return
	}
	b := slices.Clone(s.head[:min(int64(len(s.head)), next-s.edge)])
	m.put(s, c.Seq[side]+uint32(s.edge), b, len(b))
	s.edge, s.head = -1, s.head[:0]
}

// end ends the wait of all packets of a direction.
func (s *stream) end(m *Masker) {
	for len(s.waiting) > 0 {
		m.giveUp(s.waiting[len(s.waiting)-1])
	}
}

// Streams puts the Masker between the TCP layer and a session's streams.
func (m *Masker) Streams(next reassembly.Streams) reassembly.Streams { return &tap{m, next} }

type tap struct {
	m    *Masker
	next reassembly.Streams
}

func (t *tap) Open(c *reassembly.Conn) {
	for side := range 2 {
		s := t.m.streamOf(c, side)
		s.open, s.over, s.known, s.recent = true, false, false, nil
		s.at, s.edge, s.head = 0, -1, s.head[:0]
	}
	t.next.Open(c)
}

func (t *tap) Start(c *reassembly.Conn, side int) {
	if s := t.m.streamOf(c, side); s.at == 0 {
		s.edge = 0
	}
	t.next.Start(c, side)
}

func (t *tap) Data(c *reassembly.Conn, side int, at reassembly.Moment, b []byte) {
	s := t.m.streamOf(c, side)
	off := s.at
	s.at += int64(len(b))
	t.next.Data(c, side, at, b)
	if s.over || s.edge < 0 || s.edge >= s.at || len(s.head) >= lengthWord {
		return
	}
	if from := s.edge + int64(len(s.head)) - off; from >= 0 && from < int64(len(b)) {
		b = b[from:]
		s.head = append(s.head, b[:min(len(b), lengthWord-len(s.head))]...)
	}
}

func (t *tap) Gap(c *reassembly.Conn, side int, at reassembly.Moment, n int64, unseen bool) {
	t.m.streamOf(c, side).at += n
	t.next.Gap(c, side, at, n, unseen)
}

func (t *tap) End(c *reassembly.Conn, side int, at reassembly.Moment, why reassembly.Ending) {
	t.next.End(c, side, at, why)
}

// Watch puts the Masker in front of another Watcher; nil: there is none.
func (m *Masker) Watch(next session.Watcher) session.Watcher {
	return &watch{m, next}
}

type watch struct {
	m    *Masker
	next session.Watcher
}

func (w *watch) Known(c *reassembly.Conn, what session.Speech, client int, sides *[2]reassembly.Window) {
	for side := range 2 {
		s := w.m.streamOf(c, side)
		if what != session.Kafka {
			s.over = true
			s.end(w.m)
		}
	}
	if w.next != nil {
		w.next.Known(c, what, client, sides)
	}
}

func (w *watch) Lost(c *reassembly.Conn, side int, at reassembly.Moment) {
	s := w.m.streamOf(c, side)
	s.pending(w.m, c, side, s.at)
	s.edge = -1
	if w.next != nil {
		w.next.Lost(c, side, at)
	}
}

func (w *watch) BadLength(c *reassembly.Conn, side int, at reassembly.Moment, length int32) {
	s := w.m.streamOf(c, side)
	s.edge = -1 // what is there is no frame
	if w.next != nil {
		w.next.BadLength(c, side, at, length)
	}
}

func (w *watch) Ended(c *reassembly.Conn, side int, at reassembly.Moment, why reassembly.Ending) {
	if w.next != nil {
		w.next.Ended(c, side, at, why)
	}
}

func (w *watch) Closed(c *reassembly.Conn) {
	for side := range 2 {
		s := w.m.streamOf(c, side)
		s.pending(w.m, c, side, s.at)
		s.open = false
		s.end(w.m)
		w.m.forget(s)
	}
	if w.next != nil {
		w.next.Closed(c)
	}
}
