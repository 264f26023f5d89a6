package report

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Human forms of numbers, for tables only. Every one is short: at most 8 columns up to the billions.

// grouped writes a whole number with thin groups: 12,345.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if s[0] == '-' {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// short writes a number with three digits at most and a decimal suffix: 1.23k, 45.6M.
func short(f float64) string {
	return scaled(f, []string{"", "k", "M", "G", "T", "P", "E"}, "")
}

// size writes bytes with a decimal unit, as network people count: 1.2 MB.
func size(n float64) string {
	return scaled(n, []string{"B", "kB", "MB", "GB", "TB", "PB", "EB"}, " ")
}

func scaled(f float64, units []string, gap string) string {
	i := 0
	// 999.5 would be rounded to four digits.
	for math.Abs(f) >= 999.5 && i < len(units)-1 {
		f /= 1000
		i++
	}
	digits := 0
	if i > 0 || f != math.Trunc(f) {
		switch a := math.Abs(f); {
		case a < 9.995:
			digits = 2
		case a < 99.95:
			digits = 1
		}
	}
	s := strconv.FormatFloat(f, 'f', digits, 64)
	if units[i] == "" {
		gap = ""
	}
	return s + gap + units[i]
}

// millis writes a duration given in milliseconds with its best unit: 12 µs, 1.5 ms, 2.3 s.
func millis(ms float64) string {
	switch {
	case ms <= 0:
		return "0 ms"
	case ms < .9995:
		return scaled(ms*1000, []string{"µs"}, " ")
	case ms < 999.5:
		return scaled(ms, []string{"ms"}, " ")
	case ms < 60e3:
		return scaled(ms/1000, []string{"s"}, " ")
	}
	return time.Duration(ms * 1e6).Round(time.Second).String()
}

// percent never rounds up to 100 or down to 0.
func percent(f float64) string {
	switch {
	case f == 1 || f == 0:
		return strconv.Itoa(int(f*100)) + " %"
	case f > .9999:
		return "> 99.99 %"
	case f < .0001:
		return "< 0.01 %"
	}
	return strings.TrimRight(strings.TrimRight(strconv.FormatFloat(f*100, 'f', 2, 64), "0"), ".") + " %"
}

// plural writes a count with its noun: 1 topic, 2 topics.
func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return grouped(n) + " " + noun + "s"
}
