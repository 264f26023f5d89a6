package mask

import (
	"encoding/binary"
	"math"

	"ksniff/capture"
	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

// Masker takes each packet before its segment is put in order, and as session.Sink the frames that come of
// it. It writes the packets masked, in their order.
type Masker struct {
	Counts Counts

	cfg     Config
	next    session.Sink
	out     func(p *capture.Packet, s *capture.Segment, tcp bool) error
	err     error
	queue   []*held // in the order of the capture
	bytes   int64   // of queue
	free    []*held
	streams map[way]*stream
	past    past
	left    int   // bytes that the batches of this frame may still decompress to
	now     int64 // the latest time of a packet
}

// New makes a Masker that hands frames on to next and masked packets to out. It needs a session that keeps
// all bytes (session.Config.Whole) and tells it of connections (Watch).
func New(cfg Config, next session.Sink, out func(p *capture.Packet, s *capture.Segment, tcp bool) error) *Masker {
	if cfg.Memory <= 0 {
		cfg.Memory = defaultMemory
	}
	m := &Masker{cfg: cfg, next: next, out: out, streams: map[way]*stream{}, now: math.MinInt64}
	m.past.limit = int(cfg.Memory / 4)
	return m
}

// Take takes the next packet, and its segment where it is TCP.
func (m *Masker) Take(p *capture.Packet, s *capture.Segment, tcp bool) {
	if p.Time != capture.NoTime {
		m.now = max(m.now, p.Time)
	}
	m.settle()
	h := m.hold(p)
	at, end := -1, 0
	if tcp {
		at, end = within(p.Data, s.Payload)
	}
	if at < 0 {
		clear(h.packet.Data[headers(p.Link, h.packet.Data):])
		h.tcp = false
	} else {
		clear(h.packet.Data[at:])
		h.segment, h.tcp, h.payload = *s, true, h.packet.Data[at:end]
		h.segment.Payload = nil
		h.start = tcpStart(h.packet.Data, at, s)
		noOuterChecksum(p.Link, h.packet.Data, h.start)
		if len(h.payload) > 0 {
			h.left = append(h.left[:0], span{0, len(h.payload)})
		}
		m.enlist(h, s)
	}
	m.queue = append(m.queue, h)
	m.bytes += h.cost()
}

// Idle writes what need not wait any more at a time, by the clock of the packets.
func (m *Masker) Idle(now int64) {
	m.now = max(m.now, now)
	m.settle()
}

// Flush writes all that waits: the capture is over.
func (m *Masker) Flush() error {
	for len(m.queue) > 0 {
		m.giveUp(m.queue[0])
		m.release()
	}
	return m.err
}

// Frame implements session.Sink.
func (m *Masker) Frame(f *session.Frame) {
	s := m.streamOf(f.Conn, f.Side)
	masked := m.frame(f)
	s.pending(m, f.Conn, f.Side, f.Offset)
	b := binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(masked)), uint32(f.Length))
	m.put(s, f.Conn.Seq[f.Side]+uint32(f.Offset), append(b, masked...), 4+f.Length)
	s.judged(f.Offset+4+int64(f.Length), f.Conn.Seq[f.Side])
	m.next.Frame(f)
}

// Unanswered implements session.Sink.
func (m *Masker) Unanswered(c *reassembly.Conn, r *session.Request, why session.Why) {
	m.next.Unanswered(c, r, why)
}

// settle writes the packets at the front that wait for nothing, or waited long enough.
func (m *Masker) settle() {
	for len(m.queue) > 0 {
		h := m.queue[0]
		if len(h.left) > 0 {
			waited := h.packet.Time != capture.NoTime && m.now-h.packet.Time > m.cfg.Wait
			if m.bytes <= m.cfg.Memory && (m.cfg.Wait == 0 || !waited) {
				return
			}
			if h.undecided() {
				m.Counts.Early++
			}
			m.giveUp(h)
		}
		m.release()
	}
}

// giveUp ends the wait of a packet: what is not decided stays zero.
func (m *Masker) giveUp(h *held) {
	for _, left := range h.left {
		m.Counts.Zeroed += int64(left.to - left.from)
	}
	h.left = h.left[:0]
	if h.stream != nil {
		h.stream.leave(h)
	}
}

// release writes the packet at the front.
func (m *Masker) release() {
	h := m.queue[0]
	m.queue[0] = nil
	m.queue = m.queue[1:]
	m.bytes -= h.cost()
	if h.tcp && len(h.payload) > 0 {
		h.checksum()
	}
	if m.err == nil {
		m.Counts.Packets++
		m.err = m.out(&h.packet, &h.segment, h.tcp)
	}
	if h.stream != nil {
		h.stream.packets--
		m.forget(h.stream)
	}
	if len(m.free) < 1024 && cap(h.packet.Data) <= 64<<10 {
		m.free = append(m.free, h)
	}
}

var _ session.Sink = (*Masker)(nil)
