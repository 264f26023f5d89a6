package capture

// LinkType is the link layer of a packet, numbered as in pcap files (LINKTYPE_*).
type LinkType uint32

// Packet is one captured packet, before its headers are read.
type Packet struct {
	Number uint64 // from 1, over all sources
	Time   int64  // nanoseconds since 1970 UTC, or NoTime
	Link   LinkType
	Iface  int    // interface the packet was seen on, as the source numbers them
	Wire   int    // bytes the packet had on the wire
	Data   []byte // captured bytes; valid until the next call of Next
}

// Source gives packets in order. Next fills p and returns io.EOF after the last packet; any other
// error names source, packet number and byte offset, and what came before it stands.
type Source interface {
	Next(p *Packet) error
	Close() error
}
