package frames

import (
	"strconv"
	"time"
)

// TimeStyle is how the time of a frame is shown, as tcpdump's -t to -ttttt.
type TimeStyle uint8

// The styles.
const (
	Clock    TimeStyle = iota // 12:00:01.123456, the usual one
	NoClock                   // -t: none
	Epoch                     // -tt: seconds since 1970
	Delta                     // -ttt: since the line before
	DateTime                  // -tttt: with the date
	Elapsed                   // -ttttt: since the first line
)

// noTime is the time of a packet that carries none, as capture and reassembly have it.
const noTime = -1 << 63

// clock writes times. It keeps the text of the current second, since most frames share it.
type clock struct {
	style       TimeStyle
	second      int64
	text        [19]byte // 2006-01-02T15:04:05
	first, last int64
	begun       bool
}

// stamp fills text for the second that ns lies in, and gives the nanoseconds within it.
func (c *clock) stamp(ns int64) int64 {
	second := ns / 1e9
	rest := ns % 1e9
	if rest < 0 {
		second, rest = second-1, rest+1e9
	}
	if second != c.second || c.text[0] == 0 {
		c.second = second
		t := time.Unix(second, 0).UTC()
		if t.Year() < 0 || t.Year() > 9999 { // no such date in RFC 3339; nanoseconds since 1970 reach 1677 to 2262
			t = time.Unix(0, 0).UTC()
		}
		t.AppendFormat(c.text[:0], "2006-01-02T15:04:05")
	}
	return rest
}

// appendRFC3339 appends ns since 1970 with nanoseconds, UTC.
func (c *clock) appendRFC3339(b []byte, ns int64) []byte {
	rest := c.stamp(ns)
	b = append(b, c.text[:]...)
	at := len(b)
	b = append(b, ".000000000Z"...)
	d := b[at : at+11] // one check of bounds for all digits
	low := rest % 100_000
	high := rest / 100_000
	put2(d[1:3], high/100)
	put2(d[3:5], high%100)
	put2(d[5:7], low/1000)
	put2(d[7:9], low/10%100)
	d[9] = '0' + byte(low%10)
	return b
}

// appendTime appends the time of a line in the style asked for, and says whether there is such a column.
func (c *clock) appendTime(b []byte, ns int64) ([]byte, bool) {
	if c.style == NoClock {
		return b, false
	}
	if ns == noTime {
		return append(b, '-'), true
	}
	if !c.begun {
		c.first, c.last, c.begun = ns, ns, true
	}
	before := c.last
	c.last = ns
	switch c.style {
	case Epoch:
		rest := c.stamp(ns)
		return appendFraction(strconv.AppendInt(b, c.second, 10), rest/1000, 6), true
	case Delta:
		return appendSpan(b, ns-before), true
	case Elapsed:
		return appendSpan(b, ns-c.first), true
	}
	rest := c.stamp(ns)
	if c.style == DateTime {
		b = append(append(b, c.text[:10]...), ' ')
	}
	return appendFraction(append(b, c.text[11:]...), rest/1000, 6), true
}

// appendFraction appends a point and n with so many digits.
func appendFraction(b []byte, n int64, digits int) []byte {
	b = append(b, ".000000000"[:1+digits]...)
	for i := len(b); n > 0; n /= 100 {
		pair := n % 100 * 2
		if i--; b[i] == '.' {
			break
		}
		b[i] = hundred[pair+1]
		if i--; b[i] != '.' {
			b[i] = hundred[pair]
		}
	}
	return b
}

// put2 writes a number below 100 with two digits.
func put2(b []byte, n int64) {
	pair := hundred[n*2 : n*2+2]
	b[0], b[1] = pair[0], pair[1]
}

// appendUint appends n in decimal.
func appendUint(b []byte, n uint64) []byte {
	var digits [20]byte
	i := len(digits)
	for n >= 100 {
		pair := n % 100 * 2
		n /= 100
		i -= 2
		digits[i], digits[i+1] = hundred[pair], hundred[pair+1]
	}
	i--
	digits[i] = hundred[n*2+1]
	if n >= 10 {
		i--
		digits[i] = hundred[n*2]
	}
	return append(b, digits[i:]...)
}

// appendInt does the same for what may be negative.
func appendInt(b []byte, n int64) []byte {
	if n < 0 {
		return appendUint(append(b, '-'), -uint64(n))
	}
	return appendUint(b, uint64(n))
}

// hundred has the numbers below 100, two digits each.
const hundred = "00010203040506070809" +
	"10111213141516171819" +
	"20212223242526272829" +
	"30313233343536373839" +
	"40414243444546474849" +
	"50515253545556575859" +
	"60616263646566676869" +
	"70717273747576777879" +
	"80818283848586878889" +
	"90919293949596979899"

// appendSpan appends a time between two lines as tcpdump does: hours:minutes:seconds.microseconds.
func appendSpan(b []byte, ns int64) []byte {
	if ns < 0 {
		b, ns = append(b, '-'), -ns
	}
	s := ns / 1e9
	b = two(b, s/3600)
	b = two(append(b, ':'), s/60%60)
	b = two(append(b, ':'), s%60)
	return appendFraction(b, ns%1e9/1000, 6)
}

func two(b []byte, n int64) []byte {
	if n < 10 {
		b = append(b, '0')
	}
	return strconv.AppendInt(b, n, 10)
}

// appendMillis appends ns as milliseconds, exact, without zeros at the end.
func appendMillis(b []byte, ns int64) []byte {
	if ns < 0 {
		b, ns = append(b, '-'), -ns
	}
	b = strconv.AppendInt(b, ns/1e6, 10)
	if rest := ns % 1e6; rest > 0 {
		b = appendFraction(b, rest, 6)
		for b[len(b)-1] == '0' {
			b = b[:len(b)-1]
		}
	}
	return b
}

// appendMillisTime appends milliseconds since 1970 as records have them, in UTC.
func appendMillisTime(b []byte, ms int64) []byte {
	t := time.UnixMilli(ms).UTC()
	if y := t.Year(); y < 0 || y > 9999 {
		return append(strconv.AppendInt(b, ms, 10), " ms"...)
	}
	return t.AppendFormat(b, "2006-01-02T15:04:05.000Z")
}
