package report

import (
	"slices"
	"strings"
)

// pipeWidth is what a table keeps to where there is no terminal, as far as columns of rank spare and more can do it:
// the others are what the report is about, and no text is cut where a program may read it.
const (
	pipeWidth = 100
	spare     = 5
)

// fitting is the order in which a table gives way: columns of at least a rank go, the last first, or
// texts are cut to a width.
var fitting = []struct{ rank, text int }{{spare, 0}, {0, 28}, {3, 0}, {0, 24}, {1, 0}, {0, 4}}

// fit makes a sheet as narrow as the style wants it, and names what was left out for it.
func (s *sheet) fit(widths []int, style TableStyle) []string {
	if style.Wide {
		return nil
	}
	var left []column
	natural := slices.Clone(widths)
	width, steps := style.Width, fitting
	if width == 0 {
		width, steps = pipeWidth, fitting[:1]
	}
	for _, f := range steps {
		for total(widths) > width {
			if f.rank > 0 {
				c := s.drop(widths, f.rank)
				if c == nil {
					break
				}
				left = append(left, *c)
			}
			if f.text > 0 && (style.Whole || !s.shorten(widths, f.text, total(widths)-width)) {
				break
			}
		}
	}
	for i := range widths { // what columns that went left over is for texts that were cut before
		if spare := width - total(widths); widths[i] > 0 && widths[i] < natural[i] && spare > 0 {
			widths[i] += min(spare, natural[i]-widths[i])
		}
	}
	return s.leftOut(left, widths)
}

// drop takes out the column of the highest rank, if that is at least rank.
func (s *sheet) drop(widths []int, rank int) *column {
	worst := -1
	for i, c := range s.cols {
		if widths[i] > 0 && c.rank >= rank && (worst < 0 || c.rank >= s.cols[worst].rank) {
			worst = i
		}
	}
	if worst < 0 {
		return nil
	}
	widths[worst] = -gutter
	return &s.cols[worst]
}

// leftOut names columns that have no room, in the order of the sheet: with their group, where that tells
// them from one that is shown.
func (s *sheet) leftOut(left []column, widths []int) (names []string) {
	for _, c := range s.cols {
		if !slices.Contains(left, c) || slices.Contains(names, c.head) {
			continue
		}
		name := c.head
		for i, o := range s.cols {
			if o.head == c.head && widths[i] > 0 {
				name = strings.TrimSpace(c.group + " " + c.head)
			}
		}
		names = append(names, name)
	}
	return names
}

// shorten cuts the widest text by at most n columns, but not below least.
func (s *sheet) shorten(widths []int, least, n int) bool {
	widest := -1
	for i, c := range s.cols {
		if !c.right && widths[i] > least && (widest < 0 || widths[i] > widths[widest]) {
			widest = i
		}
	}
	if widest >= 0 {
		widths[widest] = max(least, widths[widest]-n)
	}
	return widest >= 0
}
