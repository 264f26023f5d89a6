package main

import (
	"strings"
	"unicode/utf8"
)

// hung breaks the lines that a terminal of so many columns has no room for, at blanks. What is left of a line stands
// below its last column, where that leaves it room.
func hung(text string, width int) string {
	if width <= 0 || width < 20 {
		return text
	}
	var out strings.Builder
	for line := range strings.Lines(text) {
		line, end := strings.TrimRight(line, "\n"), line[len(strings.TrimRight(line, "\n")):]
		indent := strings.Repeat(" ", lastColumn(line, width*3/4))
		for utf8.RuneCountInString(line) > width {
			at := lastBlank(line, len(indent), width)
			if at < 0 {
				at = lastBlank(line, 0, width)
			}
			if at < 0 {
				break
			}
			out.WriteString(strings.TrimRight(line[:at], " ") + "\n")
			line = indent + strings.TrimLeft(line[at:], " ")
		}
		out.WriteString(line + end)
	}
	return out.String()
}

// lastColumn is where the last column of a line begins that is not beyond a limit: after two blanks or more.
func lastColumn(line string, limit int) (column int) {
	at := 0
	for i, r := range line {
		if r != ' ' && at <= limit && (strings.HasSuffix(line[:i], "  ") || strings.TrimLeft(line[:i], " ") == "") {
			column = at
		}
		at++
	}
	return column
}

// lastBlank is the place of the last blank in the first columns of a line and behind its indent, -1 where there is none.
func lastBlank(line string, indent, width int) int {
	at, found := 0, -1
	for i, r := range line {
		if at > width {
			break
		}
		if r == ' ' && at > indent && strings.TrimLeft(line[:i], " ") != "" {
			found = i
		}
		at++
	}
	return found
}
