package decode

import "math/bits"

// need says whether n bytes are there to be read; they are contiguous then.
func (w *walker) need(n int) bool {
	if w.p+n <= w.hi {
		return true
	}
	if w.p+n > w.limit {
		return w.short(n)
	}
	if w.seek(); w.p+n <= w.hi {
		return true
	}
	return w.stop(Truncated, Incomplete, n, w.hi-w.p)
}

// seek makes the run current that has the next byte.
func (w *walker) seek() {
	for len(w.runs) > 0 && w.p >= w.base+len(w.bytes) {
		w.base, w.bytes = w.runs[0].Off, w.runs[0].Bytes
		w.runs = w.runs[1:]
	}
	w.reach(w.limit)
}

// reach sets the limit and how far can be read: nothing where p lies in a hole.
func (w *walker) reach(limit int) {
	w.limit = limit
	w.hi = max(w.p, min(w.base+len(w.bytes), limit))
	if w.p < w.base {
		w.hi = w.p
	}
}

// short stops because a field needs more bytes than the frame has from here, or than the tagged field
// that it is in.
func (w *walker) short(n int) bool {
	if w.limit < w.t.frame.Length {
		return w.stop(TagSize, Broken, n, w.limit-w.p)
	}
	return w.stop(Truncated, Broken, n, w.limit-w.p)
}

// uvarint reads an unsigned varint of 32 bits.
func (w *walker) uvarint() (uint32, bool) {
	if w.p < w.hi {
		if b := w.bytes[w.p-w.base]; b < 0x80 {
			w.p++
			return uint32(b), true
		}
	}
	start, v := w.p, uint32(0)
	for shift := 0; ; shift += 7 {
		if !w.need(1) {
			return 0, false
		}
		b := w.bytes[w.p-w.base]
		if shift == 28 && b > 0x0f {
			w.p = start
			return 0, w.stop(VarintOverflow, Broken, 32, int(b))
		}
		w.p++
		v |= uint32(b&0x7f) << shift
		if b < 0x80 {
			if b == 0 && shift > 0 {
				w.tolerate(VarintNotMinimal, start, (bits.Len32(v|1)+6)/7, w.p-start)
			}
			return v, true
		}
	}
}

// stop records the fault that ends the decoding.
func (w *walker) stop(code Code, class Class, need, have int) bool {
	w.t.Faults = append(w.t.Faults, Fault{Code: code, Class: class, Offset: w.p, Need: need, Have: have, Node: w.node})
	return false
}

// tolerate records a fault after which the bytes stay clear.
func (w *walker) tolerate(code Code, offset, need, have int) {
	w.t.Tolerant++
	if len(w.t.Faults) < maxFaults {
		w.t.Faults = append(w.t.Faults, Fault{Code: code, Class: Broken, Tolerated: true, Offset: offset, Need: need, Have: have, Node: w.node})
	}
}
