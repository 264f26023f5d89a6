package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mattn/go-runewidth"
)

// TableStyle says how a table is drawn.
type TableStyle struct {
	Width int  // columns of a line; 0: a pipe's, where only columns of less use are left out
	Whole bool // no text is cut, whatever the width
	Wide  bool // all columns, however wide that gets
	Color bool // ANSI colours
}

// Table writes the report for people: aligned text, one line a row, nothing that a pipe would not want.
func Table(w io.Writer, r Page, style TableStyle) error {
	b := bufio.NewWriter(w)
	p := painter{style.Color}
	summary := r.summary()
	for i, line := range summary {
		if i == len(summary)-1 {
			line = p.paint(r.color(), line)
		}
		Wrap(b, style.Width, "", "  ", line)
	}
	advice := r.Advice()
	cut := false
	for _, s := range r.sheets() {
		fmt.Fprintf(b, "\n%s\n", p.bold(s.title))
		left, short := s.draw(b, p, style)
		cut = cut || short
		if s.note != "" {
			Wrap(b, style.Width, "", "  ", s.note)
		}
		if len(left) > 0 {
			Wrap(b, style.Width, "", "  ", "Left out: "+strings.Join(left, ", ")+"; --wide shows all.")
		}
	}
	if cut {
		advice = append(advice, "… stands for what has no room here; --wide shows it.")
	}
	if len(advice) > 0 {
		fmt.Fprintf(b, "\n%s\n", p.bold("Good to know"))
		for _, line := range advice {
			Wrap(b, style.Width, "", "  ", "- "+line)
		}
	}
	return b.Flush()
}

// painter colours text, or leaves it.
type painter struct{ on bool }

func (p painter) paint(code, s string) string {
	if !p.on || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (p painter) bold(s string) string { return p.paint("1", s) }
func (p painter) dim(s string) string  { return p.paint("2", s) }
func (p painter) red(s string) string  { return p.paint("31", s) }

const gutter = 2

// draw writes the sheet: where it is too wide, columns of high rank go first, then text is cut. It says what it
// left out, and whether it cut something.
func (s *sheet) draw(b *bufio.Writer, p painter, style TableStyle) (left []string, cut bool) {
	widths := make([]int, len(s.cols))
	for i, c := range s.cols {
		empty := len(s.rows) > 0
		for _, row := range s.rows {
			widths[i] = max(widths[i], runewidth.StringWidth(row[i]))
			empty = empty && row[i] == ""
		}
		if empty && c.rank > 0 {
			widths[i] = -gutter // a column that says nothing
			continue
		}
		widths[i] = max(widths[i], runewidth.StringWidth(c.head))
	}
	left = s.fit(widths, style)
	s.groupLine(b, p, widths)
	heads := make([]string, len(s.cols))
	for i, c := range s.cols {
		heads[i] = c.head
	}
	s.line(b, p, heads, widths, p.dim)
	for _, row := range s.rows {
		for row != nil {
			var rest []string
			row, rest = s.flow(row, widths)
			cut = s.line(b, p, row, widths, nil) || cut
			row = rest
		}
	}
	return left, cut
}

// flow gives what has room of a row, and the rest of it, nil where all has.
func (s *sheet) flow(row []string, widths []int) (first, rest []string) {
	for i, c := range s.cols {
		if widths[i] < 0 || runewidth.StringWidth(row[i]) <= widths[i] || c.head != s.flows {
			continue
		}
		room := runewidth.Truncate(row[i], widths[i]+1, "")
		end := strings.LastIndex(room, ", ") + 1 // of a list, or of words
		if end <= 0 {
			end = strings.LastIndex(room, " ")
		}
		if end <= 0 {
			continue
		}
		if rest == nil {
			first, rest = slices.Clone(row), make([]string, len(row))
		}
		first[i], rest[i] = row[i][:end], strings.TrimLeft(row[i][end:], " ")
	}
	if rest == nil {
		return row, nil
	}
	return first, rest
}

func total(widths []int) int {
	n := -gutter
	for _, w := range widths {
		n += w + gutter
	}
	return n
}

// groupLine writes the names of groups of columns over them, where there are any.
func (s *sheet) groupLine(b *bufio.Writer, p painter, widths []int) {
	line := ""
	for i := 0; i < len(s.cols); {
		group, span := s.cols[i].group, -gutter
		for ; i < len(s.cols) && s.cols[i].group == group; i++ {
			span += widths[i] + gutter
		}
		if span <= 0 {
			continue
		}
		text := strings.Repeat(" ", span)
		if group != "" {
			rules := span - len(group) - 2
			if rules < 0 { // wider than its columns
				line += runewidth.FillRight(runewidth.Truncate(group, span, "…"), span+gutter)
				continue
			}
			text = strings.Repeat("─", rules/2) + " " + group + " " + strings.Repeat("─", rules-rules/2)
		}
		line += text + strings.Repeat(" ", gutter)
	}
	if line = strings.TrimRight(line, " "); line != "" {
		fmt.Fprintln(b, p.dim(line))
	}
}

// line writes a row, and says whether it cut something.
func (s *sheet) line(b *bufio.Writer, p painter, cells []string, widths []int, paint func(string) string) (cut bool) {
	var line strings.Builder
	for i, c := range s.cols {
		if widths[i] < 0 {
			continue
		}
		text := cells[i]
		if runewidth.StringWidth(text) > widths[i] {
			text, cut = shortened(text, widths[i], c.rank == 0), true
		}
		pad := strings.Repeat(" ", widths[i]-runewidth.StringWidth(text))
		switch {
		case paint != nil:
			text = paint(text)
		case c.head == "ERRORS" || c.head == "ERROR":
			text = p.red(text)
		}
		if line.Len() > 0 {
			line.WriteString(strings.Repeat(" ", gutter))
		}
		if c.right {
			line.WriteString(pad + text)
		} else {
			line.WriteString(text + pad)
		}
	}
	fmt.Fprintln(b, strings.TrimRight(line.String(), " "))
	return cut
}

// shortened cuts a text to a width: names in their middle, since those that begin alike end differently.
func shortened(text string, width int, middle bool) string {
	if !middle || width < 8 {
		return runewidth.Truncate(text, width, "…")
	}
	head := runewidth.Truncate(text, width/2, "")
	left := width - 1 - runewidth.StringWidth(head)
	tail := runewidth.TruncateLeft(text, runewidth.StringWidth(text)-left, "")
	return head + "…" + strings.TrimLeft(tail, " ") // half of a wide character is a space
}

// textWidth is the width of a text without its colours.
func textWidth(s string) int {
	for {
		from := strings.Index(s, "\x1b[")
		if from < 0 {
			return runewidth.StringWidth(s)
		}
		to := from + strings.IndexByte(s[from:], 'm')
		s = s[:from] + s[to+1:]
	}
}

// Wrap writes a text in lines of at most width columns, 0: in one, broken at blanks; the first one behind one indent, the
// others behind another.
func Wrap(w io.Writer, width int, first, others, text string) {
	line := first
	for i, word := range strings.Split(text, " ") {
		switch {
		case i > 0 && width > 0 && textWidth(line)+1+textWidth(word) > width:
			fmt.Fprintln(w, line)
			line = others + word
		case i > 0:
			line += " " + word
		default:
			line += word
		}
	}
	fmt.Fprintln(w, line)
}
