package capture

import (
	"encoding/binary"
	"fmt"
	"io"
)

// Block types (draft-ietf-opsawg-pcapng).
const (
	blockSection      = 0x0a0d0d0a
	blockInterface    = 1
	blockPacket       = 2 // obsolete
	blockSimplePacket = 3
	blockStatistics   = 5
	blockEnhanced     = 6
	blockSecrets      = 10
)

// maxInterfaces bounds the interfaces of one section.
const maxInterfaces = 1 << 16

// pcapng reads the blocks of a pcapng file: sections, each with a byte order and interfaces of its own.
type pcapng struct {
	order   binary.ByteOrder
	big     bool
	ifaces  []iface    // of this section
	before  int        // interfaces of the sections before
	packets bool       // a packet of a link type that is read was given
	strange []LinkType // the first link type that is not read, if any was met
	dropped uint64     // by the interfaces of the sections before
}

// iface is what an Interface Description Block says.
type iface struct {
	name    string
	link    LinkType
	snap    uint32
	fcs     int
	dropped uint64
	clock
}

func (r *Reader) openPcapng() error {
	f := &pcapng{}
	head, err := r.plain.peek(12)
	if err != nil {
		return r.fault(Unreadable, err, "cut in the section header", "")
	}
	if !f.section(head) {
		return r.fault(Unreadable, nil, fmt.Sprintf("pcapng with byte-order magic % x", head[8:]), "")
	}
	f.ifaces = nil
	r.format = f
	return nil
}

func (f *pcapng) next(r *Reader, p *Packet) error {
	for {
		block, err := f.peekBlock(r)
		if err != nil || block == nil {
			return err
		}
		given, err := f.block(r, f.uint32(block), block[8:len(block)-4], p)
		if err != nil {
			return err
		}
		r.plain.start += len(block)
		if given {
			return nil
		}
	}
}

// peekBlock returns the next block that means something here; it is not consumed yet.
func (f *pcapng) peekBlock(r *Reader) ([]byte, error) {
	for {
		head, err := r.plain.peek(12)
		if err != nil {
			if len(head) == 0 && err == io.EOF {
				return nil, f.end(r)
			}
			return nil, r.cut(err, len(head), 12)
		}
		kind := f.uint32(head)
		if kind == blockSection && !f.section(head) {
			return nil, r.fault(Damaged, nil, fmt.Sprintf("pcapng section with byte-order magic % x", head[8:]), "")
		}
		length := f.uint32(head[4:])
		if length < 12 || length%4 != 0 {
			return nil, r.fault(Damaged, nil, fmt.Sprintf("pcapng block says it has %d bytes", length), "")
		}
		switch kind {
		case blockSection, blockInterface, blockPacket, blockSimplePacket, blockStatistics, blockEnhanced, blockSecrets:
		default:
			if err := r.plain.skip(int64(length)); err != nil {
				return nil, r.fault(Cut, err, fmt.Sprintf("cut in a pcapng block of %d bytes", length), "")
			}
			continue
		}
		if length > maxPacket {
			return nil, r.fault(Damaged, nil, fmt.Sprintf("pcapng block says it has %d bytes, more than any packet", length), "")
		}
		block, err := r.plain.peek(int(length))
		if err != nil {
			return nil, r.cut(err, len(block), int(length))
		}
		if again := f.uint32(block[length-4:]); again != length {
			return nil, r.fault(Damaged, nil, fmt.Sprintf("pcapng block of %d bytes ends with %d as its length", length, again), "")
		}
		return block, nil
	}
}

// end is what stands at the end of a file: a capture of nothing but link types that are not read is an error.
func (f *pcapng) end(r *Reader) error {
	if len(f.strange) > 0 && !f.packets {
		return r.unsupported(f.strange[0])
	}
	return io.EOF
}

// section begins a section: takes the byte order from its header's first 12 bytes. False if that is none.
func (f *pcapng) section(head []byte) bool {
	switch binary.BigEndian.Uint32(head[8:]) {
	case 0x1a2b3c4d:
		f.order, f.big = binary.BigEndian, true
	case 0x4d3c2b1a:
		f.order, f.big = binary.LittleEndian, false
	default:
		return false
	}
	f.dropped += f.drops()
	f.before += len(f.ifaces)
	f.ifaces = f.ifaces[:0]
	return true
}

// uint32 reads in the section's byte order.
func (f *pcapng) uint32(b []byte) uint32 {
	if f.big {
		return binary.BigEndian.Uint32(b)
	}
	return binary.LittleEndian.Uint32(b)
}
