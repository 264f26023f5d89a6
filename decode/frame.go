package decode

// Run is a range of a frame's body that is there. (An alias of an unnamed type: package reassembly
// has the same one, and neither imports the other.)
type Run = struct {
	Off   int // offset in the body (after the length word)
	Bytes []byte
}

// Frame is the body of a frame (header and message, without the length word), whole or with holes.
type Frame struct {
	Length int   // as the length word says
	Runs   []Run // what is there, ascending; one where the frame is whole
	// Missing says that holes are bytes that the capture lacks (a fault of class incomplete where a
	// field falls into one); otherwise they were skipped on purpose inside record sets.
	Missing bool
}

// Whole makes a Frame of a body that is there from end to end.
func Whole(body []byte) Frame { return Frame{Length: len(body), Runs: []Run{{0, body}}} }

// OnePiece says that the body is there from end to end, in the first of its runs.
func (f *Frame) OnePiece() bool { return len(f.Runs) == 1 && len(f.Runs[0].Bytes) == f.Length }
