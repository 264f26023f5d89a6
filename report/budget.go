package report

import (
	"math"
	"math/bits"

	"ksniff/reassembly/session"
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

// add counts a thing by its hash.
func (c *crowd) add(h hash) {
	if c.bits == nil {
		c.bits = make([]uint64, crowdBits/64)
	}
	h ^= h >> 29
	h *= 0xbf58476d1ce4e5b9
	h = (h >> 32) % crowdBits
	c.bits[h/64] |= 1 << (h % 64)
}

// hash is FNV-1a over texts and numbers; it begins with newHash.
type hash uint64

const newHash hash = 14695981039346656037

func (h hash) text(s string) hash {
	for i := range len(s) {
		h = (h ^ hash(s[i])) * 1099511628211
	}
	return (h ^ 0xff) * 1099511628211
}

func (h hash) number(n int64) hash {
	for range 8 {
		h = (h ^ hash(n&0xff)) * 1099511628211
		n >>= 8
	}
	return h
}

// topic takes what never changes of a topic: another goroutine may just learn its name.
func (h hash) topic(t *session.Topic) hash {
	if t == nil {
		return h.number(-1)
	}
	return h.number(int64(t.Number))
}

func (h hash) client(c *session.Client) hash {
	if c == nil {
		return h.text("")
	}
	h = h.text(c.ID)
	for _, b := range c.Addr {
		h = (h ^ hash(b)) * 1099511628211
	}
	return h
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
