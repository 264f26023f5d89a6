package bpf

import (
	"encoding/binary"
	"net/netip"

	"golang.org/x/net/bpf"
)

// direction is which of the two ends a primitive is about.
type direction uint8

const (
	eitherEnd direction = iota
	source
	destination
	bothEnds
)

// ends joins what holds for the source and for the destination.
func (d direction) ends(src, dst node) node {
	switch d {
	case source:
		return src
	case destination:
		return dst
	case bothEnds:
		return and(src, dst)
	}
	return or(src, dst)
}

// where is the place of the headers for one primitive: the link type, and the tags before them.
type where struct {
	link
	shift uint32
}

// at is the offset of a byte of the network header.
func (w where) at(offset uint32) uint32 { return w.network + w.shift + offset }

func (w where) is(etherType uint16) node { return w.link.is(etherType, w.shift) }

func (w where) equal(offset uint32, size int, value uint32) node {
	return field{at: w.at(offset), size: size, test: bpf.JumpEqual, value: value}
}

// IP protocol numbers.
const (
	icmp  = 1
	tcp   = 6
	udp   = 17
	icmp6 = 58
	sctp  = 132
)

// carries4 and carries6 say that IPv4 or IPv6 carries this protocol; with IPv6 also behind a
// fragment header.
func (w where) carries4(protocol uint32) node {
	return and(w.is(etherIPv4), w.equal(9, 1, protocol))
}

func (w where) carries6(protocol uint32) node {
	return and(w.is(etherIPv6), or(w.equal(6, 1, protocol), and(w.equal(6, 1, 44), w.equal(40, 1, protocol))))
}

// ports says that TCP, UDP or SCTP ports lie in a range.
func (w where) ports(protocols []uint32, d direction, low, high uint16) node {
	var is4, is6 node = constant(false), constant(false)
	for _, p := range protocols {
		is4, is6 = or(is4, w.equal(9, 1, p)), or(is6, w.equal(6, 1, p))
	}
	in := func(f field) node {
		f.size = 2
		if low == high {
			f.test, f.value = bpf.JumpEqual, uint32(low)
			return f
		}
		least, most := f, f
		least.test, least.value = bpf.JumpGreaterOrEqual, uint32(low)
		most.test, most.value = bpf.JumpLessOrEqual, uint32(high)
		return and(least, most)
	}
	six := and(w.is(etherIPv6), is6, d.ends(in(field{at: w.at(40)}), in(field{at: w.at(42)})))
	first := not(field{at: w.at(6), size: 2, test: bpf.JumpBitsSet, value: 0x1fff})
	four := and(w.is(etherIPv4), is4, first,
		d.ends(in(field{header: true, base: w.at(0), at: 0}), in(field{header: true, base: w.at(0), at: 2})))
	return or(six, four)
}

// addresses says that addresses lie in a network; protocol is "ip", "ip6", "arp", "rarp" or empty.
func (w where) addresses(protocol string, d direction, network netip.Prefix) node {
	if network.Addr().Is6() {
		return and(w.is(etherIPv6), d.ends(w.in6(8, network), w.in6(24, network)))
	}
	ends := func(src, dst uint32) node {
		return d.ends(w.in(src, network.Addr().AsSlice(), network.Bits()), w.in(dst, network.Addr().AsSlice(), network.Bits()))
	}
	var arp node = constant(false)
	if protocol == "" || protocol == "arp" {
		arp = or(arp, w.is(etherARP))
	}
	if protocol == "" || protocol == "rarp" {
		arp = or(arp, w.is(etherRARP))
	}
	n := and(arp, ends(14, 24))
	if protocol == "" || protocol == "ip" {
		n = or(and(w.is(etherIPv4), ends(12, 16)), n)
	}
	return n
}

// in says that the first bits of four bytes are those of an address.
func (w where) in(offset uint32, address []byte, bits int) node {
	if bits <= 0 {
		return constant(true)
	}
	f := field{at: w.at(offset), size: 4, test: bpf.JumpEqual, value: binary.BigEndian.Uint32(address)}
	if bits < 32 {
		f.mask = ^uint32(0) << (32 - bits)
	}
	return f
}

func (w where) in6(offset uint32, network netip.Prefix) node {
	n := node(constant(true))
	address := network.Addr().AsSlice()
	for i := range 4 {
		n = and(n, w.in(offset+uint32(4*i), address[4*i:], network.Bits()-32*i))
	}
	return n
}

// tag says that the packet has a VLAN tag here; id is negative for any.
func (w where) tag(id int) node {
	n := or(w.is(0x8100), w.is(0x88a8), w.is(0x9100))
	if id < 0 {
		return n
	}
	return and(n, field{at: w.at(0), size: 2, mask: 0xfff, test: bpf.JumpEqual, value: uint32(id)})
}

// stripped says the same of a tag that the kernel has taken out of the packet.
func stripped(id int) node {
	if id < 0 {
		return constant(true)
	}
	return extension{what: bpf.ExtVLANTag, mask: 0xfff, value: uint32(id)}
}
