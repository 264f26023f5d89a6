package capture

import (
	"math"
	"math/bits"
)

// clock turns the time stamps of one interface into nanoseconds since 1970.
type clock struct {
	exponent uint8 // units are 10^-exponent seconds, or 2^-exponent
	binary   bool
	offset   int64 // seconds to add
}

// time saturates instead of wrapping.
func (c clock) time(ticks uint64) int64 {
	var high, low uint64 // nanoseconds
	switch e := int(c.exponent); {
	case c.binary && e >= 94: // 2^64 · 10^9 < 2^94
	case c.binary:
		high, low = bits.Mul64(ticks, 1e9)
		if e >= 64 {
			high, low = 0, high>>(e-64)
		} else {
			high, low = high>>e, low>>e|high<<(64-e)
		}
	case e <= 9:
		high, low = bits.Mul64(ticks, powers[9-e])
	case e <= 28:
		low = ticks / powers[e-9]
	}
	ns := int64(low)
	if high > 0 || low > math.MaxInt64 {
		ns = math.MaxInt64
	}
	offset := min(max(c.offset, -9e9), 9e9) * 1e9
	switch sum := ns + offset; {
	case offset > 0 && sum < ns:
		return math.MaxInt64
	case sum < math.MinInt64+1:
		return math.MinInt64 + 1 // not NoTime
	default:
		return sum
	}
}

var powers = func() (p [20]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * 10
	}
	return p
}()
