package decode

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// AppendString writes a JSON string. Bytes that are not UTF-8 become U+FFFD; what could act on a terminal or
// on the order of the text is escaped.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	plain := 0 // s[plain:i] is written as it is
	for i := 0; i < len(s); {
		if c := s[i]; c >= ' ' && c < 0x7f && c != '"' && c != '\\' {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if n > 1 && !acts(r) {
			i += n
			continue
		}
		dst = append(dst, s[plain:i]...)
		i += n
		plain = i
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\r':
			dst = append(dst, `\r`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		default:
			const digits = "0123456789abcdef"
			dst = append(dst, '\\', 'u', digits[r>>12&15], digits[r>>8&15], digits[r>>4&15], digits[r&15])
		}
	}
	return append(append(dst, s[plain:]...), '"')
}

// acts says whether a character does something instead of being shown: C0 and C1 controls, marks of line,
// paragraph and direction.
func acts(r rune) bool {
	switch {
	case r < ' ', r >= 0x7f && r <= 0x9f, r == 0x061c, r >= 0x200e && r <= 0x200f:
		return true
	}
	return r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0xfeff
}

// appendFloat writes a float64 as Java prints it; what is not finite is a string.
func appendFloat(dst []byte, v float64) []byte {
	switch {
	case math.IsNaN(v):
		return append(dst, `"NaN"`...)
	case math.IsInf(v, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(v, -1):
		return append(dst, `"-Infinity"`...)
	}
	if a := math.Abs(v); a == 0 || a >= 1e-3 && a < 1e7 {
		start := len(dst)
		dst = strconv.AppendFloat(dst, v, 'f', -1, 64)
		for _, c := range dst[start:] {
			if c == '.' {
				return dst
			}
		}
		return append(dst, ".0"...)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, v, 'e', -1, 64) // -1.5e-07, 1e+10
	e := start
	for dst[e] != 'e' {
		e++
	}
	exponent, _ := strconv.Atoi(string(dst[e+1:]))
	digits := dst[start:e]
	point := false
	for _, c := range digits {
		point = point || c == '.'
	}
	if dst = dst[:e]; !point {
		dst = append(dst, ".0"...)
	}
	return strconv.AppendInt(append(dst, 'E'), int64(exponent), 10)
}
