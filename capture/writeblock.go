package capture

import "encoding/binary"

// The blocks that Writer writes, in little-endian order (the names are those of the pcapng draft,
// https://datatracker.ietf.org/doc/draft-ietf-opsawg-pcapng/; their types stand in block.go).
// Times are nanoseconds, so that none is rounded.

const (
	optionEnd         = 0
	optionApplication = 4 // shb_userappl
	optionName        = 2 // if_name
	optionResolution  = 9 // if_tsresol
	optionReceived    = 4 // isb_ifrecv
	optionDropped     = 5 // isb_ifdrop
	resolutionNano    = 9 // times count 10^-9 s
	sectionOrder      = 0x1a2b3c4d
)

var order = binary.LittleEndian

// beginBlock appends the head of a block that endBlock closes; start is where it began.
func beginBlock(b []byte, kind uint32) (block []byte, start int) {
	return order.AppendUint32(order.AppendUint32(b, kind), 0), len(b)
}

// endBlock fills in the block's length and appends it once more.
func endBlock(b []byte, start int) []byte {
	size := uint32(len(b) - start + 4)
	order.PutUint32(b[start+4:], size)
	return order.AppendUint32(b, size)
}

func appendPadding(b []byte, n int) []byte { return append(b, make([]byte, -n&3)...) }

func appendOption(b []byte, code uint16, value []byte) []byte {
	b = order.AppendUint16(b, code)
	b = order.AppendUint16(b, uint16(len(value)))
	return appendPadding(append(b, value...), len(value))
}

func appendTime(b []byte, ns int64) []byte {
	b = order.AppendUint32(b, uint32(uint64(ns)>>32))
	return order.AppendUint32(b, uint32(ns))
}

func appendSection(b []byte) []byte {
	b, start := beginBlock(b, blockSection)
	b = order.AppendUint32(b, sectionOrder)
	b = order.AppendUint16(b, 1)
	b = order.AppendUint16(b, 0)
	b = order.AppendUint64(b, ^uint64(0)) // of unknown length
	return endBlock(appendOption(appendOption(b, optionApplication, []byte("ksniff")), optionEnd, nil), start)
}

func appendInterface(b []byte, link LinkType, name string) []byte {
	b, start := beginBlock(b, blockInterface)
	b = order.AppendUint16(b, uint16(link))
	b = order.AppendUint16(b, 0)
	b = order.AppendUint32(b, 0) // no snap length
	if name != "" {
		b = appendOption(b, optionName, []byte(name[:min(len(name), 255)]))
	}
	return endBlock(appendOption(appendOption(b, optionResolution, []byte{resolutionNano}), optionEnd, nil), start)
}

func appendPacket(b []byte, iface int, ns int64, wire int, data []byte) []byte {
	b, start := beginBlock(b, blockEnhanced)
	b = appendTime(order.AppendUint32(b, uint32(iface)), ns)
	b = order.AppendUint32(b, uint32(len(data)))
	b = order.AppendUint32(b, uint32(wire))
	return endBlock(appendPadding(append(b, data...), len(data)), start)
}

// appendTimeless appends a whole packet of interface 0 that has no time.
func appendTimeless(b, data []byte) []byte {
	b, start := beginBlock(b, blockSimplePacket)
	b = order.AppendUint32(b, uint32(len(data)))
	return endBlock(appendPadding(append(b, data...), len(data)), start)
}

func appendStatistics(b []byte, iface int, ns int64, received, dropped uint64) []byte {
	b, start := beginBlock(b, blockStatistics)
	b = appendTime(order.AppendUint32(b, uint32(iface)), ns)
	b = appendOption(b, optionReceived, order.AppendUint64(nil, received))
	b = appendOption(b, optionDropped, order.AppendUint64(nil, dropped))
	return endBlock(appendOption(b, optionEnd, nil), start)
}
