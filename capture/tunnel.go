package capture

import "encoding/binary"

// stepMPLS skips one label. What the last one carries is not said: the first four bits tell.
func stepMPLS(h *headers) step {
	if len(h.data) < 5 {
		return h.lacking(5)
	}
	last := h.data[2]&1 != 0
	h.skip(4)
	switch {
	case !last:
		return stepMPLS
	case h.data[0]>>4 == 4, h.data[0]>>4 == 6:
		return stepIP
	case h.data[0]>>4 == 0 && len(h.data) >= 4: // Ethernet behind a control word (RFC 4448)
		h.skip(4)
	}
	return stepEthernet
}

// stepPPPoE reads a PPPoE session header: version and type, code, session, length.
func stepPPPoE(h *headers) step {
	if len(h.data) < 6 {
		return h.lacking(6)
	}
	if h.data[0] != 0x11 || h.data[1] != 0 {
		return h.end(notIP)
	}
	n := int(binary.BigEndian.Uint16(h.data[4:]))
	h.skip(6)
	h.limit(n)
	return stepPPP
}

// stepPPP reads the protocol of a PPP frame, in one or two bytes, perhaps behind an HDLC address.
func stepPPP(h *headers) step {
	if len(h.data) >= 2 && h.data[0] == 0xff && h.data[1] == 3 {
		h.skip(2)
	}
	if len(h.data) < 2 {
		return h.lacking(2)
	}
	n, t := 1, uint16(h.data[0])
	if t&1 == 0 {
		n, t = 2, binary.BigEndian.Uint16(h.data)
	}
	h.skip(n)
	switch t {
	case 0x21, 0x57:
		return stepIP
	case 0x281, 0x283:
		return stepMPLS
	}
	return h.end(notIP)
}

// stepCHDLC reads a Cisco HDLC header: address, control, EtherType.
func stepCHDLC(h *headers) step { return h.tag(4) }

// stepGRE reads a GRE header (RFC 2784, 2890, 2637) with its optional checksum, key, sequence and
// acknowledgement numbers.
func stepGRE(h *headers) step {
	if len(h.data) < 4 {
		return h.lacking(4)
	}
	flags, t := binary.BigEndian.Uint16(h.data), binary.BigEndian.Uint16(h.data[2:])
	if flags&0x4000 != 0 || flags&7 > 1 { // source routes were never used
		return h.end(malformed)
	}
	n := 4
	for _, bit := range [...]uint16{0x8000, 0x2000, 0x1000} {
		if flags&bit != 0 {
			n += 4
		}
	}
	if flags&7 == 1 && flags&0x80 != 0 {
		n += 4
	}
	switch t {
	case 0x88be: // ERSPAN: type I has no header, type II has one and a sequence number
		t = 0x6558
		if flags&0x1000 != 0 {
			n += 8
		}
	case 0x22eb: // ERSPAN type III: 12 bytes, and 8 more where the last bit says so
		t = 0x6558
		n += 12
		if len(h.data) < n {
			return h.lacking(n)
		}
		if h.data[n-1]&1 != 0 {
			n += 8
		}
	}
	return h.inside(n, t)
}

// inside goes on behind a tunnel's header of n bytes, with what its EtherType says; up to 1500 it is a length.
func (h *headers) inside(n int, t uint16) step {
	if len(h.data) < n {
		return h.lacking(n)
	}
	h.skip(n)
	if t <= 1500 {
		return h.end(notIP)
	}
	return h.etherType(t)
}

// stepUDP looks for tunnels on their ports: VXLAN (also on Linux' old port) and Geneve.
func stepUDP(h *headers) step {
	if len(h.data) < 8 {
		return h.lacking(8)
	}
	port, n := binary.BigEndian.Uint16(h.data[2:]), int(binary.BigEndian.Uint16(h.data[4:]))
	if n >= 8 {
		h.limit(n)
	}
	switch port {
	case 4789, 8472:
		h.skip(8)
		return stepVXLAN
	case 6081:
		h.skip(8)
		return stepGeneve
	}
	return h.end(notTCP)
}

// stepVXLAN reads a VXLAN header (RFC 7348), which carries Ethernet.
func stepVXLAN(h *headers) step {
	if len(h.data) < 8 {
		return h.lacking(8)
	}
	if h.data[0]&8 == 0 {
		return h.end(notTCP)
	}
	h.skip(8)
	return stepEthernet
}

// stepGeneve reads a Geneve header (RFC 8926): length of the options in 4 bytes, EtherType.
func stepGeneve(h *headers) step {
	if len(h.data) < 8 {
		return h.lacking(8)
	}
	if h.data[0]>>6 != 0 {
		return h.end(notTCP)
	}
	n, t := 8+int(h.data[0]&0x3f)*4, binary.BigEndian.Uint16(h.data[2:])
	return h.inside(n, t)
}
