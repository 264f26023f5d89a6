package main

import (
	"context"
	"errors"
	"io"
	"runtime"

	"ksniff/capture"
	"ksniff/reassembly"
)

// ahead reads files and puts segments in order in a goroutine of its own, so that on a second core that costs no
// time: it is a third of all work, part of it the system's copying. What comes out is the same, in the same order.
type ahead struct {
	lane      *lane[batch]
	files     *capture.Files
	assembler *reassembly.Assembler
	relay     *relay // what the assembler hands out goes to its batch
	seen      seen   // so far
	size      int    // of buffers
	stopped   bool
}

// batch is what was found in one buffer of a file.
type batch struct {
	events  []event
	buffer  []byte           // their bytes
	copied  []byte           // those that are not in it
	seen    seen             // up to here
	tcp     reassembly.Stats // up to here
	dropped uint64
	err     error // of the source; nothing follows it
}

const (
	// batches is how many there are: one is filled, one is worked on, one waits.
	batches = 3
	// bufferSize is that of their buffers: to wake another goroutine takes as long as to read some ten kilobytes.
	bufferSize = 1 << 20
	// leastBuffer is theirs where the bound on memory is small. It has room for a packet of any link.
	leastBuffer = 64 << 10
)

// bufferFor gives the size of buffers under a bound on memory: a batch takes up to three times as much, and all of
// them a seventh of the bound.
func bufferFor(memory size) int { return int(max(leastBuffer, min(bufferSize, memory/64))) }

// mayReadAhead says whether all sources are files, and nothing needs the packets themselves or may stop between two.
func (p *pipeline) mayReadAhead() (*capture.Files, bool) {
	files, ok := p.source.(*capture.Files)
	return files, ok && files.Regular() && p.recorder == nil && p.masker == nil && p.enough == nil && runtime.GOMAXPROCS(0) > 1
}

// readAhead does what read does.
func (p *pipeline) readAhead(ctx context.Context, files *capture.Files) error {
	a := &ahead{lane: newLane[batch](batches), files: files, assembler: p.assembler, relay: p.relay, seen: p.seen, size: p.buffer}
	files.OnRead, files.Lend = nil, a.swap
	a.relay.batch = a.lane.fresh()
	keep := p.keep
	go func() {
		a.fill(keep)
		a.lane.end()
	}()
	defer func() { p.batch, p.relay.batch = nil, nil }()
	stopped, to := false, p.relay.to // read once: the other goroutine writes what lies next to it
	for {
		b, more := a.lane.take()
		if !more {
			return nil
		}
		p.batch = b
		for i := range b.events {
			b.events[i].tell(to)
		}
		p.seen = b.seen
		if b.err != nil && b.err != io.EOF {
			return b.err
		}
		if p.idle != nil {
			p.idle()
		}
		if p.asked != nil {
			p.asked()
		}
		if p.beat != nil {
			p.beat()
		}
		if b.err == nil {
			a.lane.back(b)
		}
		if !stopped && (ctx.Err() != nil || p.broken != nil && p.broken()) {
			stopped = true // what was put in order is still told, or what comes later would look like something else
			a.lane.stop()
		}
	}
}

// fill makes batches until the source ends.
func (a *ahead) fill(keep func(*capture.Packet) bool) {
	var packet capture.Packet
	var segment capture.Segment
	var parser capture.Parser
	for {
		err := a.files.Next(&packet)
		if a.stopped {
			return
		}
		if err != nil {
			b := a.relay.batch
			if b.err = err; errors.Is(err, io.EOF) {
				b.err = io.EOF
			}
			a.give(b)
			return
		}
		if keep != nil && !keep(&packet) {
			continue
		}
		a.seen.count(&packet)
		if !parser.Parse(&packet, &segment) {
			continue
		}
		a.relay.lent = segment.Payload
		if parser.Apart {
			a.relay.lent = nil
		}
		a.assembler.Segment((*reassembly.Segment)(&segment))
	}
}

// give hands on a batch with what was counted up to its end.
func (a *ahead) give(b *batch) {
	b.seen, b.dropped, b.tcp = a.seen, a.files.Dropped(), a.assembler.Stats()
	a.lane.give(b)
}

// swap hands on the batch whose buffer is read through, and goes on with the buffer of another.
func (a *ahead) swap(used []byte) []byte {
	b := a.relay.batch
	b.buffer = used
	a.give(b)
	if b = a.lane.fresh(); b == nil {
		b, a.stopped = &batch{}, true
	}
	a.relay.batch = b
	fresh, copied := b.buffer, b.copied[:0]
	if cap(copied) > a.size {
		copied = nil
	}
	if *b = (batch{events: b.events[:0], copied: copied}); len(fresh) != a.size { // none yet, or one that grew for a large block
		fresh = make([]byte, a.size)
	}
	return fresh
}
