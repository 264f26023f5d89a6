package report

import "math/bits"

// hist is a sparse log-linear histogram of durations in nanoseconds: 64 buckets of equal width per
// power of two, in pages of one power of two that are made at their first value. A bucket is at most
// 1/64 of its values wide and stands for its middle, so a percentile is wrong by less than 0.8 %;
// minimum and maximum are exact. Adding to a page that is there allocates nothing.
//
// One kind serves totals and topics alike: HdrHistogram takes 25 KB from the start, this 0.6 KB per
// power of two that occurs, and both add in a few nanoseconds.
type hist struct {
	pages    []*page // by exponent, from low
	low      int
	n        int64
	lost     int64 // values that the memory bound left out
	min, max int64
}

const (
	subBits  = 6
	subCount = 1 << subBits
)

type page [subCount]int64

const pageCost = 8*subCount + 16

// cell gives page and bucket of a value; values below 64 are exact, in page 0.
func cell(v int64) (exp, sub int) {
	exp = bits.Len64(uint64(v)) - subBits
	if exp <= 0 {
		return 0, int(v)
	}
	// v has subBits+exp bits, of which the first is 1: the next subBits tell the bucket.
	return exp, int(v>>(exp-1)) & (subCount - 1)
}

// value is the middle of a bucket.
func value(exp, sub int) int64 {
	if exp == 0 {
		return int64(sub)
	}
	width := int64(1) << (exp - 1)
	return (subCount|int64(sub))*width + width/2
}

func (h *hist) add(v int64, b *budget) {
	if v < 0 {
		return
	}
	exp, sub := cell(v)
	p := h.page(exp, b)
	if p == nil {
		h.lost++
		return
	}
	p[sub]++
	if h.n == 0 || v < h.min {
		h.min = v
	}
	h.n++
	h.max = max(h.max, v)
}

func (h *hist) page(exp int, b *budget) *page {
	if i := exp - h.low; i >= 0 && i < len(h.pages) && h.pages[i] != nil {
		return h.pages[i]
	}
	if !b.take(pageCost) {
		return nil
	}
	if len(h.pages) == 0 {
		h.low = exp
	}
	if exp < h.low {
		h.pages = append(make([]*page, h.low-exp), h.pages...)
		h.low = exp
	}
	for len(h.pages) <= exp-h.low {
		h.pages = append(h.pages, nil)
	}
	p := new(page)
	h.pages[exp-h.low] = p
	return p
}

// merge adds another histogram's values.
func (h *hist) merge(o *hist) {
	if o == nil {
		return
	}
	h.lost += o.lost
	if o.n == 0 {
		return
	}
	var free budget
	free.left = 1 << 62
	for i, p := range o.pages {
		if p == nil {
			continue
		}
		mine := h.page(o.low+i, &free)
		for s, n := range p {
			mine[s] += n
		}
	}
	if h.n == 0 || o.min < h.min {
		h.min = o.min
	}
	h.n += o.n
	h.max = max(h.max, o.max)
}

// quantile is the least value that at least a share q of all values do not exceed (nearest rank).
func (h *hist) quantile(q float64) int64 {
	rank := int64(q * float64(h.n))
	if float64(rank) < q*float64(h.n) {
		rank++
	}
	rank = max(rank, 1)
	for i, p := range h.pages {
		if p == nil {
			continue
		}
		for s, n := range p {
			if rank -= n; rank <= 0 && n > 0 {
				return min(max(value(h.low+i, s), h.min), h.max)
			}
		}
	}
	return h.max
}
