package capture

import "encoding/binary"

// Stats counts packets by what came of them: each packet is in exactly one of the fields, but
// Packets has them all.
type Stats struct {
	Packets   uint64
	Segments  uint64 // TCP segments given
	NotIP     uint64 // ARP, LLC, unknown EtherTypes, …
	NotTCP    uint64 // IP, but neither TCP nor a known tunnel
	Fragments uint64 // fragments of IP packets that were not whole (yet) when they came
	Short     uint64 // cut by the snap length before the end of the TCP header
	Malformed uint64 // headers that contradict themselves
	TooDeep   uint64 // more headers one in another than anyone needs
	Link      uint64 // link types that are not read
}

// outcome is what came of a packet.
type outcome uint8

const (
	segment outcome = iota
	notIP
	notTCP
	fragment
	short
	malformed
	tooDeep
	unknownLink
)

// maxHeaders bounds the headers in front of TCP: link, tags, labels, IP, extension headers, tunnels.
const maxHeaders = 32

// Parser finds the TCP segment in a packet. It keeps fragments of IP packets in bounded memory.
// Its zero value is ready; it serves one goroutine.
type Parser struct {
	Stats Stats
	// Apart says that the payload of the last segment lies in the parser's memory, not in its packet.
	Apart bool

	walk  headers
	frags fragments
}

// Parse fills seg with the TCP segment of pkt and returns true, or returns false and counts why
// there is none. seg.Payload points into pkt.Data, or into the parser's memory where the segment
// came in IP fragments; it is valid until the next call of Parse or Next.
func (p *Parser) Parse(pkt *Packet, seg *Segment) bool {
	p.Stats.Packets++
	if pkt.Link == LinkEthernet && plain(pkt, seg) {
		p.Stats.Segments++
		p.Apart = false
		return true
	}
	tcp := p.parse(pkt, seg)
	p.Apart = p.walk.apart
	return tcp
}

// plain reads the packets that nearly all are: Ethernet, IPv4 and TCP without options (or with
// just a timestamp), whole IP packet, nothing cut. What it takes, parse takes alike.
func plain(pkt *Packet, seg *Segment) bool {
	b := pkt.Data
	if len(b) < 14+20+20 {
		return false
	}
	// EtherType IPv4 and a header without options; no fragment, protocol TCP.
	if binary.BigEndian.Uint32(b[12:])&^0xff != 0x08004500 || binary.BigEndian.Uint32(b[20:])&0x3fff00ff != protoTCP {
		return false
	}
	total := int(b[16])<<8 | int(b[17])
	if total < 40 || total > len(b)-14 {
		return false
	}
	header := 20
	if b[46] != 5<<4 {
		if b[46] != 8<<4 || total < 52 || binary.BigEndian.Uint32(b[54:]) != 0x0101080a {
			return false
		}
		header = 32
	}
	seg.Packet, seg.Time = pkt.Number, pkt.Time
	setMapped(&seg.Src, b[26:30])
	setMapped(&seg.Dst, b[30:34])
	seg.tcp(b[34:])
	seg.Wire = total - 20 - header
	seg.Payload = b[34+header : 14+total]
	return true
}

// setMapped sets an IPv4 address. It writes in the pieces in which addresses are compared: of others the processor would
// have to wait.
func setMapped(to *[16]byte, addr []byte) {
	binary.LittleEndian.PutUint64(to[:8], 0)
	binary.LittleEndian.PutUint64(to[8:], 0xffff<<16|uint64(binary.LittleEndian.Uint32(addr))<<32)
}

// mapped is the start of an IPv4 address in 16 bytes.
var mapped = [16]byte{10: 0xff, 11: 0xff}

// tcp reads the fixed part of a TCP header.
func (s *Segment) tcp(b []byte) {
	_ = b[19]
	s.SrcPort = binary.BigEndian.Uint16(b)
	s.DstPort = binary.BigEndian.Uint16(b[2:])
	s.Seq = binary.BigEndian.Uint32(b[4:])
	s.Ack = binary.BigEndian.Uint32(b[8:])
	s.Flags = b[13]
	s.Window = binary.BigEndian.Uint16(b[14:])
}

// parse reads any packet.
func (p *Parser) parse(pkt *Packet, seg *Segment) bool {
	h := &p.walk // here, since it would escape
	*h = headers{rest: rest{pkt.Data, max(pkt.Wire, len(pkt.Data))}, frags: &p.frags, pkt: pkt, seg: seg}
	step := linkStep(pkt.Link)
	if step == nil {
		p.Stats.Link++
		return false
	}
	for range maxHeaders {
		if step = step(h); step == nil {
			return p.count(h.outcome)
		}
	}
	return p.count(tooDeep)
}

func (p *Parser) count(o outcome) bool {
	s := &p.Stats
	*[...]*uint64{&s.Segments, &s.NotIP, &s.NotTCP, &s.Fragments, &s.Short, &s.Malformed, &s.TooDeep, &s.Link}[o]++
	return o == segment
}

// headers is the walk over one packet: a step reads one header, and returns the step for what
// follows it, or nil with the outcome.
type headers struct {
	rest
	frags   *fragments
	pkt     *Packet
	seg     *Segment
	outcome outcome
	apart   bool // came in fragments
}

type step func(h *headers) step

func (h *headers) end(o outcome) step {
	h.outcome = o
	return nil
}

// lacking ends the walk where a header of n bytes is not whole: cut by the snap length, or malformed.
func (h *headers) lacking(n int) step {
	if h.wire >= n {
		return h.end(short)
	}
	return h.end(malformed)
}

// rest is what is left of a packet behind the headers read so far: the captured bytes, and how many
// there were on the wire, never fewer.
type rest struct {
	data []byte
	wire int
}

// skip drops the next n captured bytes.
func (r *rest) skip(n int) {
	r.data, r.wire = r.data[n:], r.wire-n
}

// limit drops what is behind the next n bytes.
func (r *rest) limit(n int) {
	r.data, r.wire = r.data[:min(n, len(r.data))], min(n, r.wire)
}

// stepTCP ends the walk with a segment.
func stepTCP(h *headers) step {
	if len(h.data) < 20 {
		return h.lacking(20)
	}
	n := int(h.data[12]>>4) * 4
	if n < 20 || n > h.wire || !soundOptions(h.data[20:min(n, len(h.data))], n <= len(h.data)) {
		return h.end(malformed)
	}
	h.seg.Packet, h.seg.Time = h.pkt.Number, h.pkt.Time
	h.seg.tcp(h.data)
	h.seg.Wire = h.wire - n
	h.seg.Payload = h.data[min(n, len(h.data)):]
	return h.end(segment)
}

// soundOptions says whether TCP options follow one another as they must; whole says that all are there.
func soundOptions(b []byte, whole bool) bool {
	for len(b) > 0 && b[0] != 0 {
		switch {
		case b[0] == 1:
			b = b[1:]
		case len(b) < 2:
			return !whole
		case b[1] < 2:
			return false
		case int(b[1]) > len(b):
			return !whole
		default:
			b = b[b[1]:]
		}
	}
	return true
}
