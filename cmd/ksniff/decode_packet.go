package main

import (
	"encoding/binary"
	"errors"

	"ksniff/capture"
	"ksniff/decode"
)

// packets remembers requests in packets, so that answers below them can be read.
type packets struct {
	parser capture.Parser
	asked  map[exchange]api
}

// exchange is a request's or, with its ends changed over, its answer's.
type exchange struct {
	from, to         [16]byte
	fromPort, toPort uint16
	correlation      uint32
}

type api struct{ key, version int16 }

// maxAsked bounds how many requests are remembered.
const maxAsked = 1 << 16

// links are what tcpdump and tshark print, from the IP header on (-x) or from the link's (-xx): where IP begins, and
// the EtherType that says so (-1: none). Ethernet is there with and without a VLAN.
var links = []struct {
	kind      capture.LinkType
	ip, proto int
}{{capture.LinkRaw, 0, -1}, {capture.LinkEthernet, 14, 12}, {capture.LinkEthernet, 18, 16}, {capture.LinkSLL, 16, 14}, {capture.LinkSLL2, 20, 0}}

// packet answers the frames of a dump that is an IP packet, and says whether it is one. What is no TCP has none.
func (d *decoder) packet(p *dump) bool {
	data := p.runs[0].Bytes
	for _, link := range links {
		length := lengthIP(data, link.ip, link.proto)
		if length == 0 {
			continue
		}
		var segment capture.Segment
		if d.packets.parser.Parse(&capture.Packet{Link: link.kind, Wire: link.ip + length, Data: data}, &segment) {
			d.segment(p, &segment)
		}
		return true
	}
	return false
}

// lengthIP is the length of the IP packet at an offset, 0 where there is none: it is what is there (Ethernet pads to 60
// bytes), or more where the snap length cut it. No frame of Kafka begins like one: 0x45 and more would be an API or a
// length that nobody has.
func lengthIP(data []byte, at, proto int) (length int) {
	if len(data) < at+20 {
		return 0
	}
	b, version := data[at:], data[at]>>4
	if proto >= 0 && binary.BigEndian.Uint16(data[proto:]) != map[byte]uint16{4: 0x0800, 6: 0x86dd}[version] {
		return 0
	}
	switch {
	case version == 4 && b[0]&15 >= 5:
		length = int(binary.BigEndian.Uint16(b[2:]))
	case version == 6 && len(b) >= 40:
		length = 40 + int(binary.BigEndian.Uint16(b[4:]))
	}
	if length < len(b) && len(data) > 60 {
		return 0
	}
	return length
}

// segment answers the frames of a segment's payload.
func (d *decoder) segment(p *dump, s *capture.Segment) {
	for rest := s.Payload; len(rest) > 0; {
		q := question{line: p.line}
		if len(rest) < 8 {
			d.answer(&q, errors.New("the packet ends within the first bytes of a frame; ksniff frames reads whole captures"))
			return
		}
		length := int(int32(binary.BigEndian.Uint32(rest)))
		body := rest[4:min(len(rest), max(4, 4+length))]
		id := binary.BigEndian.Uint32(rest[4:])
		a, answered := d.packets.asked[exchange{s.Dst, s.Src, s.DstPort, s.SrcPort, id}]
		switch {
		case length < 4 || length > maxDump:
			d.answer(&q, errors.New("the packet does not begin with a frame; ksniff frames reads whole captures"))
			return
		case answered:
			q.Kind, q.Key, q.Version = "response", &a.key, &a.version
		case d.isRequest(body, length):
			q.Kind = "request"
			d.packets.ask(s, body)
		default:
			d.answer(&q, errors.New("the packet has no request in it, nor an answer to one above; ksniff frames reads whole captures"))
			return
		}
		q.body, q.length = body, length
		d.answer(&q, nil)
		rest = rest[4+len(body):]
	}
}

// isRequest says whether a frame in a packet is a request, and no answer that begins like one.
func (d *decoder) isRequest(body []byte, length int) bool {
	if len(body) < 8 || !knownRequest(body) {
		return false
	}
	if h, _, _ := decode.ParseRequestHeader(body); len(h.ClientID) > 0 {
		return true
	}
	d.tree.Decode(decode.Frame{Length: length, Runs: []decode.Run{{Off: 0, Bytes: body}}, Missing: length > len(body)},
		int16(binary.BigEndian.Uint16(body)), int16(binary.BigEndian.Uint16(body[2:])), decode.Request)
	_, faulty := d.tree.Fault()
	return !faulty
}

// ask remembers a request.
func (p *packets) ask(s *capture.Segment, body []byte) {
	if p.asked == nil || len(p.asked) >= maxAsked {
		p.asked = map[exchange]api{}
	}
	key, version := int16(binary.BigEndian.Uint16(body)), int16(binary.BigEndian.Uint16(body[2:]))
	p.asked[exchange{s.Src, s.Dst, s.SrcPort, s.DstPort, binary.BigEndian.Uint32(body[4:])}] = api{key, version}
}
