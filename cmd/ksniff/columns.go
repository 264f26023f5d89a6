package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// columns writes rows of cells, aligned; columns that are empty are left out.
func columns(w io.Writer, rows [][]string, head ...string) {
	if head != nil {
		rows = append([][]string{head}, rows...)
	}
	var widths []int
	for i, row := range rows {
		for c, cell := range row {
			if c == len(widths) {
				widths = append(widths, 0)
			}
			if i > 0 || head == nil || c == 0 {
				widths[c] = max(widths[c], utf8.RuneCountInString(cell))
			}
		}
	}
	for c, cell := range head {
		if widths[c] > 0 {
			widths[c] = max(widths[c], len(cell))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for c, cell := range row {
			if widths[c] > 0 {
				fmt.Fprintf(&line, "%-*s  ", widths[c], cell)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
}

// aligned is what columns writes.
func aligned(rows [][]string, head ...string) string {
	var b strings.Builder
	columns(&b, rows, head...)
	return b.String()
}

// fitted writes rows if they have room in a terminal of so many columns, 0: a pipe, where they always have.
func fitted(w io.Writer, width int, rows [][]string, head ...string) bool {
	text := aligned(rows, head...)
	if width > 0 {
		for line := range strings.Lines(text) {
			if utf8.RuneCountInString(strings.TrimRight(line, "\n")) > width {
				return false
			}
		}
	}
	io.WriteString(w, text)
	return true
}
