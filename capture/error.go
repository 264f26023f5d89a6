package capture

import (
	"fmt"
	"strings"
)

// Reason says in one word why a source could not be read on.
type Reason uint8

const (
	Failed      Reason = iota // the system could not read: Err says why
	Unreadable                // not a capture, empty, or its header is cut: nothing was read
	Unsupported               // a capture of a kind that is not read here
	Cut                       // ends inside a packet; what came before it stands
	Damaged                   // contradicts itself; what came before it stands
)

func (r Reason) String() string {
	return [...]string{"failed", "unreadable", "unsupported", "cut", "damaged"}[r]
}

// Error says why a source could not be read, or not to its end. Packets given before it stand.
type Error struct {
	Source string // file name, or "standard input"
	Reason Reason
	Packet uint64 // number of the packet that could not be read, over all sources; 0 where none was begun
	Offset int64  // bytes of the source before the fault, after decompression
	What   string // what is wrong, in a few words
	Hint   string // what to do about it; may be empty
	Err    error  // cause in the system or the decompressor; may be nil
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Source)
	b.WriteString(": ")
	b.WriteString(e.What)
	if e.Packet > 0 {
		fmt.Fprintf(&b, " (packet %d, byte %d)", e.Packet, e.Offset)
	}
	if e.Hint != "" {
		b.WriteString("; ")
		b.WriteString(e.Hint)
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }
