//go:build !linux

package live

import (
	"errors"
	"runtime"

	"ksniff/capture"
)

// Source does not exist on this system.
type Source struct{}

// Open says that there is no live capture here, and what works instead.
func Open(Options) (*Source, error) {
	return nil, errors.New("no live capture on " + runtime.GOOS + ": use a file, or a pipe: tcpdump -w - | ksniff report -r -")
}

// Next never has a packet.
func (*Source) Next(*capture.Packet) error { return ErrIdle }

// Counters are all zero.
func (*Source) Counters() Counters { return Counters{} }

// Behind is never true.
func (*Source) Behind() bool { return false }

// Close does nothing.
func (*Source) Close() error { return nil }
