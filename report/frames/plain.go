package frames

import (
	"strconv"

	"ksniff/decode"
	"ksniff/report/escape"
)

// shownTopics is how many topics a line names.
const shownTopics = 3

// Below these widths of a terminal a line leaves out what can be missed, so that who, what, latency, topics and errors
// are seen: below wide the broker, correlation id and microseconds; below middle also the address of a client that has
// an id; below narrow also size, version and fractions of a second.
const (
	wide   = 160
	middle = 120
	narrow = 100
)

// slow is the latency from which it is marked, in nanoseconds.
const slow = 1_000_000_000

// appendPlain appends the line for people and, where asked for, the tree or the hex below it.
func (p *Printer) appendPlain(b []byte, l *line) []byte {
	p.table.colour, p.table.limit = p.options.Colour, p.options.Width
	b = append(p.appendLine(b, l), '\n')
	switch {
	case p.options.Hex:
		b = append(p.appendHex(b), '\n')
	case p.options.Tree:
		b = append(p.appendTree(b), '\n')
	}
	return b
}

func (p *Printer) appendLine(b []byte, l *line) []byte {
	c := &p.table
	c.begin()
	width := c.limit
	if width == 0 {
		width = wide
	}
	text, shown := p.clock.appendTime(p.text[:0], l.time)
	if shown {
		switch {
		case width >= wide || l.time == noTime:
		case width < narrow && p.options.Time == Clock:
			text = text[:len(text)-len(".000000")]
		default:
			text = text[:len(text)-len("000")]
		}
		b = c.cell(b, dim, false, text)
	}
	id := l.clientID()
	text = text[:0]
	look := bold
	if l.kind == decode.Response {
		look = ""
	}
	switch {
	case width >= middle:
		b = c.cell(b, "", false, p.appendEnds(text, l, width >= wide))
	case len(id) > 0:
		b = c.cell(b, cyan, false, cutMiddle(escape.Text(text, id), c.limit/5))
		text = append(append(text, l.arrow()...), ' ')
	default:
		b = c.cell(b, "", false, append(text, p.conns.of(l.conn).ends[l.clientEnd()]...))
		text = append(append(text, l.arrow()...), ' ')
	}
	b = c.cell(b, look, false, l.appendAPI(text, width >= narrow))
	if width >= wide {
		text = text[:0]
		if l.header {
			text = strconv.AppendInt(append(text, '#'), int64(l.id), 10)
		}
		b = c.cell(b, dim, false, text)
	}
	if width >= middle {
		b = c.cell(b, cyan, false, escape.Text(text[:0], id))
	}
	if width >= narrow {
		b = c.cell(b, "", true, appendSize(text[:0], int64(l.length)))
	}
	text, look = text[:0], ""
	if l.latency >= 0 {
		text = appendLatency(text, l.latency)
		if l.latency >= slow {
			look = yellow
		}
	}
	b = c.cell(b, look, true, text)
	p.text = text[:0]
	p.trouble = p.appendTrouble(p.trouble[:0], l)
	text = p.appendTopics(text[:0], l)
	if c.limit == 0 || len(p.trouble) == 0 {
		b = c.cell(b, green, false, text)
		return c.cell(b, red, false, p.trouble)
	}
	// Both are seen, as far as there is room for them; no column is kept for what other lines have.
	if room, trouble := c.room()-2*gutter, displayWidth(p.trouble); displayWidth(text)+trouble > room {
		text = cutEnd(text, max(room-trouble, room/2, 0))
	}
	return c.last(c.last(b, green, text), red, p.trouble)
}

// appendEnds appends client and broker, in this order, or the client alone: the arrow says who speaks.
func (p *Printer) appendEnds(b []byte, l *line, both bool) []byte {
	ends, client := p.conns.of(l.conn).ends, l.clientEnd()
	b = append(append(append(b, ends[client]...), ' '), l.arrow()...)
	if !both {
		return b
	}
	return append(append(b, ' '), ends[1-client]...)
}

// clientEnd is the end of the connection that sends requests.
func (l *line) clientEnd() uint8 {
	if l.kind == decode.Response {
		return 1 - l.side
	}
	return l.side
}

// arrow points away from who speaks, the client on its left.
func (l *line) arrow() string {
	if l.kind == decode.Response {
		return "←"
	}
	return "→"
}

func (l *line) appendAPI(b []byte, version bool) []byte {
	name := l.name
	switch {
	case l.token:
		return append(b, "SASL token"...)
	case name == "" && l.key >= 0:
		b = strconv.AppendInt(append(b, "API "...), int64(l.key), 10)
	case name == "":
		b = append(b, '?')
	default:
		b = append(b, name...)
	}
	if version && l.version >= 0 {
		b = strconv.AppendInt(append(b, " v"...), int64(l.version), 10)
	}
	return b
}

func (p *Printer) appendTopics(b []byte, l *line) []byte {
	names := p.lines.topicsOf(l)
	for i, name := range names[:min(len(names), shownTopics)] {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = escape.Text(b, name)
	}
	if more := len(names) - shownTopics; more > 0 {
		b = append(strconv.AppendInt(append(b, " and "...), int64(more), 10), " more"...)
	}
	return b
}

// appendTrouble appends what is wrong or not known: error, fault, missing request.
func (p *Printer) appendTrouble(b []byte, l *line) []byte {
	b = append(b, l.error...)
	if l.inferred {
		b = append(comma(b), "inferred"...)
	}
	if l.orphan {
		b = append(comma(b), "no request"...)
	}
	if l.doubt != noDoubt {
		b = append(comma(b), doubts[l.doubt][1]...)
	}
	if l.fault >= 0 {
		fault := &p.lines.faults[l.fault]
		b = append(append(append(comma(b), fault.Code.String()...), ": "...), fault.Message()...)
		if fault.path != "" {
			b = append(append(append(b, " ("...), fault.path...), ')')
		}
		b = strconv.AppendInt(append(b, " @0x"...), int64(fault.Offset), 16)
	}
	return b
}

func comma(b []byte) []byte {
	if len(b) > 0 {
		b = append(b, ", "...)
	}
	return b
}

// appendSize appends bytes with three digits at least, in powers of ten.
func appendSize(b []byte, n int64) []byte {
	if n < 1_000 {
		return append(strconv.AppendInt(b, n, 10), " B"...)
	}
	value, unit := float64(n)/1e3, " kB"
	for _, larger := range []string{" MB", " GB", " TB"} {
		if value < 1000 {
			break
		}
		value, unit = value/1e3, larger
	}
	return append(strconv.AppendFloat(b, value, 'f', decimals(value), 64), unit...)
}

// appendLatency appends nanoseconds with three digits.
func appendLatency(b []byte, ns int64) []byte {
	if ns < 0 {
		b, ns = append(b, '-'), -ns
	}
	value, unit := float64(ns)/1e3, " µs"
	if value >= 1000 {
		value, unit = value/1e3, " ms"
	}
	if value >= 1000 {
		value, unit = value/1e3, " s"
	}
	return append(strconv.AppendFloat(b, value, 'f', decimals(value), 64), unit...)
}

// decimals gives three digits in all.
func decimals(value float64) int {
	switch {
	case value >= 100:
		return 0
	case value >= 10:
		return 1
	}
	return 2
}
