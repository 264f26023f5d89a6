package records

import "ksniff/decode"

// window gives contiguous bytes of a set that is there (src nil) or that is being decompressed. It buffers no
// more than it is asked for, and grows only with bytes that have come.
type window struct {
	src  *inflater
	cur  []byte // unread
	buf  []byte // owned; cur may lie in it
	code decode.Code
}

// keep is what a window may hold on to between sets.
const keep = 1 << 20

func (w *window) reset(src *inflater, fixed []byte) {
	if cap(w.buf) > keep {
		w.buf = nil
	}
	w.src, w.cur, w.code = src, fixed, 0
}

// fill makes n bytes available in cur if the data has them, and says whether it does. Where it does not,
// cur is all that is left, and code says why if it was not a clean end.
func (w *window) fill(n int) bool {
	if len(w.cur) >= n {
		return true
	}
	if w.src == nil {
		return false
	}
	owned := false // cur is buf
	for len(w.cur) < n {
		if len(w.cur) > 0 && !owned {
			w.buf = append(w.buf[:0], w.cur...) // before next takes its chunk back
			w.cur, owned = w.buf, true
		}
		chunk := w.src.next()
		if chunk == nil {
			w.code = w.src.code
			return false
		}
		if !owned {
			w.cur = chunk
			continue
		}
		w.buf = append(w.buf, chunk...)
		w.cur = w.buf
	}
	return true
}

// skip drops n bytes without holding them, and says whether there were so many.
func (w *window) skip(n int) bool {
	for n > len(w.cur) {
		n -= len(w.cur)
		w.cur = nil
		if !w.fill(1) {
			return false
		}
	}
	w.cur = w.cur[n:]
	return true
}
