package report

import "math/bits"

// hist is a sparse log-linear histogram of durations in nanoseconds: 64 buckets of equal width per
// power of two, in pages of 16 that are made at their first value. A bucket is at most 1/64 of its
// values wide and stands for its middle, so a percentile is wrong by less than 0.8 %; minimum and
// maximum are exact. Adding to a page that is there allocates nothing.
//
// One kind serves totals and topics alike: HdrHistogram takes 25 KB from the start, this some hundred
// bytes, and both add in a few nanoseconds.
type hist struct {
	pages    []*page // from low on; nil where nothing was
	low      int
	n        int64
	lost     int64 // values that the memory bound left out
	min, max int64
}

const (
	subBits  = 6
	subCount = 1 << subBits
	pageSize = 16
	pageCost = 8 * pageSize
	histCost = 80
)

type page [pageSize]int64

// bucket is the number of a value's bucket: values below 64 have one each, then 64 share a power of two.
func bucket(v int64) int {
	exp := bits.Len64(uint64(v)) - subBits
	if exp <= 0 {
		return int(v)
	}
	// v has subBits+exp bits, of which the first is 1: the next subBits tell the bucket.
	return exp<<subBits | int(v>>(exp-1))&(subCount-1)
}

// middle is the middle of a bucket.
func middle(b int) int64 {
	exp, sub := b>>subBits, int64(b&(subCount-1))
	if exp == 0 {
		return sub
	}
	width := int64(1) << (exp - 1)
	return (subCount|sub)*width + width/2
}

func (h *hist) add(v int64, m *budget) {
	if v < 0 {
		return
	}
	b := uint(bucket(v))
	var p *page
	if at := int(b/pageSize) - h.low; uint(at) < uint(len(h.pages)) {
		p = h.pages[at]
	}
	if p == nil {
		if p = h.page(int(b/pageSize), m); p == nil {
			h.lost++
			return
		}
	}
	p[b%pageSize]++
	if h.n == 0 || v < h.min {
		h.min = v
	}
	h.n++
	h.max = max(h.max, v)
}

// answers adds the durations of those that are polls, or of those that are none, as add would each.
func (h *hist) answers(list []answer, polls bool, m *budget) {
	pages, low := h.pages, h.low
	n, least, most := h.n, h.min, h.max
	for _, a := range list {
		v, poll := a.of()
		if poll != polls {
			continue
		}
		b := uint(bucket(v))
		at := int(b/pageSize) - low
		if uint(at) >= uint(len(pages)) || pages[at] == nil {
			h.n, h.min, h.max = n, least, most
			h.add(v, m)
			pages, low, n, least, most = h.pages, h.low, h.n, h.min, h.max
			continue
		}
		pages[at][b%pageSize]++
		if n == 0 || v < least {
			least = v
		}
		n++
		most = max(most, v)
	}
	h.n, h.min, h.max = n, least, most
}

// page finds or makes a page; nil where memory is short.
func (h *hist) page(i int, m *budget) *page {
	if at := i - h.low; at >= 0 && at < len(h.pages) && h.pages[at] != nil {
		return h.pages[at]
	}
	if !m.take(pageCost) {
		return nil
	}
	if len(h.pages) == 0 {
		m.take(histCost)
		h.low = i
	}
	if before := h.low - i; before > 0 {
		m.take(int64(before) * 8)
		h.pages = append(make([]*page, before), h.pages...)
		h.low = i
	}
	if more := i - h.low + 1 - len(h.pages); more > 0 {
		m.take(int64(more) * 8)
		h.pages = append(h.pages, make([]*page, more)...)
	}
	p := new(page)
	h.pages[i-h.low] = p
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
	if rank == h.n {
		return h.max // known exactly
	}
	if rank == 1 {
		return h.min
	}
	for i, p := range h.pages {
		if p == nil {
			continue
		}
		for s, n := range p {
			if rank -= n; rank <= 0 && n > 0 {
				return min(max(middle((h.low+i)*pageSize+s), h.min), h.max)
			}
		}
	}
	return h.max
}
