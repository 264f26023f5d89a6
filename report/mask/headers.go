package mask

import (
	"encoding/binary"

	"ksniff/capture"
)

// within says where in a packet its payload lies: -1 where it does not, but was put together of fragments.
func within(data, payload []byte) (from, to int) {
	from = cap(data) - cap(payload)
	if from < 0 || from+len(payload) > len(data) {
		return -1, 0
	}
	if len(payload) > 0 && &data[from] != &payload[0] {
		return -1, 0
	}
	return from, from + len(payload)
}

// tcpStart finds the TCP header in front of a payload at offset at; -1 where it is not there.
func tcpStart(data []byte, at int, s *capture.Segment) int {
	for n := 20; n <= 60 && n <= at; n += 4 {
		b := data[at-n:]
		if int(b[12]>>4)*4 == n && binary.BigEndian.Uint16(b) == s.SrcPort && binary.BigEndian.Uint16(b[2:]) == s.DstPort &&
			binary.BigEndian.Uint32(b[4:]) == s.Seq {
			return at - n
		}
	}
	return -1
}

// checksum computes the TCP checksum of what the packet now has. Bytes that the snap length cut count as zeros.
func (h *held) checksum() {
	if h.start < 0 {
		return
	}
	s := &h.segment
	from, to := s.Src[:], s.Dst[:]
	if [12]byte(from) == [12]byte{10: 0xff, 11: 0xff} {
		from, to = from[12:], to[12:]
	}
	end := h.start + int(h.packet.Data[h.start+12]>>4)*4 + len(h.payload)
	tcp := h.packet.Data[h.start:end]
	binary.BigEndian.PutUint16(tcp[16:], 0)
	sum := addWords(addWords(6, from), to)
	sum += uint64(len(tcp) - len(h.payload) + s.Wire)
	sum = addWords(sum, tcp)
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	binary.BigEndian.PutUint16(tcp[16:], ^uint16(sum))
}

// addWords adds up bytes as 16-bit words.
func addWords(sum uint64, b []byte) uint64 {
	for ; len(b) > 1; b = b[2:] {
		sum += uint64(binary.BigEndian.Uint16(b))
	}
	if len(b) == 1 {
		sum += uint64(b[0]) << 8
	}
	return sum
}

// network finds the outermost IP header: its offset and whether there is one.
func network(link capture.LinkType, b []byte) (at int, ip bool) {
	var kind int // offset of the EtherType
	switch link {
	case capture.LinkEthernet:
		kind = 12
		for len(b) >= kind+6 && (b[kind] == 0x81 && b[kind+1] == 0 || b[kind] == 0x88 && b[kind+1] == 0xa8) {
			kind += 4
		}
		at = kind + 2
	case capture.LinkSLL:
		kind, at = 14, 16
	case capture.LinkSLL2:
		kind, at = 0, 20
	case capture.LinkNull, capture.LinkLoop:
		at = 4
		return at, len(b) > at && (b[at]>>4 == 4 || b[at]>>4 == 6)
	default:
		return 0, len(b) > 0 && (b[0]>>4 == 4 || b[0]>>4 == 6)
	}
	if len(b) <= at {
		return len(b), false
	}
	t := binary.BigEndian.Uint16(b[kind:])
	return at, t == 0x0800 || t == 0x86dd
}

// headers gives the bytes in front of what may be payload in a packet that is no TCP segment: the link layer
// and the IP header.
func headers(link capture.LinkType, b []byte) int {
	at, ip := network(link, b)
	if ip && b[at]>>4 == 6 {
		at += 40
	} else if ip {
		at += int(b[at]&15) * 4
	}
	return min(at, len(b))
}

// noOuterChecksum takes the checksum of a UDP tunnel away, as it would no longer fit: 0 means there is none.
func noOuterChecksum(link capture.LinkType, b []byte, tcp int) {
	at, ip := network(link, b)
	if !ip || len(b) < at+20 {
		return
	}
	protocol := b[at+9]
	if b[at]>>4 == 6 {
		protocol = b[at+6]
	}
	udp := headers(link, b)
	if protocol == 17 && udp+8 <= tcp {
		b[udp+6], b[udp+7] = 0, 0
	}
}
