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

// links are what tcpdump and tshark print, from the IP header on (-x) or from the link's (-xx), with where IP begins.
var links = []struct {
	kind capture.LinkType
	ip   int
}{{capture.LinkRaw, 0}, {capture.LinkEthernet, 14}, {capture.LinkSLL, 16}, {capture.LinkSLL2, 20}, {capture.LinkNull, 4}}

// packet answers the frames of a dump that is a packet with TCP in it, and says whether it is one: IP's own length tells.
func (d *decoder) packet(p *dump) bool {
	data := p.runs[0].Bytes
	for _, link := range links {
		if len(data) < link.ip+40 || !wholeIP(data[link.ip:]) {
			continue
		}
		var segment capture.Segment
		if d.packets.parser.Parse(&capture.Packet{Link: link.kind, Wire: len(data), Data: data}, &segment) {
			d.segment(p, &segment)
			return true
		}
	}
	return false
}

// wholeIP says whether b is an IP packet of just this length with TCP in it. (Ethernet pads short ones to 60 bytes.)
func wholeIP(b []byte) bool {
	switch b[0] >> 4 {
	case 4:
		n := int(binary.BigEndian.Uint16(b[2:]))
		return b[0]&15 >= 5 && b[9] == 6 && (n == len(b) || n < len(b) && len(b) <= 60-14)
	case 6:
		return int(binary.BigEndian.Uint16(b[4:])) == len(b)-40
	}
	return false
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
	return d.tree.Whole()
}

// ask remembers a request.
func (p *packets) ask(s *capture.Segment, body []byte) {
	if p.asked == nil || len(p.asked) >= maxAsked {
		p.asked = map[exchange]api{}
	}
	key, version := int16(binary.BigEndian.Uint16(body)), int16(binary.BigEndian.Uint16(body[2:]))
	p.asked[exchange{s.Src, s.Dst, s.SrcPort, s.DstPort, binary.BigEndian.Uint32(body[4:])}] = api{key, version}
}
