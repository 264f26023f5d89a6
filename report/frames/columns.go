package frames

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// colour is a terminal's way to begin a look; "" is the usual one.
type colour string

const (
	dim    colour = "\x1b[2m"
	bold   colour = "\x1b[1m"
	red    colour = "\x1b[31m"
	green  colour = "\x1b[32m"
	yellow colour = "\x1b[33m"
	cyan   colour = "\x1b[36m"
	normal        = "\x1b[0m"
)

// widest is how far a column grows; a longer cell moves those after it in its own line only.
const widest = 32

// gutter is what lies between columns.
const gutter = 2

// columns aligns lines that come one by one: a column is as wide as its widest cell so far.
type columns struct {
	width  []int
	column int  // of the current line
	used   int  // columns of the terminal taken by the line
	debt   int  // spaces to write before the next cell that is not empty
	colour bool // write colours
	limit  int  // width of the terminal, 0: none
}

func (c *columns) begin() { c.column, c.used, c.debt = 0, 0, 0 }

// cell appends text as the next column; text has no control characters. Nothing goes beyond the
// limit: what does not fit ends with an ellipsis.
func (c *columns) cell(b []byte, look colour, right bool, text []byte) []byte {
	if c.column == len(c.width) {
		c.width = append(c.width, 0)
	}
	width := displayWidth(text)
	most := widest
	if c.limit > 0 {
		most = min(most, c.limit/4)
	}
	if grown := min(width, most); grown > c.width[c.column] {
		c.width[c.column] = grown
	}
	pad := max(0, c.width[c.column]-width)
	if c.column > 0 && c.width[c.column] > 0 {
		c.debt += gutter
	}
	c.column++
	if right {
		c.debt += pad
	}
	if width > 0 {
		if c.limit > 0 && width > c.room() {
			if c.room() < 2 {
				return b
			}
			text = cutEnd(text, c.room())
			width = displayWidth(text)
		}
		for range c.debt {
			b = append(b, ' ')
		}
		c.used += c.debt + width
		c.debt = 0
		if c.colour && look != "" {
			b = append(append(append(b, look...), text...), normal...)
		} else {
			b = append(b, text...)
		}
	}
	if !right {
		c.debt += pad
	}
	return b
}

// room is what the limit leaves for the next cell.
func (c *columns) room() int { return c.limit - c.used - c.debt }

// last appends text to the end of the line, in no column.
func (c *columns) last(b []byte, look colour, text []byte) []byte {
	c.width = c.width[:c.column]
	return c.cell(b, look, false, text)
}

// cutEnd cuts text to a width, with an ellipsis at its end.
func cutEnd(text []byte, width int) []byte {
	if displayWidth(text) <= width {
		return text
	}
	return []byte(runewidth.Truncate(string(text), width, "…"))
}

// cutMiddle cuts a name to a width in its middle: those that begin alike end differently.
func cutMiddle(name []byte, width int) []byte {
	wide := displayWidth(name)
	if wide <= width {
		return name
	}
	head := runewidth.Truncate(string(name), width/2, "")
	tail := runewidth.TruncateLeft(string(name), wide-(width-1-runewidth.StringWidth(head)), "")
	return append(append([]byte(head), "…"...), strings.TrimLeft(tail, " ")...) // half of a wide character is a space
}

// displayWidth is the number of columns of text on a terminal.
func displayWidth(b []byte) int {
	n := 0
	for _, r := range text(b) {
		if r >= 0x300 && r != '→' && r != '←' && r != '…' { // marks and wide characters begin there
			return runewidth.StringWidth(text(b))
		}
		n++
	}
	return n
}
