package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

const (
	progressAfter = 700 * time.Millisecond // shorter runs show none
	progressEvery = 200 * time.Millisecond
)

// progress shows on a terminal how far the reading of files has come, until stop is called.
func progress(w io.Writer, read func() (done, all int64)) (stop func()) {
	end := make(chan struct{})
	var shown sync.WaitGroup
	shown.Go(func() {
		start := time.Now()
		wait := progressAfter
		drawn := false
		for {
			select {
			case <-end:
				if drawn {
					fmt.Fprint(w, "\r\x1b[K")
				}
				return
			case <-time.After(wait):
				done, all := read()
				fmt.Fprint(w, "\r\x1b[K", progressLine(done, all, time.Since(start)))
				drawn, wait = true, progressEvery
			}
		}
	})
	return func() { close(end); shown.Wait() }
}

// progressLine says how much was read, how fast, and how long the rest takes at that speed; all is 0
// where the size is not known.
func progressLine(done, all int64, took time.Duration) string {
	speed := float64(done) / took.Seconds()
	line := fmt.Sprintf("%d MB", done/1e6)
	if all > 0 {
		line = fmt.Sprintf("%d %% of %d MB", done*100/all, all/1e6)
	}
	line += fmt.Sprintf(", %.0f MB/s", speed/1e6)
	if all > done && speed > 0 {
		left := time.Duration(float64(all-done) / speed * float64(time.Second))
		line += fmt.Sprintf(", %s left", left.Round(time.Second))
	}
	return line
}
