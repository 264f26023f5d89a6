package reassembly

// Endpoint is one end of a connection.
type Endpoint struct {
	Addr [16]byte // IPv4 as ::ffff:a.b.c.d
	Port uint16
}

// Conn is one TCP connection. A 4-tuple that is used again is a new Conn.
type Conn struct {
	// User belongs to whoever takes the streams (the Cutter); the TCP layer never looks at it.
	User any
	// Judged belongs to the Judge; the Cutter never looks at it.
	Judged any
	// Heard belongs to whoever takes the Judge's frames; neither looks at it.
	Heard any
	ID    int         // from 1, in order of appearance
	Ends  [2]Endpoint // Ends[0] sent the SYN or, where none was seen, the first packet
	// Seq has, by side, the sequence number of the first byte or gap that was handed out.
	Seq [2]uint32
}

// Moment is the packet at which something became known.
type Moment struct {
	Packet uint64
	Time   int64 // nanoseconds since 1970 UTC, or the smallest int64 where there is none
}

// Streams takes the ordered bytes of connections from the TCP layer. Side 0 is what Ends[0] sent,
// side 1 what Ends[1] sent. Every captured payload byte is handed out exactly once, first copy wins.
type Streams interface {
	// Open announces a connection before its first byte or gap; one without any is not announced.
	Open(c *Conn)
	// Start says that the next bytes of this side follow its SYN, so they are the first of the stream.
	Start(c *Conn, side int)
	// Data hands out the next bytes of a side; b is valid during the call only.
	Data(c *Conn, side int, at Moment, b []byte)
	// Gap says that the next n bytes of a side are not in the capture: at is the packet from which the snap length cut
	// them off, or, with unseen, that packet was not captured and at is only one near it, before or after.
	Gap(c *Conn, side int, at Moment, n int64, unseen bool)
	// End says that no more bytes of a side will come.
	End(c *Conn, side int, at Moment, why Ending)
}

// Ending says why a side of a connection ended.
type Ending uint8

// The ways in which a side ends.
const (
	Fin     Ending = iota + 1 // FIN seen
	Rst                       // RST seen
	Reused                    // a new SYN took the 4-tuple
	Evicted                   // the memory limit took it
	EOF                       // the capture ended
)
