package frames

import "slices"

// windowSize is how many bytes of lines wait for earlier ones that may still come: a frame in a
// connection that was open before the capture, or behind a gap, is recognised later than it was sent.
const windowSize = 8 << 20

// window puts lines in the order of their packets, as far as they come within it.
type window struct {
	lines  []line
	sorted bool   // lines ascend
	spare  []byte // for the lines in order
}

type line struct {
	packet   uint64
	from, to int // in Printer.out
}

// note adds the line that out ends with; it began at from.
func (w *window) note(packet uint64, from, to int) {
	if n := len(w.lines); n == 0 {
		w.sorted = true
	} else if packet < w.lines[n-1].packet {
		w.sorted = false
	}
	w.lines = append(w.lines, line{packet, from, to})
}

// order gives out with its lines in order, and the length of the first n of them.
func (w *window) order(out []byte, n int) ([]byte, int) {
	if !w.sorted {
		slices.SortStableFunc(w.lines, func(a, b line) int {
			switch {
			case a.packet < b.packet:
				return -1
			case a.packet > b.packet:
				return 1
			}
			return 0
		})
		w.spare = w.spare[:0]
		for i, l := range w.lines {
			from := len(w.spare)
			w.spare = append(w.spare, out[l.from:l.to]...)
			w.lines[i] = line{l.packet, from, len(w.spare)}
		}
		out, w.spare, w.sorted = w.spare, out, true
	}
	if n == 0 {
		return out, 0
	}
	return out, w.lines[n-1].to
}

// drop forgets the first n lines, size bytes.
func (w *window) drop(n, size int) {
	w.lines = append(w.lines[:0], w.lines[n:]...)
	for i := range w.lines {
		w.lines[i].from -= size
		w.lines[i].to -= size
	}
}
