package filter

import (
	"cmp"
	"math"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// units of sizes, in bytes.
var units = map[string]float64{
	"b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
}

// quantity is a number: a whole one exactly, any other as a float.
type quantity struct {
	whole bool
	i     int64
	f     float64
}

func whole(i int64) quantity { return quantity{true, i, float64(i)} }

// number reads an integer, also hexadecimal, or a decimal fraction.
func number(s string) (quantity, bool) {
	if i, err := strconv.ParseInt(s, 0, 64); err == nil {
		return whole(i), true
	}
	f, err := strconv.ParseFloat(s, 64)
	return quantity{f: f}, err == nil && !math.IsNaN(f) && !math.IsInf(f, 0)
}

// size reads 1500, 1.5MB (10⁶) or 1MiB (2²⁰), in bytes.
func size(s string) (quantity, bool) {
	if q, ok := number(s); ok {
		return q, true
	}
	digits := strings.TrimRightFunc(s, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' })
	unit, ok := units[strings.ToLower(s[len(digits):])]
	n, isNumber := number(digits)
	return quantity{f: n.f * unit}, ok && isNumber
}

// duration reads 100ms, 1.5s, 1m30s, in nanoseconds.
func duration(s string) (quantity, bool) {
	d, err := time.ParseDuration(s)
	return whole(int64(d)), err == nil
}

// compare gives -1, 0 or 1 as v is below, at or above q.
func (q quantity) compare(v Value) int {
	switch {
	case v.Kind == Real:
		return cmp.Compare(v.Float, q.f)
	case q.whole:
		return cmp.Compare(v.Int, q.i)
	}
	return cmp.Compare(float64(v.Int), q.f)
}

// layouts of moments; those without a zone are UTC, and the ones of day alone hold no date.
var (
	moments = []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"}
	clocks  = []string{"15:04:05", "15:04"}
)

const day = int64(24 * time.Hour)

// moment reads a time, in nanoseconds: since 1970, or (ofDay) since midnight of the capture's first day.
func moment(s string) (ns int64, ofDay, ok bool) {
	for _, layout := range moments {
		if t, err := time.Parse(layout, s); err == nil && t.Year() > 1900 && t.Year() < 2200 {
			return t.UnixNano(), false, true
		}
	}
	for _, layout := range clocks {
		if t, err := time.Parse(layout, s); err == nil {
			return int64(time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute +
				time.Duration(t.Second())*time.Second + time.Duration(t.Nanosecond())), true, true
		}
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil && math.Abs(f) < 7e9 {
		return int64(f * 1e9), false, true
	}
	return 0, false, false
}

// address is an address, a network, or one port of an address.
type address struct {
	net  netip.Prefix
	port int32 // -1: any
}

func parseAddress(s string) (address, bool) {
	bare := strings.TrimSuffix(strings.TrimPrefix(s, "["), "]")
	if a, err := netip.ParseAddr(bare); err == nil {
		a = a.Unmap().WithZone("")
		return address{netip.PrefixFrom(a, a.BitLen()), -1}, true
	}
	if a, err := netip.ParseAddrPort(s); err == nil {
		ip := a.Addr().Unmap().WithZone("")
		return address{netip.PrefixFrom(ip, ip.BitLen()), int32(a.Port())}, true
	}
	p, err := netip.ParsePrefix(s)
	return address{p, -1}, err == nil
}

// has says whether an endpoint, its address as in session, lies in a.
func (a address) has(addr [16]byte, port int32) bool {
	return (a.port < 0 || a.port == port) && a.net.Contains(netip.AddrFrom16(addr).Unmap())
}
