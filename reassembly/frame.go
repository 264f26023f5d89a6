package reassembly

// Run is a range of a frame's body that is there. (An alias of an unnamed type, so that package
// decode can have the same one without either importing the other.)
type Run = struct {
	Off   int // offset in the body (after the length word)
	Bytes []byte
}

// Frame is a length-delimited frame, whole or with holes. It and its bytes are valid during the call.
type Frame struct {
	Conn   *Conn
	Side   int    // who sent it: index in Conn.Ends
	Offset int64  // of its length word in the stream
	First  Moment // packet with its first byte
	Last   Moment // packet that completed it
	// Unseen says that the packet that completed it was not captured: Last is only one near it, before or after.
	Unseen bool
	Length int   // value of the length word: bytes of the body
	Runs   []Run // what is there of the body, ascending, not touching; one Run where it is whole
	// Missing counts body bytes that the capture lacks. Bytes in no run and not missing were
	// captured, but skipped because nobody needed them.
	Missing int
	// Cut says that the stream ended within the frame: it was not delimited.
	Cut bool
	// Dropped says that bytes of it were forgotten for the memory limit.
	Dropped bool
}
