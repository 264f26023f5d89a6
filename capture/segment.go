package capture

import "math"

// NoTime is the Time of a packet that carries none (a pcapng Simple Packet Block).
const NoTime = math.MinInt64

// Segment is one TCP segment as it was captured. Its fields are basic types only, so that it
// converts for free to the Segment of package reassembly, which this package does not know.
type Segment struct {
	Packet  uint64   // number of the packet that completed it, from 1 over all sources
	Time    int64    // nanoseconds since 1970 UTC, or NoTime
	Src     [16]byte // IPv4 as ::ffff:a.b.c.d
	Dst     [16]byte
	SrcPort uint16
	DstPort uint16
	Seq     uint32
	Ack     uint32
	Flags   uint8  // the TCP flags byte: FIN 1, SYN 2, RST 4, PSH 8, ACK 16
	Window  uint16 // as on the wire, unscaled
	Wire    int    // payload bytes the segment had; more than len(Payload) where the snap length cut it
	Payload []byte // valid until the next packet is read
}
