package main

import (
	"fmt"
	"io"
	"time"

	"ksniff/capture"
	"ksniff/capture/live"
	"ksniff/report"
)

// losses are what the capture lost, and where; of files, what they say about it.
func (p *pipeline) losses() (c live.Counters) {
	from := p.source
	if played, is := from.(*player); is {
		from = played.packetSource
	}
	switch source := from.(type) {
	case *live.Source:
		return source.Counters()
	case *capture.Files:
		if p.batch != nil { // another goroutine reads the files
			c.Dropped = p.batch.dropped
		} else {
			c.Dropped = source.Dropped()
		}
	}
	return c
}

// strain says when a live capture could not keep up and did less for it.
type strain struct {
	eased   bool
	since   time.Time
	times   int
	took    time.Duration
	packets int64
}

// relieve does less while the ring is more than half full.
func (p *pipeline) relieve() {
	s := &p.strain
	behind := p.live.Behind()
	if s.eased {
		s.packets++
	}
	if behind == s.eased {
		return
	}
	if !p.session.Ease(behind) {
		return // there is nothing that could be left out
	}
	if s.eased = behind; behind {
		s.since = time.Now()
		s.times++
	} else {
		s.took += time.Since(s.since)
	}
}

// statistics prints in a line how the capture goes: on SIGUSR1, and at its end.
func (p *pipeline) statistics(w io.Writer) {
	lost, given, ledger := p.losses(), p.limits(), p.session.Ledger()
	fmt.Fprintf(w, "%d packets captured, %d received by filter, %d dropped by kernel, %d times something given up by ksniff (--memory), completeness %.2f %%\n",
		p.seen.packets, lost.Received, lost.Dropped, given.Connections+given.Gaps+given.Unfinished, ledger.Completeness()*100)
	if lost.Downs > 0 {
		fmt.Fprintf(w, "the interface went down %s\n", report.Plural(int64(lost.Downs), "time"))
	}
	s := p.strain
	if s.eased {
		s.took += time.Since(s.since)
	}
	if s.times > 0 {
		fmt.Fprintf(w, "could not keep up %s, for %s in all: %s counted without looking into record sets\n",
			report.Plural(int64(s.times), "time"), s.took.Round(time.Millisecond), report.Plural(s.packets, "packet"))
	}
}
