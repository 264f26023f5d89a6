package frames

import (
	"html"
	"strconv"
	"strings"

	"ksniff/decode"
	"ksniff/report/escape"
)

// The columns of a document: what the line for people has, each in a cell of its own.
var documentHeads = [...]string{"packet", "time", "client", "broker", "kind", "API", "correlation id", "client id", "bytes", "ms", "topics", "error"}

// documentRight says which of them are numbers.
const documentRight = 1<<0 | 1<<6 | 1<<8 | 1<<9

// cells calls cell with the text of each column in turn; control characters are escaped.
func (p *Printer) cells(l *line, cell func(column int, text []byte)) {
	column := 0
	next := func(b []byte) {
		cell(column, b)
		column++
		p.text = b[:0]
	}
	next(strconv.AppendUint(p.text[:0], l.packet, 10))
	text := p.text[:0]
	if l.time != noTime {
		text = p.clock.appendRFC3339(text, l.time)
	}
	next(text)
	client := l.side
	if l.kind == decode.Response {
		client = 1 - client
	}
	ends := p.conns.of(l.conn).ends
	next(append(p.text[:0], ends[client]...))
	next(append(p.text[:0], ends[1-client]...))
	next(append(p.text[:0], l.kind.String()...))
	next(l.appendAPI(p.text[:0], true))
	next(appendIf(p.text[:0], int64(l.id), l.header))
	next(escape.Text(p.text[:0], l.clientID()))
	next(strconv.AppendInt(p.text[:0], int64(l.length), 10))
	text = p.text[:0]
	if l.latency >= 0 {
		text = appendMillis(text, l.latency)
	}
	next(text)
	next(p.appendTopics(p.text[:0], l))
	next(p.appendTrouble(p.text[:0], l))
}

// begin appends what comes before the first frame, in formats that have such a thing.
func (p *Printer) begin(b []byte) []byte {
	switch p.options.Format {
	case CSV:
		return append(b, csvHeader...)
	case Markdown:
		rules := "|"
		for i, head := range documentHeads {
			b = append(append(append(b, "| "...), head...), ' ')
			if rules += " ---"; documentRight>>i&1 == 1 {
				rules += ":"
			}
			rules += " |"
		}
		return append(append(append(b, "|\n"...), rules...), '\n')
	case HTML:
		b = append(b, documentTop...)
		for _, head := range documentHeads {
			b = append(append(append(b, "<th>"...), head...), "</th>"...)
		}
		return append(b, "</tr></thead><tbody>\n"...)
	}
	return b
}

// documentTop begins a page that needs nothing else.
const documentTop = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Kafka frames</title>
<style>
:root { color-scheme: light dark }
body { font: 14px system-ui, sans-serif; margin: 1em }
table { border-collapse: collapse }
th, td { padding: 2px 8px; text-align: left; white-space: nowrap }
thead th { position: sticky; top: 0; background: Canvas; border-bottom: 1px solid }
td.n { text-align: right; font-variant-numeric: tabular-nums }
tr.bad td:last-child { color: #d33; white-space: normal }
tbody tr:hover { background: color-mix(in srgb, CanvasText 8%, Canvas) }
</style></head><body><table><thead><tr>`

const documentEnd = "</tbody></table></body></html>\n"

// appendMarkdown appends the frame as a row of a table of GitHub's Markdown.
func (p *Printer) appendMarkdown(b []byte, l *line) []byte {
	p.cells(l, func(_ int, text []byte) {
		b = append(b, "| "...)
		for _, c := range text {
			if strings.IndexByte("\\|`*_[]<>&~#@", c) >= 0 {
				b = append(b, '\\')
			}
			b = append(b, c)
		}
		b = append(b, ' ')
	})
	return append(b, '|', '\n')
}

// appendHTML appends the frame as a row.
func (p *Printer) appendHTML(b []byte, l *line) []byte {
	b = append(b, "<tr"...)
	if l.error != "" || l.fault >= 0 {
		b = append(b, ` class="bad"`...)
	}
	b = append(b, '>')
	p.cells(l, func(column int, text []byte) {
		if documentRight>>column&1 == 1 {
			b = append(b, `<td class="n">`...)
		} else {
			b = append(b, "<td>"...)
		}
		b = append(append(b, html.EscapeString(string(text))...), "</td>"...)
	})
	return append(b, "</tr>\n"...)
}
