package capture

import "encoding/binary"

// IP protocol numbers.
const (
	protoHopByHop = 0
	protoIPv4     = 4
	protoTCP      = 6
	protoUDP      = 17
	protoIPv6     = 41
	protoRouting  = 43
	protoFragment = 44
	protoGRE      = 47
	protoAH       = 51
	protoOptions  = 60
	protoMobility = 135
	protoHIP      = 139
	protoShim6    = 140
	protoMPLS     = 137
)

func stepIP(h *headers) step {
	if len(h.data) < 1 {
		return h.lacking(1)
	}
	switch h.data[0] >> 4 {
	case 4:
		return stepIPv4
	case 6:
		return stepIPv6
	}
	return h.end(malformed)
}

func stepIPv4(h *headers) step {
	b := h.data
	if len(b) < 20 {
		return h.lacking(20)
	}
	n, total := int(b[0]&15)*4, int(binary.BigEndian.Uint16(b[2:]))
	switch {
	case b[0]>>4 != 4 || n < 20:
		return h.end(malformed)
	case total == 0: // filled in by the network card, behind the capture point
		total = h.wire
	case total < n:
		return h.end(malformed)
	}
	if len(b) < n {
		return h.lacking(n)
	}
	if total > h.wire {
		// Packets that a switch or a tap has sliced claim to have been short on the wire. The
		// length in the header is believed if the header's checksum proves it.
		if checksum(b[:n]) != 0 {
			return h.end(malformed)
		}
		h.wire = total
	}
	h.limit(total)
	h.seg.Src, h.seg.Dst = mapped, mapped
	copy(h.seg.Src[12:], b[12:16])
	copy(h.seg.Dst[12:], b[16:20])
	h.skip(n)
	place := binary.BigEndian.Uint16(b[6:])
	if place&0x3fff != 0 {
		return h.fragment(uint32(b[9])<<16|uint32(binary.BigEndian.Uint16(b[4:])), b[9], place&0x1fff, place&0x2000 != 0)
	}
	return h.protocol(b[9])
}

// checksum is IPv4's; 0 over a header that is right.
func checksum(b []byte) uint16 {
	var sum uint32
	for ; len(b) > 1; b = b[2:] {
		sum += uint32(binary.BigEndian.Uint16(b))
	}
	sum = sum&0xffff + sum>>16
	return ^uint16(sum + sum>>16)
}

func stepIPv6(h *headers) step {
	b := h.data
	if len(b) < 40 {
		return h.lacking(40)
	}
	if b[0]>>4 != 6 {
		return h.end(malformed)
	}
	length := int(binary.BigEndian.Uint16(b[4:]))
	copy(h.seg.Src[:], b[8:24])
	copy(h.seg.Dst[:], b[24:40])
	h.skip(40)
	if length > h.wire {
		return h.end(malformed)
	}
	if length > 0 { // 0: filled in by the network card, or a jumbogram
		h.limit(length)
	}
	return h.protocol(b[6])
}

// protocol is the step for what follows an IP or extension header with this protocol number.
func (h *headers) protocol(n byte) step {
	switch n {
	case protoTCP:
		return stepTCP
	case protoUDP:
		return stepUDP
	case protoIPv4:
		return stepIPv4
	case protoIPv6:
		return stepIPv6
	case protoGRE:
		return stepGRE
	case protoMPLS:
		return stepMPLS
	case protoFragment:
		return stepFragment
	case protoHopByHop, protoRouting, protoOptions, protoMobility, protoHIP, protoShim6:
		return stepExtension
	case protoAH:
		return stepAH
	}
	return h.end(notTCP)
}

// stepExtension skips an IPv6 extension header: next protocol, length in 8 bytes less one.
func stepExtension(h *headers) step { return h.extension(8, 1) }

// stepAH skips an authentication header: next protocol, length in 4 bytes less two.
func stepAH(h *headers) step { return h.extension(4, 2) }

func (h *headers) extension(unit, less int) step {
	if len(h.data) < 8 {
		return h.lacking(8)
	}
	next, n := h.data[0], (int(h.data[1])+less)*unit
	if len(h.data) < n {
		return h.lacking(n)
	}
	h.skip(n)
	return h.protocol(next)
}

// stepFragment reads the fragment header of IPv6.
func stepFragment(h *headers) step {
	if len(h.data) < 8 {
		return h.lacking(8)
	}
	next, place, id := h.data[0], binary.BigEndian.Uint16(h.data[2:]), binary.BigEndian.Uint32(h.data[4:])
	h.skip(8)
	if place&^6 == 0 { // the only fragment
		return h.protocol(next)
	}
	return h.fragment(id, next, place>>3, place&1 != 0)
}
