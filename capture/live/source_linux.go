package live

import (
	"errors"
	"fmt"
	"net"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"ksniff/capture"
	"ksniff/capture/bpf"
)

// Link types by the interface's hardware type (ARPHRD_*): what the first bytes of its packets are.
const (
	linkEthernet capture.LinkType = 1
	linkRaw      capture.LinkType = 101
)

// reserved is room before each packet, into which a VLAN tag goes that the kernel took out.
const reserved = 4

// wait is how long Next sleeps before it says ErrIdle, in milliseconds.
const wait = 100

// linkOf says what packets of a hardware type begin with. Tunnels (tun, wireguard) have no link layer.
func linkOf(hardware uint16) capture.LinkType {
	if hardware == unix.ARPHRD_ETHER || hardware == unix.ARPHRD_LOOPBACK {
		return linkEthernet
	}
	return linkRaw
}

// Source captures from one interface or all. It is a capture.Source whose Next may return ErrIdle.
// Counters may be called from another goroutine.
type Source struct {
	ring     *ring
	name     string
	index    int // 0: all
	loop     int // index of the loopback interface, which shows each packet twice
	number   uint64
	received atomic.Uint64
	dropped  atomic.Uint64
	downs    atomic.Uint64
}

// Open begins a capture. It needs CAP_NET_RAW, and says how to get it.
func Open(o Options) (*Source, error) {
	index := 0
	if o.Interface != Any {
		found, err := net.InterfaceByName(o.Interface)
		if err != nil {
			return nil, fmt.Errorf("no interface %q (ksniff -D lists them)", o.Interface)
		}
		index = found.Index
	}
	s := &Source{name: o.Interface, index: index}
	if loop, err := net.InterfaceByName("lo"); err == nil {
		s.loop = loop.Index
	}
	link := capture.LinkType(bpf.AnyLink)
	if index != 0 {
		link = linkOfInterface(o.Interface)
	}
	filter, err := o.program(link)
	if err != nil {
		return nil, err
	}
	size := o.Ring
	if size == 0 {
		size = defaultRing
	}
	s.ring, err = openRing(ringOptions{protocol: unix.ETH_P_ALL, index: index, size: size, filter: filter, promisc: o.Promisc,
		incoming: index != 0 && index == s.loop})
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
		return nil, fmt.Errorf("capturing on %s is not permitted: run as root, or once: sudo setcap cap_net_raw+ep $(which ksniff)", o.Interface)
	}
	if err != nil {
		return nil, fmt.Errorf("capturing on %s: %w", o.Interface, err)
	}
	return s, nil
}

// Next gives the next packet; it is valid until the call after. ErrIdle: none came for a while.
func (s *Source) Next(p *capture.Packet) error {
	for {
		header, address, data, err := s.ring.packet(wait)
		if errors.Is(err, unix.ENETDOWN) {
			if s.gone() {
				return fmt.Errorf("interface %s is gone", s.name)
			}
			s.downs.Add(1)
			return ErrIdle
		}
		if err != nil {
			return err
		}
		// What a machine sends to itself is seen on its way out and on its way in. (With "any"; for the loopback
		// interface alone the kernel leaves it out.)
		if address.Pkttype == unix.PACKET_OUTGOING && int(address.Ifindex) == s.loop {
			continue
		}
		if header.Status&unix.TP_STATUS_VLAN_VALID != 0 {
			data = s.ring.tagged(header, data)
		}
		s.number++
		*p = capture.Packet{
			Number: s.number,
			Time:   int64(header.Sec)*1e9 + int64(header.Nsec),
			Link:   linkOf(address.Hatype),
			Iface:  int(address.Ifindex),
			Wire:   int(header.Len) + len(data) - int(header.Snaplen),
			Data:   data,
		}
		return nil
	}
}

// gone says that the interface was deleted, so that nothing will come any more.
func (s *Source) gone() bool {
	found, err := net.InterfaceByName(s.name)
	return s.index != 0 && (err != nil || found.Index != s.index)
}

// Behind says that the reader does not keep up: the ring became more than half full, and is not down to an
// eighth yet.
func (s *Source) Behind() bool { return s.ring.behind }

// Counters are what was received and lost since the capture began.
func (s *Source) Counters() Counters {
	received, dropped := s.ring.counts()
	return Counters{
		Received: s.received.Add(received),
		Dropped:  s.dropped.Add(dropped),
		Downs:    s.downs.Load(),
	}
}

// Close ends the capture and gives its memory back.
func (s *Source) Close() error {
	s.ring.close()
	return nil
}

// linkOfInterface says what the packets of an interface begin with.
func linkOfInterface(name string) capture.LinkType {
	found, err := net.InterfaceByName(name)
	if err == nil && len(found.HardwareAddr) != 6 && found.Flags&net.FlagLoopback == 0 {
		return linkRaw
	}
	return linkEthernet
}
