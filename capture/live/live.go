// Package live captures packets from network interfaces.
package live

import (
	"errors"

	"golang.org/x/net/bpf"

	"ksniff/capture"
)

// Any is the name that stands for all interfaces.
const Any = "any"

// ErrIdle is returned by Next when no packet came for a while, so that the caller can look at
// something else (flush its output, a signal) and call again.
var ErrIdle = errors.New("no packet waits")

// Options say what to capture and how much of it.
type Options struct {
	Interface string // a name, or Any
	Snap      int    // bytes kept of each packet; 0: all
	Ring      int    // bytes of the kernel's ring buffer; 0: 32 MiB
	Promisc   bool   // also packets that are not for this machine
	// Filter makes the program that runs in the kernel, for packets of a link type; it keeps snap
	// bytes of what passes, and nothing of the rest. Nil: all packets pass.
	Filter func(link capture.LinkType, snap uint32) ([]bpf.RawInstruction, error)
}

// Counters are a capture's losses so far.
type Counters struct {
	Received uint64 // packets that passed the filter, dropped ones included
	Dropped  uint64 // packets for which the ring had no room
	Downs    uint64 // times the interface went down and the capture went on
}

// Interface is one interface of this machine, as -D lists it.
type Interface struct {
	Index     int
	Name      string
	Up        bool
	Loopback  bool
	Addresses []string
}

// program compiles the filter for a link type and limits what it keeps to the snap length. In the
// kernel a filter's result is the number of bytes to keep.
func (o Options) program(link capture.LinkType) ([]bpf.RawInstruction, error) {
	const everything = 262144 // as tcpdump's default
	snap := uint32(everything)
	if o.Snap > 0 {
		snap = uint32(o.Snap)
	}
	if o.Filter == nil {
		return bpf.Assemble([]bpf.Instruction{bpf.RetConstant{Val: snap}})
	}
	return o.Filter(link, snap)
}
