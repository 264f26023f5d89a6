package bpf

import (
	"encoding/binary"
	"fmt"

	"golang.org/x/net/bpf"
)

// link says where a link type has its protocol and what is behind it.
type link struct {
	name     string
	protocol uint32 // offset of the protocol field
	size     int    // its bytes; 0: the IP version tells
	network  uint32 // offset of the network header
	types    map[uint16][]uint32
	tags     bool // VLAN tags
	kernel   bool // the kernel knows protocol and network header
}

// AnyLink stands for packets of several link types on one socket (the interface "any"). Programs for it run in
// the kernel only, which knows where the network header is (SKF_NET_OFF) and what protocol it has.
const AnyLink = 1<<32 - 1

const networkOffset = 0xfff00000 // SKF_NET_OFF

const (
	etherIPv4 = 0x0800
	etherIPv6 = 0x86dd
	etherARP  = 0x0806
	etherRARP = 0x8035
)

// families are BSD's address families, in the byte order of the machine that captured: of Linux,
// Windows, NetBSD, FreeBSD and macOS.
var families = map[uint16][]uint32{etherIPv4: both(2), etherIPv6: both(10, 23, 24, 28, 30), etherARP: nil, etherRARP: nil}

func both(values ...uint32) (all []uint32) {
	for _, v := range values {
		all = append(all, v, binary.BigEndian.Uint32(binary.LittleEndian.AppendUint32(nil, v)))
	}
	return all
}

var ppp = map[uint16][]uint32{etherIPv4: {0x21}, etherIPv6: {0x57}}

// links are the link types that filters are compiled for, by their number in pcap files.
var links = map[uint32]link{
	0:   {name: "BSD loopback", size: 4, network: 4, types: families},
	1:   {name: "Ethernet", protocol: 12, size: 2, network: 14, tags: true},
	9:   {name: "PPP", protocol: 2, size: 2, network: 4, types: ppp},
	12:  {name: "raw IP"},
	14:  {name: "raw IP"},
	50:  {name: "PPP in HDLC", protocol: 2, size: 2, network: 4, types: ppp},
	101: {name: "raw IP"},
	104: {name: "Cisco HDLC", protocol: 2, size: 2, network: 4},
	108: {name: "OpenBSD loopback", size: 4, network: 4, types: families},
	113: {name: "Linux cooked v1", protocol: 14, size: 2, network: 16},
	228: {name: "raw IPv4"},
	229: {name: "raw IPv6"},
	276: {name: "Linux cooked v2", protocol: 0, size: 2, network: 20},

	AnyLink: {name: "any interface", protocol: networkOffset - 2, size: 2, network: networkOffset, tags: true, kernel: true},
}

func linkOf(number uint32) (link, error) {
	l, ok := links[number]
	if !ok {
		return l, fmt.Errorf("filters are not compiled for link type %d", number)
	}
	return l, nil
}

// is says that a packet is of this EtherType; shift is the length of the tags in front.
func (l link) is(etherType uint16, shift uint32) node {
	if l.kernel && shift == 0 {
		return extension{what: bpf.ExtProto, value: uint32(etherType)}
	}
	if l.size == 0 {
		version := map[uint16]uint32{etherIPv4: 0x40, etherIPv6: 0x60}[etherType]
		switch {
		case version == 0, l.name == "raw IPv4" && version == 0x60, l.name == "raw IPv6" && version == 0x40:
			return constant(false)
		case l.name != "raw IP":
			return constant(true)
		}
		return field{at: 0, size: 1, mask: 0xf0, test: bpf.JumpEqual, value: version}
	}
	values, listed := l.types[etherType]
	if !listed {
		values = []uint32{uint32(etherType)}
	}
	n := node(constant(false))
	for _, v := range values {
		n = or(n, field{at: l.protocol + shift, size: l.size, test: bpf.JumpEqual, value: v})
	}
	return n
}
