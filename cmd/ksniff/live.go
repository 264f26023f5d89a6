package main

import (
	"github.com/spf13/pflag"
)

// liveFlags are the flags of a live capture.
type liveFlags struct {
	iface   string
	snap    int
	ring    size
	promisc bool
}

func (l *liveFlags) flags(f *pflag.FlagSet) {
	l.ring = 32 << 20
	f.StringVarP(&l.iface, "interface", "i", "", "capture live from this interface, or any")
	f.IntVarP(&l.snap, "snapshot-length", "s", 0, "bytes to keep of each packet of a live capture; 0: all")
	f.VarP(&l.ring, "buffer-size", "B", "ring buffer of a live capture")
	f.BoolVar(&l.promisc, "promisc", false, "live: also packets that are not for this machine")
}
