package capture

import (
	"bytes"
	"net/netip"
	"slices"
	"testing"
)

func parseOne(link LinkType, data []byte) (Segment, Stats, bool) {
	var p Parser
	var s Segment
	ok := p.Parse(&Packet{Number: 3, Time: 4, Link: link, Wire: len(data), Data: data}, &s)
	return s, p.Stats, ok
}

func TestEncapsulations(t *testing.T) {
	for _, c := range encapsulated() {
		s, stats, ok := parseOne(c.link, c.data)
		if !ok {
			t.Errorf("%s: no segment: %+v", c.name, stats)
			continue
		}
		src, dst := netip.AddrFrom16(s.Src).Unmap().String(), netip.AddrFrom16(s.Dst).Unmap().String()
		if !(src == "10.0.0.1" && dst == "10.0.0.2") && !(src == "fd00::1" && dst == "fd00::2") {
			t.Errorf("%s: %s → %s", c.name, src, dst)
		}
		if string(s.Payload) != "hello" || s.Wire != 5 || s.SrcPort != 1000 || s.DstPort != 9092 || s.Seq != 7 || s.Ack != 9 ||
			s.Flags != 0x18 || s.Window != 512 || s.Packet != 3 || s.Time != 4 || stats != (Stats{Packets: 1, Segments: 1}) {
			t.Errorf("%s: %+v, %+v", c.name, s, stats)
		}
		// Whatever is cut off, nothing is made up: either the same segment with less payload, or none.
		for n := range c.data {
			var p Parser
			var cut Segment
			if p.Parse(&Packet{Link: c.link, Wire: len(c.data), Data: c.data[:n:n]}, &cut) &&
				(!bytes.HasPrefix([]byte("hello"), cut.Payload) || cut.Wire != 5 || cut.Seq != 7 || cut.Src != s.Src) {
				t.Errorf("%s cut to %d: %+v", c.name, n, cut)
			}
		}
	}
}

func TestNoSegment(t *testing.T) {
	tcp := tcpBytes("hello")
	v4 := ip4(6, tcp)
	changed := func(b []byte, at int, v ...byte) []byte {
		b = slices.Clone(b)
		copy(b[at:], v)
		return b
	}
	tag := func(b []byte) []byte { return be(uint16(0x8100), uint16(5), b) }
	for _, c := range []struct {
		name string
		link LinkType
		data []byte
		want Stats
	}{
		{"empty", LinkEthernet, nil, Stats{Malformed: 1}},
		{"arp", LinkEthernet, ether(0x0806, make([]byte, 28)), Stats{NotIP: 1}},
		{"spanning tree", LinkEthernet, ether(38, make([]byte, 46)), Stats{NotIP: 1}},
		{"cooked netlink", LinkSLL, make([]byte, 60), Stats{NotIP: 1}},
		{"udp", LinkRaw, ip4(17, be(uint16(53), uint16(53), uint16(12), uint16(0), "abcd")), Stats{NotTCP: 1}},
		{"icmp", LinkRaw, ip4(1, make([]byte, 8)), Stats{NotTCP: 1}},
		{"esp", LinkRaw, ip6(50, make([]byte, 30)), Stats{NotTCP: 1}},
		{"no next header", LinkRaw, ip6(59, make([]byte, 30)), Stats{NotTCP: 1}},
		{"version 9", LinkEthernet, ether(0x0800, changed(v4, 0, 0x95)), Stats{Malformed: 1}},
		{"header length 4", LinkRaw, changed(v4, 0, 0x41), Stats{Malformed: 1}},
		{"header length 60", LinkRaw, changed(v4, 0, 0x4f), Stats{Malformed: 1}},
		{"total length 10", LinkRaw, changed(v4, 2, 0, 10), Stats{Malformed: 1}},
		{"total length 65535", LinkRaw, changed(v4, 2, 0xff, 0xff), Stats{Malformed: 1}},
		{"ipv6 length 65535", LinkRaw, changed(ip6(6, tcp), 4, 0xff, 0xff), Stats{Malformed: 1}},
		{"tcp offset 0", LinkRaw, changed(v4, 32, 0), Stats{Malformed: 1}},
		{"tcp offset 60", LinkRaw, changed(v4, 32, 0xf0), Stats{Malformed: 1}},
		{"tcp option of length 0", LinkRaw, ip4(6, changed(tcpBytes("\x03\x00\x08\x00hello"), 12, 6<<4)), Stats{Malformed: 1}},
		{"gre source route", LinkRaw, ip4(47, be(uint16(0x4000), uint16(0x0800), v4)), Stats{Malformed: 1}},
		{"empty fragment", LinkRaw, ip4Fragment(6, 1, 0x2000, nil), Stats{Malformed: 1}},
		{"200 tags", LinkEthernet, be(macs, repeat(200, tag, be(uint16(0x0800), v4))), Stats{TooDeep: 1}},
		{"200 tunnels", LinkRaw, repeat(200, func(b []byte) []byte { return ip4(4, b) }, v4), Stats{TooDeep: 1}},
		{"link 9999", 9999, v4, Stats{Link: 1}},
	} {
		_, got, ok := parseOne(c.link, c.data)
		c.want.Packets = 1
		if ok || got != c.want {
			t.Errorf("%s: %v, %+v, want %+v", c.name, ok, got, c.want)
		}
	}
}

// A tap that slices packets says that they were short on the wire; the IP header knows better.
func TestSlicedPacket(t *testing.T) {
	b := ether(0x0800, ip4(6, tcpBytes("hello world")))
	s, stats, ok := parseOne(LinkEthernet, b[:len(b)-6])
	if !ok || string(s.Payload) != "hello" || s.Wire != 11 {
		t.Errorf("%v %+v %+v", ok, s, stats)
	}
}

// The fast path gives what the general one gives, for any change of any byte.
func TestPlainEqualsGeneral(t *testing.T) {
	options := tcpBytes(string([]byte{1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2}) + "hello")
	options[12] = 8 << 4
	taken := 0
	for _, good := range [][]byte{ether(0x0800, ip4(6, tcpBytes("hello"))), ether(0x0800, ip4(6, options)), append(ether(0x0800, ip4(6, tcpBytes(""))), 0, 0, 0, 0, 0, 0)} {
		for at := range good {
			for v := range 256 {
				b := slices.Clone(good)
				b[at] = byte(v)
				for _, data := range [][]byte{b, b[:len(b)-3]} {
					pkt := Packet{Link: LinkEthernet, Wire: len(b), Data: data}
					var fast, slow Segment
					if !plain(&pkt, &fast) {
						continue
					}
					taken++
					var p Parser
					if !p.parse(&pkt, &slow) || !equal(fast, slow) {
						t.Fatalf("byte %d = %d: %+v, %+v", at, v, fast, slow)
					}
				}
			}
		}
	}
	if taken < 10000 {
		t.Fatalf("only %d packets took the fast path", taken)
	}
}

func equal(a, b Segment) bool {
	same := bytes.Equal(a.Payload, b.Payload)
	a.Payload, b.Payload = nil, nil
	return same && a.Packet == b.Packet && a.Time == b.Time && a.Src == b.Src && a.Dst == b.Dst &&
		a.SrcPort == b.SrcPort && a.DstPort == b.DstPort && a.Seq == b.Seq && a.Ack == b.Ack && a.Flags == b.Flags &&
		a.Window == b.Window && a.Wire == b.Wire
}

func TestParseAllocatesNothing(t *testing.T) {
	var p Parser
	var s Segment
	tcp := tcpBytes("hello")
	packets := []Packet{
		{Link: LinkEthernet, Data: ether(0x0800, ip4(6, tcp))},
		{Link: LinkEthernet, Data: ether(0x8100, be(uint16(5), uint16(0x86dd), ip6(6, tcp)))},
		{Link: LinkRaw, Data: ip4Fragment(6, 9, 0x2000, tcp[:24])},
		{Link: LinkRaw, Data: ip4Fragment(6, 9, 3, tcp[24:])},
	}
	if n := testing.AllocsPerRun(1000, func() {
		for i := range packets {
			packets[i].Time += 1e9
			p.Parse(&packets[i], &s)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkParsePlain(b *testing.B) {
	benchmarkParse(b, LinkEthernet, ether(0x0800, ip4(6, tcpBytes("hello"))))
}

func BenchmarkParseVLAN6(b *testing.B) {
	benchmarkParse(b, LinkEthernet, ether(0x8100, be(uint16(5), uint16(0x86dd), ip6(6, tcpBytes("hello")))))
}

func benchmarkParse(b *testing.B, link LinkType, data []byte) {
	pkt := Packet{Link: link, Wire: len(data), Data: data}
	var p Parser
	var s Segment
	b.ReportAllocs()
	for b.Loop() {
		if !p.Parse(&pkt, &s) {
			b.Fatal(p.Stats)
		}
	}
}
