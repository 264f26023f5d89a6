package filter

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Error says what is wrong with an expression, and where.
type Error struct {
	Source   string // the whole expression
	From, To int    // byte offsets of the part that is wrong
	Message  string
}

func fail(source string, from, to int, format string, args ...any) *Error {
	return &Error{source, from, to, fmt.Sprintf(format, args...)}
}

// Column is the column of the error, counted in characters from 1.
func (e *Error) Column() int { return utf8.RuneCountInString(e.Source[:e.From]) + 1 }

// Error gives three lines: the message, the expression, and a caret below the part that is wrong.
func (e *Error) Error() string {
	line := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, e.Source)
	wide := max(1, utf8.RuneCountInString(e.Source[e.From:e.To]))
	return fmt.Sprintf("filter, column %d: %s\n  %s\n  %s^%s",
		e.Column(), e.Message, line, strings.Repeat(" ", e.Column()-1), strings.Repeat("~", wide-1))
}

// nearest gives "; NAME?" for the name that is most like what was written, "" where none is alike.
func nearest(written string, names func(yield func(string) bool)) string {
	if len(written) > 64 {
		return ""
	}
	best, least := "", 1+len(written)/3
	for name := range names {
		if d := distance(strings.ToLower(written), strings.ToLower(name), least); d < least || d == least && best == "" {
			best, least = name, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// distance counts the letters to change, add, drop or swap to make b of a; above most it may stop.
func distance(a, b string, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	var before []int
	row, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = append(before[:0], last...), row, last
	}
	return last[len(b)]
}
