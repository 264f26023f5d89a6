package capture

import "encoding/binary"

// linkStep is the step that reads a link type's header; nil where the type is unknown.
func linkStep(l LinkType) step {
	switch l {
	case LinkEthernet:
		return stepEthernet
	case LinkSLL:
		return stepSLL
	case LinkSLL2:
		return stepSLL2
	case LinkRaw, LinkRaw12, LinkRaw14, LinkIPv4, LinkIPv6:
		return stepIP
	case LinkNull, LinkLoop:
		return stepLoopback
	case LinkPPP, LinkPPPHDLC:
		return stepPPP
	case LinkCHDLC:
		return stepCHDLC
	case LinkMPLS:
		return stepMPLS
	}
	return nil
}

func stepEthernet(h *headers) step {
	if len(h.data) < 14 {
		return h.lacking(14)
	}
	t := binary.BigEndian.Uint16(h.data[12:])
	h.skip(14)
	return h.etherType(t)
}

// etherType is the step for what follows an EtherType field. Values up to 1500 are the length of an
// 802.3 frame.
func (h *headers) etherType(t uint16) step {
	switch t {
	case 0x0800, 0x86dd:
		return stepIP
	case 0x8100, 0x88a8, 0x9100, 0x9200: // 802.1Q, 802.1ad and their forerunners
		return stepVLAN
	case 0x8847, 0x8848:
		return stepMPLS
	case 0x8864:
		return stepPPPoE
	case 0x6558: // Transparent Ethernet Bridging
		return stepEthernet
	case 0x880b:
		return stepPPP
	case 0x893f: // 802.1BR E-TAG: 6 bytes, then an EtherType
		return stepETag
	}
	if t <= 1500 {
		h.limit(int(t))
		return stepLLC
	}
	return h.end(notIP)
}

func stepVLAN(h *headers) step { return h.tag(4) }
func stepETag(h *headers) step { return h.tag(8) }

// tag skips a tag of n bytes, the EtherType behind it included.
func (h *headers) tag(n int) step {
	if len(h.data) < n {
		return h.lacking(n)
	}
	t := binary.BigEndian.Uint16(h.data[n-2:])
	h.skip(n)
	return h.etherType(t)
}

// stepLLC reads an 802.2 header; only SNAP with an EtherType can carry IP.
func stepLLC(h *headers) step {
	if len(h.data) < 8 {
		return h.end(notIP)
	}
	if [6]byte(h.data) != [6]byte{0xaa, 0xaa, 3} {
		return h.end(notIP)
	}
	t := binary.BigEndian.Uint16(h.data[6:])
	h.skip(8)
	if t <= 1500 {
		return h.end(notIP)
	}
	return h.etherType(t)
}

// stepSLL reads a Linux cooked header, version 1: protocol in the last two of 16 bytes.
func stepSLL(h *headers) step {
	if len(h.data) < 16 {
		return h.lacking(16)
	}
	t := binary.BigEndian.Uint16(h.data[14:])
	h.skip(16)
	return h.cooked(t)
}

// stepSLL2 reads a Linux cooked header, version 2: protocol in the first two of 20 bytes.
func stepSLL2(h *headers) step {
	if len(h.data) < 20 {
		return h.lacking(20)
	}
	t := binary.BigEndian.Uint16(h.data)
	h.skip(20)
	return h.cooked(t)
}

// cooked is the step for what follows a protocol field of Linux, where values below 1536 are Linux' own.
func (h *headers) cooked(t uint16) step {
	switch {
	case t == 4: // ETH_P_802_2
		return stepLLC
	case t <= 1500:
		return h.end(notIP)
	}
	return h.etherType(t)
}

// stepLoopback reads BSD's address family, which is in either byte order.
func stepLoopback(h *headers) step {
	if len(h.data) < 4 {
		return h.lacking(4)
	}
	family := binary.LittleEndian.Uint32(h.data)
	if family > 0xffff {
		family = binary.BigEndian.Uint32(h.data)
	}
	h.skip(4)
	switch family {
	case 2, 10, 23, 24, 28, 30: // AF_INET, and AF_INET6 of Linux, Windows and the BSDs
		return stepIP
	}
	return h.end(notIP)
}
