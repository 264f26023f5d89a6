package frames

import "slices"

// windowSize is how many bytes of lines wait for earlier ones that may still come, at most: a frame in a
// connection that was open before the capture, or behind a gap, is recognised later than it was sent.
const windowSize = 8 << 20

// window holds lines back and puts them in the order of their packets. Its halves are filled in turn: when the
// second is full, the first is written and takes what comes next, so nothing is moved.
type window struct {
	halves [2]half // the first is older
	late   bool    // a line came after one of a later packet
	last   uint64  // the latest packet
	spare  [2]half // for lines in order
}

type half struct {
	text  []byte
	lines []spot
}

// spot is the line that ends at a place in a half's text.
type spot struct {
	packet uint64
	end    int
}

// note adds the line that the younger half ends with.
func (w *window) note(packet uint64) {
	if packet < w.last {
		w.late = true
	} else {
		w.last = packet
	}
	h := &w.halves[1]
	h.lines = append(h.lines, spot{packet, len(h.text)})
}

// full says that the younger half of a window of so many bytes is full.
func (w *window) full(size int) bool { return len(w.halves[1].text) >= size/2 }

// turn gives the older half of all lines, in order, to be written before the next call, and makes room for more.
func (w *window) turn() []byte {
	if w.late {
		w.order(len(w.halves[0].lines), len(w.halves[0].lines)+len(w.halves[1].lines))
	}
	w.halves[0], w.halves[1] = w.halves[1], w.halves[0]
	h := &w.halves[1]
	out := h.text
	if h.text, h.lines = h.text[:0], h.lines[:0]; cap(h.text) > windowSize { // one huge frame is no reason to keep its room
		h.text = nil
	}
	return out
}

// order sorts all lines into the halves, so many into the older one.
func (w *window) order(older, all int) {
	type place struct {
		packet uint64
		text   []byte
	}
	places := make([]place, 0, all)
	for i := range w.halves {
		from := 0
		for _, s := range w.halves[i].lines {
			places = append(places, place{s.packet, w.halves[i].text[from:s.end]})
			from = s.end
		}
	}
	slices.SortStableFunc(places, func(a, b place) int {
		switch {
		case a.packet < b.packet:
			return -1
		case a.packet > b.packet:
			return 1
		}
		return 0
	})
	for i := range w.spare {
		w.spare[i].text, w.spare[i].lines = w.spare[i].text[:0], w.spare[i].lines[:0]
	}
	for i, p := range places {
		h := &w.spare[0]
		if i >= older {
			h = &w.spare[1]
		}
		h.text = append(h.text, p.text...)
		h.lines = append(h.lines, spot{p.packet, len(h.text)})
	}
	w.halves, w.spare = w.spare, w.halves
	w.late = false
}
