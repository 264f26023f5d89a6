package report

// pipeWidth is what a table is fitted into where there is no terminal, by leaving out columns only:
// no text is cut where a program may read it.
const pipeWidth = 100

// fitting is the order in which a table gives way: columns of at least a rank go, the last first, or
// texts are cut to a width.
var fitting = []struct{ rank, text int }{{5, 0}, {0, 28}, {3, 0}, {0, 24}, {1, 0}, {0, 4}}

func (s *sheet) fit(widths []int, width int) {
	cut := width > 0
	if !cut {
		width = pipeWidth
	}
	for _, f := range fitting {
		for total(widths) > width {
			if f.rank > 0 && !s.drop(widths, f.rank) {
				break
			}
			if f.text > 0 && (!cut || !s.shorten(widths, f.text, total(widths)-width)) {
				break
			}
		}
	}
}

// drop takes out the column of the highest rank, if that is at least rank.
func (s *sheet) drop(widths []int, rank int) bool {
	worst := -1
	for i, c := range s.cols {
		if widths[i] > 0 && c.rank >= rank && (worst < 0 || c.rank >= s.cols[worst].rank) {
			worst = i
		}
	}
	if worst >= 0 {
		widths[worst] = -gutter
	}
	return worst >= 0
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
