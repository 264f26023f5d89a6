package main

import (
	"context"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"ksniff/capture"
	"ksniff/reassembly/session"
	"ksniff/report"
	"ksniff/report/top"
)

// watch reads a capture for a view, and reads it again when the filter of the view changes.
type watch struct {
	flags *topFlags
	args  []string
	tally *top.Tally
	again chan struct{} // nil where the input cannot be read twice
	over  atomic.Bool   // what is being read is out of date
	skip  int64         // how far the view has come, ns since 1970
	told  time.Time
}

// rereadable lets a new filter count from the beginning of the captures, where that is possible.
func (w *watch) rereadable(names []string) {
	if w.flags.in.write.file != "" || !regular(names) {
		return
	}
	w.again = make(chan struct{}, 1)
	w.tally.OnFilter(func() {
		w.over.Store(true)
		select {
		case w.again <- struct{}{}:
		default: // it is on its way
		}
	})
}

// regular says whether all names are those of files that can be read again.
func regular(names []string) bool {
	for _, name := range names {
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
			return false
		}
	}
	return true
}

// open makes a pipeline whose packets come at the pace that the flags ask for.
func (w *watch) open(ctx context.Context) (*pipeline, error) {
	p, err := w.flags.in.open(ctx, w.args, session.Config{}, w.tally)
	if err != nil {
		return nil, err
	}
	w.tally.Names(p.session.TopicName)
	w.tally.Overflow(p.session.Overflow())
	if p.live == nil {
		p.source = &player{packetSource: p.source, ctx: ctx, speed: w.flags.speed, paused: w.tally.Paused, over: &w.over,
			skip: w.skip, first: capture.NoTime, last: capture.NoTime,
			beat: func(now int64) {
				w.tally.Advance(now)
				w.tell(p)
			}}
	}
	p.beat = func() { w.tell(p) }
	p.idle = func() { w.told = time.Time{}; w.tell(p) } // what comes next may take long to come
	return p, nil
}

// tell says how the capture goes, not too often.
func (w *watch) tell(p *pipeline) {
	now := time.Now()
	if now.Sub(w.told) < tellEvery {
		return
	}
	w.told = now
	if p.live != nil {
		w.tally.Advance(now.UnixNano())
	}
	w.tally.Tell(p.status())
}

func (p *pipeline) status() top.Status {
	captured, ledger, limits := p.captured(), p.ledger(), p.limits()
	return top.Status{
		Source: strings.Join(p.names, " "), Live: p.live != nil, Packets: p.seen.packets, Dropped: captured.Dropped,
		Strained: captured.Strained, Gap: ledger.Gap, GivenUp: givenUp(&limits), Completeness: ledger.Completeness,
	}
}

func givenUp(l *report.Limits) int64 {
	return l.Connections + l.Gaps + l.Unfinished + l.Requests + l.Responses + l.Topics + l.Clients
}

// read reads to the end, and again from the beginning as often as it is asked to. It returns when ctx
// is done; err is what broke the last reading off.
func (w *watch) read(ctx context.Context, p *pipeline) error {
	for {
		err := p.run(ctx)
		if played, is := p.source.(*player); is {
			w.skip = max(w.skip, played.last)
		}
		p.source.Close()
		if !w.over.Load() {
			end := p.status()
			end.Ended = true
			if err != nil {
				end.Trouble = err.Error()
			}
			w.tally.Tell(end)
		}
		select {
		case <-ctx.Done():
			return err
		case <-w.again:
		}
		w.over.Store(false)
		w.tally.Rewound()
		if p, err = w.open(ctx); err != nil {
			return err
		}
	}
}
