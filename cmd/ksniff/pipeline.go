package main

import (
	"context"
	"errors"
	"io"
	"math"

	"ksniff/capture"
	"ksniff/capture/live"
	"ksniff/reassembly"
	"ksniff/reassembly/session"
	"ksniff/report"
	"ksniff/report/mask"
)

// pipeline carries packets from a source through reassembly and session to a sink.
type pipeline struct {
	source    packetSource
	keep      func(*capture.Packet) bool // the capture filter; nil keeps all
	parser    capture.Parser
	assembler *reassembly.Assembler
	relay     *relay
	session   *session.Session
	idle      func()                   // called when no input waits: time to flush
	enough    func() bool              // true when the command wants no more frames: not one packet more is read
	broken    func() bool              // true when nobody takes what the command prints
	progress  func() (done, all int64) // of files; nil elsewhere
	asked     func()                   // prints statistics where they were asked for
	beat      func()                   // called every now and then by the goroutine that reads
	recorder  *recorder                // writes the packets too; nil: nobody asked
	masker    *mask.Masker             // masks them first; nil: nobody asked
	live      *live.Source             // the source where it is an interface, else nil
	strain    strain                   // of a live capture
	seen      seen
	batch     *batch   // that is at hand, where files are read ahead
	buffer    int      // size of those that are read ahead
	names     []string // of the sources
	only      report.Only
	ended     string // why the source was not read to its end, "" where it was
}

// packetSource is a capture.Source; a live one returns live.ErrIdle where nothing comes for a while.
type packetSource interface {
	Next(p *capture.Packet) error
	Close() error
}

// seen is what the packets themselves say, whatever is in them. Those that the capture filter takes away are not there.
type seen struct {
	packets     int64
	bytes       int64 // captured
	cut         int64 // packets shortened by the snap length
	first, last int64 // earliest and latest time, ns; first > last: no packet has one
}

// stopEvery is how many packets pass between two looks at the context.
const stopEvery = 1024

// run reads the source to its end, until ctx is done, or until enough. What was read before an error
// stands: the streams are flushed in any case.
func (p *pipeline) run(ctx context.Context) error {
	p.seen.first, p.seen.last = math.MaxInt64, math.MinInt64
	err := p.read(ctx)
	p.assembler.Flush()
	return errors.Join(err, p.closeRecord(err))
}

func (p *pipeline) read(ctx context.Context) error {
	if files, ok := p.mayReadAhead(); ok {
		return p.readAhead(ctx, files)
	}
	var packet capture.Packet
	var segment capture.Segment
	for n := 0; ; n++ {
		if n%stopEvery == 0 {
			if ctx.Err() != nil {
				return nil
			}
			if p.asked != nil {
				p.asked()
			}
			if p.beat != nil {
				p.beat()
			}
		}
		switch err := p.source.Next(&packet); {
		case err == nil:
		case errors.Is(err, live.ErrIdle):
			n = -1 // look at the context next time
			p.assembler.Idle()
			p.idleRecord()
			if p.idle != nil {
				p.idle()
			}
			continue
		case errors.Is(err, io.EOF):
			return nil
		default:
			if ctx.Err() != nil {
				return nil // interrupted: the source was closed under us
			}
			return err
		}
		if p.live != nil {
			p.relieve()
		}
		if p.keep != nil && !p.keep(&packet) {
			continue
		}
		p.seen.count(&packet)
		tcp := p.parser.Parse(&packet, &segment)
		p.record(&packet, &segment, tcp)
		if p.recorder != nil && p.recorder.err != nil {
			return nil // closeRecord tells it
		}
		if !tcp {
			continue
		}
		p.assembler.Segment((*reassembly.Segment)(&segment))
		if p.enough != nil && p.enough() || p.broken != nil && p.broken() {
			return nil
		}
	}
}

func (s *seen) count(packet *capture.Packet) {
	s.packets++
	s.bytes += int64(len(packet.Data))
	if packet.Wire > len(packet.Data) {
		s.cut++
	}
	if packet.Time != capture.NoTime {
		s.first = min(s.first, packet.Time)
		s.last = max(s.last, packet.Time)
	}
}
