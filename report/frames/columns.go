package frames

import "github.com/mattn/go-runewidth"

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
	if grown := min(width, widest); grown > c.width[c.column] {
		c.width[c.column] = grown
	}
	pad := max(0, c.width[c.column]-width)
	if c.column > 0 && c.width[c.column] > 0 {
		c.debt += 2
	}
	c.column++
	if right {
		c.debt += pad
	}
	if width > 0 {
		if c.limit > 0 && c.used+c.debt+width > c.limit {
			room := c.limit - c.used - c.debt
			if room < 2 {
				return b
			}
			text = append([]byte(runewidth.Truncate(string(text), room-1, "")), "…"...)
			width = room
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
