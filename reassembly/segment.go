// Package reassembly puts TCP segments in order, cuts the streams into length-delimited frames,
// finds the next frame after a gap, and accounts for every captured payload byte.
// It does not know Kafka: what a frame is, a Judge says.
package reassembly

// Segment is one TCP segment as it was captured: the same fields, in the same order, as the
// Segment of package capture, so that one converts to the other for free.
type Segment struct {
	Packet  uint64   // number of the packet that completed it, from 1 over all sources
	Time    int64    // nanoseconds since 1970 UTC, or the smallest int64 where there is none
	Src     [16]byte // IPv4 as ::ffff:a.b.c.d
	Dst     [16]byte
	SrcPort uint16
	DstPort uint16
	Seq     uint32
	Ack     uint32
	Flags   uint8  // the TCP flags byte: FIN 1, SYN 2, RST 4, PSH 8, ACK 16
	Window  uint16 // as on the wire, unscaled
	Wire    int    // payload bytes the segment had; more than len(Payload) where the snap length cut it
	Payload []byte // valid during the call
}
