package capture

import "fmt"

// block reads the body of a block; true if it gave a packet.
func (f *pcapng) block(r *Reader, kind uint32, b []byte, p *Packet) (bool, error) {
	switch kind {
	case blockInterface:
		return false, f.describe(r, b)
	case blockEnhanced, blockPacket:
		if len(b) < 20 {
			return false, r.fault(Damaged, nil, "pcapng packet block is too short", "")
		}
		index := f.uint32(b)
		if kind == blockPacket {
			index = uint32(f.order.Uint16(b))
		}
		i, err := f.iface(r, index)
		if err != nil {
			return false, err
		}
		captured, wire := f.uint32(b[12:]), f.uint32(b[16:])
		if uint64(captured) > uint64(len(b)-20) {
			return false, r.fault(Damaged, nil, fmt.Sprintf("pcapng packet of %d bytes in a block with %d", captured, len(b)-20), "")
		}
		fcs := i.fcs
		if options := b[20+(captured+3)&^3:]; kind == blockEnhanced && len(options) > 0 {
			if v := f.option(options, 2); len(v) == 4 && f.uint32(v)>>5&15 != 0 { // epb_flags
				fcs = int(f.uint32(v) >> 5 & 15)
			}
		}
		p.Time = i.time(uint64(f.uint32(b[4:]))<<32 | uint64(f.uint32(b[8:])))
		f.give(p, i, int(index), b[20:20+captured], wire, fcs)
		return true, nil
	case blockSimplePacket:
		if len(b) < 4 {
			return false, r.fault(Damaged, nil, "pcapng packet block is too short", "")
		}
		i, err := f.iface(r, 0)
		if err != nil {
			return false, err
		}
		wire, data := f.uint32(b), b[4:]
		if i.snap > 0 && uint64(i.snap) < uint64(len(data)) {
			data = data[:i.snap]
		}
		if uint64(wire) < uint64(len(data)) {
			data = data[:wire]
		}
		p.Time = NoTime
		f.give(p, i, 0, data, wire, i.fcs)
		return true, nil
	case blockStatistics:
		if len(b) >= 12 && uint64(f.uint32(b)) < uint64(len(f.ifaces)) {
			f.ifaces[f.uint32(b)].dropped = f.counter(b[12:], 5) + f.counter(b[12:], 7) // isb_ifdrop, isb_osdrop
		}
	case blockSecrets:
		if n := len(b); r.OnSecrets != nil && n >= 8 && uint64(f.uint32(b[4:])) <= uint64(n-8) {
			r.OnSecrets(f.uint32(b), b[8:8+f.uint32(b[4:])])
		}
	}
	return false, nil
}

func (f *pcapng) give(p *Packet, i *iface, index int, data []byte, wire uint32, fcs int) {
	p.Link, p.Iface = i.link, f.before+index
	p.set(data, wire, fcs)
	if i.link.Supported() {
		f.packets = true
	} else if len(f.strange) == 0 {
		f.strange = append(f.strange, i.link)
	}
}

func (f *pcapng) iface(r *Reader, index uint32) (*iface, error) {
	if uint64(index) >= uint64(len(f.ifaces)) {
		return nil, r.fault(Damaged, nil, fmt.Sprintf("pcapng packet of interface %d, of %d described", index, len(f.ifaces)), "")
	}
	return &f.ifaces[index], nil
}

// maxName bounds what is kept of an interface's name; systems allow 16 to 256 bytes.
const maxName = 256

// describe reads an Interface Description Block.
func (f *pcapng) describe(r *Reader, b []byte) error {
	if len(b) < 8 || len(f.ifaces) >= maxInterfaces {
		return r.fault(Damaged, nil, "pcapng interface block is too short, or one too many", "")
	}
	i := iface{link: LinkType(f.order.Uint16(b)), snap: f.uint32(b[4:]), clock: clock{exponent: 6}}
	if v := f.option(b[8:], 9); len(v) == 1 { // if_tsresol
		i.exponent, i.binary = v[0]&0x7f, v[0]&0x80 != 0
	}
	if v := f.option(b[8:], 14); len(v) == 8 { // if_tsoffset
		i.offset = int64(f.order.Uint64(v))
	}
	if v := f.option(b[8:], 13); len(v) == 1 { // if_fcslen: bits by the book, bytes in what Wireshark writes
		if i.fcs = int(v[0]); i.fcs >= 16 {
			i.fcs /= 8
		}
	}
	if v := f.option(b[8:], 2); len(v) <= maxName { // if_name
		i.name = string(v)
	}
	f.ifaces = append(f.ifaces, i)
	return nil
}

// option is the value of the first option with this code; nil without.
func (f *pcapng) option(b []byte, code uint16) []byte {
	for len(b) >= 4 {
		got, n := f.order.Uint16(b), int(f.order.Uint16(b[2:]))
		if got == 0 || n > len(b)-4 {
			return nil
		}
		if got == code {
			return b[4 : 4+n]
		}
		b = b[min(len(b), 4+(n+3)&^3):]
	}
	return nil
}

// counter is the value of an option of 8 bytes, 0 without.
func (f *pcapng) counter(b []byte, code uint16) uint64 {
	if v := f.option(b, code); len(v) == 8 {
		return f.order.Uint64(v)
	}
	return 0
}

// drops is what the statistics of this section's interfaces say was dropped.
func (f *pcapng) drops() (n uint64) {
	for i := range f.ifaces {
		n += f.ifaces[i].dropped
	}
	return n
}
