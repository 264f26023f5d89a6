package capture

import (
	"encoding/binary"
	"fmt"
	"io"
)

// pcapFormat is what the magic number of a pcap file says.
type pcapFormat struct {
	order  binary.ByteOrder
	nanos  bool
	record int // bytes of a record header
}

// pcapMagics are the magic numbers, read little-endian. 0xa1b2cd34 is the variant of patched
// libpcaps of the nineties, with 8 more bytes in each record header.
var pcapMagics = map[uint32]pcapFormat{
	0xa1b2c3d4: {binary.LittleEndian, false, 16},
	0xd4c3b2a1: {binary.BigEndian, false, 16},
	0xa1b23c4d: {binary.LittleEndian, true, 16},
	0x4d3cb2a1: {binary.BigEndian, true, 16},
	0xa1b2cd34: {binary.LittleEndian, false, 24},
	0x34cdb2a1: {binary.BigEndian, false, 24},
}

const pcapHeader = 24

// pcap reads the records of a pcap file.
type pcap struct {
	big    bool
	unit   int64 // nanoseconds of the fraction's unit
	record int
	fcs    int // bytes of frame check sequence that end each packet
	link   LinkType
	plain  bool // as nearly all files are, see next
}

func (r *Reader) openPcap(f pcapFormat) error {
	head, err := r.plain.peek(pcapHeader)
	if len(head) < pcapHeader {
		return r.fault(Unreadable, err, fmt.Sprintf("cut in the file header: %d of %d bytes are there", len(head), pcapHeader), "")
	}
	// The link type is 16 bits; the four highest count the FCS in 16-bit words if bit 26 says so.
	field := f.order.Uint32(head[20:])
	p := &pcap{big: f.order == binary.BigEndian, unit: 1000, record: f.record, link: LinkType(field & 0xffff)}
	if f.nanos {
		p.unit = 1
	}
	if field&(1<<26) != 0 {
		p.fcs = int(field>>28) * 2
	}
	if !p.link.Supported() {
		return r.unsupported(p.link)
	}
	p.plain = !p.big && p.record == 16 && p.fcs == 0
	r.plain.start += pcapHeader
	r.format = p
	return nil
}

func (r *Reader) unsupported(link LinkType) error {
	return r.fault(Unsupported, nil, fmt.Sprintf("unsupported link type %d", uint32(link)),
		"Ethernet, Linux cooked, raw IP, BSD loopback, PPP and MPLS are read")
}

// next reads a record. Those that nearly all are, whole ones of the common byte order in memory, it reads as any does.
func (f *pcap) next(r *Reader, p *Packet) error {
	w := r.plain
	b := w.buf[w.start:w.end]
	if len(b) < 16 || !f.plain {
		return f.any(r, p)
	}
	captured, wire := binary.LittleEndian.Uint32(b[8:]), binary.LittleEndian.Uint32(b[12:])
	n := 16 + int(captured)
	if captured-1 >= maxPacket || wire < captured || wire > maxPacket || n > len(b) {
		return f.any(r, p)
	}
	p.Time = int64(binary.LittleEndian.Uint32(b))*1e9 + int64(binary.LittleEndian.Uint32(b[4:]))*f.unit
	p.Link, p.Iface, p.Data, p.Wire = f.link, 0, b[16:n:n], int(wire)
	w.start += n
	return nil
}

// any reads any record.
func (f *pcap) any(r *Reader, p *Packet) error {
record:
	w := r.plain
	b := w.buf[w.start:w.end] // nearly always the whole packet, and more
	if len(b) < f.record {
		var err error
		if b, err = w.peek(f.record); err != nil {
			if len(b) == 0 && err == io.EOF {
				return io.EOF
			}
			return r.cut(err, len(b), f.record)
		}
	}
	var sec, frac, captured, wire uint32
	if f.big {
		sec, frac = binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])
		captured, wire = binary.BigEndian.Uint32(b[8:]), binary.BigEndian.Uint32(b[12:])
	} else {
		sec, frac = binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
		captured, wire = binary.LittleEndian.Uint32(b[8:]), binary.LittleEndian.Uint32(b[12:])
	}
	if captured == 0 && f.another(b) {
		if err := r.openPcap(pcapMagics[binary.LittleEndian.Uint32(b)]); err != nil {
			return err
		}
		f = r.format.(*pcap)
		goto record
	}
	if captured > maxPacket {
		return r.fault(Damaged, nil, fmt.Sprintf("record header says %d captured bytes, more than any packet has", captured), "")
	}
	n := f.record + int(captured)
	if len(b) < n {
		var err error
		if b, err = w.peek(n); err != nil {
			return r.cut(err, len(b), n)
		}
	}
	p.Time = int64(sec)*1e9 + int64(frac)*f.unit
	p.Link, p.Iface = f.link, 0
	p.set(b[f.record:n:n], wire, f.fcs)
	w.start += n
	return nil
}

// another says whether a file header stands where a record should: captures put together with cat. As a
// record it would have no bytes, a time of 2055 or later, and the file version 2.4 as its fraction.
func (f *pcap) another(b []byte) bool {
	format, is := pcapMagics[binary.LittleEndian.Uint32(b)]
	return is && format.order.Uint16(b[4:]) == 2 && format.order.Uint16(b[6:]) == 4
}

// cut is the error for a source that ends inside a packet.
func (r *Reader) cut(cause error, have, need int) error {
	return r.fault(Cut, cause, fmt.Sprintf("cut in a packet: %d of %d bytes are there", have, need), "")
}

// set sets data and length on the wire, without the last fcs bytes. A length on the wire that
// cannot be is taken as the captured one.
func (p *Packet) set(data []byte, wire uint32, fcs int) {
	n := int(wire)
	if wire > maxPacket || n < len(data) {
		n = len(data)
	}
	if fcs > 0 && n > fcs {
		n -= fcs
		data = data[:min(len(data), n)]
	}
	p.Data, p.Wire = data, n
}
