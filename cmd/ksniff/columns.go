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
