// Package escape makes text from the wire harmless in an output: it can neither control a terminal
// nor become a formula in a spreadsheet. All functions append to dst and return it, and allocate nothing
// where dst has room. JSON strings are those of decode.AppendString.
package escape

import (
	"strings"
	"unicode/utf8"
)

const hex = "0123456789abcdef"

// control says whether r would act on a terminal or on the order of the text instead of being shown:
// C0 and C1 controls, and Unicode's marks of line, paragraph and direction.
func control(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r < 0xa0:
		return true
	case r < 0x61c:
		return false
	}
	return r == 0x61c || r >= 0x200e && r <= 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0xfeff
}

// plain is the length of the prefix of s that needs no look at all: printable ASCII.
func plain(s string) int {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c >= 0x7f {
			return i
		}
	}
	return len(s)
}

// Text appends s for people: control characters as \n, \t, \x1b or \u202e, bytes that are no UTF-8
// as \xNN. A backslash stays one, so the text is for reading, not for parsing.
func Text(dst []byte, s string) []byte {
	for {
		n := plain(s)
		dst = append(dst, s[:n]...)
		if s = s[n:]; s == "" {
			return dst
		}
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			dst = append(dst, '\\', 'x', hex[s[0]>>4], hex[s[0]&15])
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\r':
			dst = append(dst, `\r`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case control(r) && r < 0x100:
			dst = append(dst, '\\', 'x', hex[r>>4], hex[r&15])
		case control(r):
			dst = append(dst, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
		default:
			dst = append(dst, s[:size]...)
		}
		s = s[size:]
	}
}

// CSV appends s as a cell (RFC 4180), control characters escaped as by Text. A cell that a
// spreadsheet would take for a formula (it begins with = + - @ | or %, also after spaces) gets a ' in front.
// Numbers of our own need no call of this.
func CSV(dst []byte, s string) []byte {
	start := len(dst)
	dst = Text(dst, s)
	cell := dst[start:]
	formula := false
	if first := strings.TrimLeft(s, " \u00a0\u3000"); first != "" {
		r, _ := utf8.DecodeRuneInString(first)
		// The full-width forms count too: some programs fold them first.
		formula = strings.ContainsRune("=+-@|%＝＋－＠", r)
	}
	quote := false
	quotes := 0
	for _, c := range cell {
		if c == '"' {
			quotes++
		}
		quote = quote || c == '"' || c == ',' || c == ';' || c == '\''
	}
	quote = quote || len(cell) > 0 && (cell[0] == ' ' || cell[len(cell)-1] == ' ')
	if !quote && !formula {
		return dst
	}
	// Make room in place: the cell moves to the right, from its end.
	grow := quotes
	if quote || formula {
		grow += 2
	}
	if formula {
		grow++
	}
	from := len(dst) - 1
	for range grow {
		dst = append(dst, 0)
	}
	to := len(dst) - 1
	dst[to] = '"'
	to--
	for ; from >= start; from-- {
		dst[to] = dst[from]
		to--
		if dst[from] == '"' {
			dst[to] = '"'
			to--
		}
	}
	if formula {
		dst[to] = '\''
	}
	dst[start] = '"'
	return dst
}
