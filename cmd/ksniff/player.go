package main

import (
	"context"
	"io"
	"sync/atomic"
	"time"

	"ksniff/capture"
)

// player hands out the packets of captures at their own pace, or a multiple of it.
type player struct {
	packetSource
	ctx    context.Context
	speed  float64     // seconds of capture per second; 0: as fast as it can be read
	paused func() bool // the clock stands while it says so
	beat   func(now int64)
	over   *atomic.Bool // true ends the capture here
	skip   int64        // packets before this time come at once, ns since 1970

	first, last int64 // capture.NoTime before the first packet with a time
	began       time.Time
}

const playStep = 50 * time.Millisecond // longest time between two beats

// Next gives the next packet when its time has come.
func (p *player) Next(packet *capture.Packet) error {
	if p.over.Load() {
		return io.EOF
	}
	if err := p.packetSource.Next(packet); err != nil {
		return err
	}
	if packet.Time == capture.NoTime {
		return nil
	}
	if packet.Time <= p.skip || p.first == capture.NoTime || packet.Time < p.first {
		p.first, p.began = packet.Time, time.Now()
	}
	p.last = max(p.last, packet.Time)
	return p.wait(packet.Time)
}

func (p *player) wait(until int64) error {
	for {
		if p.paused() {
			if !p.sleep(playStep) {
				return io.EOF
			}
			p.began = p.began.Add(playStep)
			continue
		}
		if p.speed == 0 {
			return nil
		}
		due := time.Duration(float64(until-p.first)/p.speed) - time.Since(p.began)
		if due <= 0 {
			return nil
		}
		if !p.sleep(min(due, playStep)) {
			return io.EOF
		}
		p.beat(min(until, p.first+int64(float64(time.Since(p.began))*p.speed)))
	}
}

// sleep says whether the capture goes on.
func (p *player) sleep(d time.Duration) bool {
	select {
	case <-p.ctx.Done():
		return false
	case <-time.After(d):
		return !p.over.Load()
	}
}
