package report

import (
	"math"
	"math/bits"
)

// budget is the memory that aggregates may still take, in bytes.
type budget struct{ left int64 }

// take says whether n bytes may be used, and counts them.
func (b *budget) take(n int64) bool {
	if b.left < n {
		b.left = 0 // what is full stays full: a later, smaller one would look like a choice
		return false
	}
	b.left -= n
	return true
}

// crowd estimates how many different things were left out, in 8 KiB (linear counting): within 2 %
// up to 200,000, a lower bound from half a million on. Two runs over one capture agree.
type crowd struct{ bits []uint64 }

const crowdBits = 1 << 16

func (c *crowd) add(names ...string) {
	if c.bits == nil {
		c.bits = make([]uint64, crowdBits/64)
	}
	h := uint64(14695981039346656037) // FNV-1a
	for _, name := range names {
		for i := range len(name) {
			h = (h ^ uint64(name[i])) * 1099511628211
		}
		h = (h ^ 0xff) * 1099511628211
	}
	h ^= h >> 29
	h *= 0xbf58476d1ce4e5b9
	h = (h >> 32) % crowdBits
	c.bits[h/64] |= 1 << (h % 64)
}

func (c *crowd) count() int64 {
	if c.bits == nil {
		return 0
	}
	ones := 0
	for _, w := range c.bits {
		ones += bits.OnesCount64(w)
	}
	empty := max(crowdBits-ones, 1)
	return int64(math.Round(-crowdBits * math.Log(float64(empty)/crowdBits)))
}
