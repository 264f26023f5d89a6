package reassembly

import (
	"iter"
	"slices"
	"unsafe"
)

// Judge knows the protocol that the Cutter cuts. All its methods are called in the order of the
// capture; slices are valid during the call only.
type Judge interface {
	// Open announces a connection.
	Open(c *Conn)
	// Prove decides what a connection speaks from what both sides sent so far. last says that no more
	// will come, or that no more is kept. Undecided asks for more.
	Prove(c *Conn, sides *[2]Window, last bool) Proof
	// Presume says where in a window in mid-stream a frame seems to begin that is not all in it, so that it is
	// no proof yet. It is then read like one, with Begin, Feed and Lose, and when it has ended (Window.Presumed),
	// Prove says whether it was one, by what follows it. Until Whole or Done, or Forget, there is one of
	// a connection.
	Presume(c *Conn, side int, w *Window) (off int, ok bool)
	// Plausible says whether a frame of this length can begin here, at a boundary.
	Plausible(c *Conn, side int, length int32) bool
	// Whole takes a frame that lies in one piece (f.Runs[0]), and says what became of it.
	Whole(f *Frame) Fate
	// Begin announces a frame that comes in pieces and says what is wanted of it first.
	Begin(f *Frame) Step
	// Feed hands out body bytes from offset off, at least as many as were asked for or all up to the
	// frame's end. A frame of which all is asked for at once goes to Whole instead.
	Feed(f *Frame, off int, b []byte) Step
	// Lose says that the capture lacks wanted body bytes: n from offset off.
	Lose(f *Frame, off, n int) Step
	// Forget says that what was begun of a frame is given up. For the memory limit: its end is still known, and
	// Done follows. Or because the frame was only presumed: it was none.
	Forget(f *Frame)
	// Done closes a frame that came in pieces, whole or not.
	Done(f *Frame) Fate
	// Find searches the next frame after a gap or a start in mid-stream. It returns the offset in
	// w.Bytes where a frame begins beyond doubt and true, or how many bytes hold no beginning and
	// false. last says that w will not grow.
	Find(c *Conn, side int, w *Window, last bool) (int, bool)
	// Lost says that bytes were lost or skipped between frames of this side, so frames may be missing.
	Lost(c *Conn, side int, at Moment)
	// End says that a side has ended; what it sent is all judged.
	End(c *Conn, side int, at Moment, why Ending)
	// Close says that both sides have ended.
	Close(c *Conn)
}

// Step says what is wanted of a frame's body next.
type Step struct {
	Next int // offset of the next wanted byte; those before it are done with or skipped
	Need int // how many bytes from there are wanted in one piece
	// Keep asks that the bytes handed out by this call, up to Next, stay in the frame's Runs.
	Keep bool
}

// Proof is what a Judge found a connection to be.
type Proof struct {
	Speaks Speaks
	// Skip counts, by side, bytes at the very start that are a proxy's: foreign.
	Skip [2]int
	// Fate of a connection that is not cut, by side.
	Fate [2]Fate
	// Refused says, by side, that the frame that was presumed is none.
	Refused [2]bool
}

// Speaks says what to do with a connection.
type Speaks uint8

// The verdicts.
const (
	Undecided Speaks = iota // wait for more
	Frames                  // cut it
	Other                   // do not cut it: count all bytes with Proof.Fate
)

// Mark is where the bytes of a packet begin in a Window.
type Mark struct {
	Off    int
	Inside bool // the packet began earlier: those bytes are gone
	At     Moment
}

// Window is a stretch of a stream without a gap.
type Window struct {
	Bytes  []byte
	Marks  []Mark // ascending; the first has Off 0
	Start  bool   // Bytes[0] is the first byte of the stream
	Seen   int64  // bytes of this side so far, also those that are no longer held, but not all of what is presumed
	Began  uint64 // packet with the first byte of this side, held or not
	Ended  bool   // a gap or the stream's end follows: no more bytes will come
	Closed bool   // the same, by a FIN or RST that was captured
	// Presumed is the frame that is before Bytes, if it is one, and nil where there is none; its Runs are set
	// where it lies in one piece. Adjoins says that no gap is between, Even that a packet ended with it.
	Presumed      *Frame
	Adjoins, Even bool
	// Searched and Tried belong to the Judge: no frame begins before Searched, and the bytes before Tried
	// were there when it looked last. They move with the bytes.
	Searched, Tried int
	// Spent is what all looks at the stream have cost so far, in bytes that were decoded or looked through. Find adds to it.
	Spent int64
}

// markCost is what a Mark takes: packets of one byte cost more than what is in them.
const markCost = int64(unsafe.Sizeof(Mark{}))

// size is what the window takes.
func (w *Window) size() int64 { return int64(cap(w.Bytes)) + int64(cap(w.Marks))*markCost }

// due says whether the Judge shall look at the window again though it may still grow. All looks together cost in
// proportion to the bytes of the stream, however small its packets are and whatever they hold.
func (w *Window) due() bool { return w.Spent <= 256<<10+32*w.Seen }

// Behind is the window without its first n bytes. It shares them, and is the window itself where n is 0.
func (w *Window) Behind(n int) Window {
	v := *w
	if n > 0 {
		v.Marks = append([]Mark(nil), w.Marks...)
		v.Bytes = w.Bytes[n:]
		v.moveMarks(n)
	}
	return v
}

// packets gives the bytes from n on, packet by packet.
func (w *Window) packets(n int) iter.Seq2[Moment, []byte] {
	return func(yield func(Moment, []byte) bool) {
		for i, m := range w.Marks {
			end := len(w.Bytes)
			if i+1 < len(w.Marks) {
				end = w.Marks[i+1].Off
			}
			if end > n && !yield(m.At, w.Bytes[max(m.Off, n):end]) {
				return
			}
		}
	}
}

// First is the packet that brought the byte at off.
func (w *Window) First(off int) Moment {
	i, _ := slices.BinarySearchFunc(w.Marks, off+1, markAt)
	return w.Marks[max(i-1, 0)].At
}

// Aligned says whether a packet begins at off, or the window ends there.
func (w *Window) Aligned(off int) bool {
	if off == len(w.Bytes) {
		return true
	}
	i, found := slices.BinarySearchFunc(w.Marks, off, markAt)
	return found && !w.Marks[i].Inside
}

func markAt(m Mark, off int) int { return m.Off - off }
