package main

import (
	"fmt"
	"io"

	"ksniff/capture/live"
)

// losses are what a live capture lost, and where.
func (p *pipeline) losses() (c live.Counters) {
	if source, is := p.source.(*live.Source); is {
		c = source.Counters()
	}
	return c
}

// statistics prints in a line how the capture goes: on SIGUSR1, and at its end.
func (p *pipeline) statistics(w io.Writer) {
	lost := p.losses()
	ledger := p.session.Ledger()
	fmt.Fprintf(w, "%d packets captured, %d received by filter, %d dropped by kernel, completeness %.2f %%\n",
		p.seen.packets, lost.Received, lost.Dropped, ledger.Completeness()*100)
	if lost.Downs > 0 {
		fmt.Fprintf(w, "the interface went down %d times\n", lost.Downs)
	}
}
