package main

import (
	"context"
	"errors"
	"io"
	"runtime"

	"ksniff/capture"
	"ksniff/reassembly"
)

// ahead reads files and finds segments in a goroutine of its own, so that on a second core that costs no time: it
// is a third of all work, half of it the system's copying. What comes out is the same, in the same order.
type ahead struct {
	full, empty chan *batch
	quit        chan struct{}
	now         *batch // being filled
	files       *capture.Files
	stopped     bool
}

// batch is what was found in one buffer of a file.
type batch struct {
	segments []capture.Segment
	buffer   []byte // their payload
	seen     seen   // up to here; nothing where there is no packet in it
	dropped  uint64
	err      error // of the source; nothing follows it
}

const (
	// batches is how many there are: one is filled, one is worked on, one waits.
	batches = 3
	// bufferSize is that of their buffers: to wake another goroutine takes as long as to read some ten kilobytes.
	bufferSize = 1 << 20
)

// mayReadAhead says whether all sources are files, and nothing needs the packets themselves or may stop between two.
func (p *pipeline) mayReadAhead() (*capture.Files, bool) {
	files, ok := p.source.(*capture.Files)
	return files, ok && files.Regular() && p.recorder == nil && p.masker == nil && p.enough == nil && runtime.GOMAXPROCS(0) > 1
}

// readAhead does what read does.
func (p *pipeline) readAhead(ctx context.Context, files *capture.Files) error {
	a := &ahead{full: make(chan *batch, batches), empty: make(chan *batch, batches), quit: make(chan struct{}), files: files}
	for range batches - 1 {
		a.empty <- &batch{}
	}
	a.now = &batch{}
	files.OnRead, files.Lend = nil, a.swap
	done := make(chan struct{})
	defer func() {
		close(a.quit)
		<-done
		p.batch = nil
	}()
	keep, first := p.keep, p.seen
	go func() {
		defer close(done)
		a.fill(keep, first)
	}()
	for {
		b := <-a.full
		p.batch = b
		if ctx.Err() != nil {
			return nil
		}
		for i := range b.segments {
			p.assembler.Segment((*reassembly.Segment)(&b.segments[i]))
		}
		if b.seen.packets > 0 {
			p.seen = b.seen
		}
		switch {
		case b.err == io.EOF:
			return nil
		case b.err != nil:
			return b.err
		}
		a.empty <- b
		if p.idle != nil {
			p.idle()
		}
		if p.asked != nil {
			p.asked()
		}
		if p.beat != nil {
			p.beat()
		}
	}
}

// fill makes batches until the source ends.
func (a *ahead) fill(keep func(*capture.Packet) bool, total seen) {
	var packet capture.Packet
	var parser capture.Parser
	for {
		err := a.files.Next(&packet)
		if a.stopped {
			return
		}
		b := a.now
		if err != nil {
			if b.err = err; errors.Is(err, io.EOF) {
				b.err = io.EOF
			}
			b.dropped = a.files.Dropped()
			a.full <- b
			return
		}
		total.count(&packet)
		b.seen = total
		if keep != nil && !keep(&packet) {
			continue
		}
		if n := len(b.segments); n < cap(b.segments) {
			b.segments = b.segments[:n+1]
		} else {
			b.segments = append(b.segments, capture.Segment{})
		}
		s := &b.segments[len(b.segments)-1]
		switch {
		case !parser.Parse(&packet, s):
			b.segments = b.segments[:len(b.segments)-1]
		case parser.Apart:
			s.Payload = append([]byte(nil), s.Payload...)
		}
	}
}

// swap hands on the batch whose buffer is read through, and goes on with the buffer of another.
func (a *ahead) swap(used []byte) []byte {
	a.now.buffer, a.now.dropped = used, a.files.Dropped()
	a.full <- a.now
	select {
	case a.now = <-a.empty:
	case <-a.quit:
		a.now, a.stopped = &batch{}, true
	}
	fresh := a.now.buffer
	if *a.now = (batch{segments: a.now.segments[:0]}); fresh == nil {
		fresh = make([]byte, bufferSize)
	}
	return fresh
}
