package mask

import (
	"ksniff/capture"
)

// held is a packet that waits: headers as captured, payload zero until frames are put into it.
type held struct {
	packet  capture.Packet
	segment capture.Segment // without payload; Seq is that of the first payload byte
	tcp     bool
	payload []byte // in packet.Data
	start   int    // of the TCP header; -1: not found
	left    []span // of the payload, not decided
	stream  *stream
}

type span struct{ from, to int }

// heldCost is what a packet costs beside its bytes.
const heldCost = 320

func (h *held) cost() int64 { return int64(cap(h.packet.Data)) + heldCost }

// hold copies a packet.
func (m *Masker) hold(p *capture.Packet) *held {
	h := &held{}
	if n := len(m.free); n > 0 {
		h, m.free = m.free[n-1], m.free[:n-1]
	}
	data := append(h.packet.Data[:0], p.Data...)
	*h = held{packet: *p, left: h.left[:0], start: -1}
	h.packet.Data = data
	return h
}

// put takes over what a masked frame, or what else begins at seq, has for this packet: b, then zeros up to
// total bytes.
func (h *held) put(seq uint32, b []byte, total int) {
	begin := int(int32(seq - h.segment.Seq)) // where the frame begins in the payload
	end := begin + total
	if begin >= len(h.payload) || end <= 0 {
		return
	}
	left := make([]span, 0, len(h.left)+1)
	for _, s := range h.left {
		from, to := max(s.from, begin), min(s.to, end)
		if from >= to {
			left = append(left, s)
			continue
		}
		if at := from - begin; at < len(b) {
			copy(h.payload[from:to], b[at:])
		}
		if s.from < from {
			left = append(left, span{s.from, from})
		}
		if to < s.to {
			left = append(left, span{to, s.to})
		}
	}
	h.left = append(h.left[:0], left...)
}

// undecided says that a frame may still come for the packet: its connection goes on, and no frame behind it
// was decoded.
func (h *held) undecided() bool {
	s := h.stream
	return s.open && !(s.known && int32(s.done-h.segment.Seq) >= int32(len(h.payload)))
}
