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
func (p *Printer) cells(cell func(column int, text []byte)) {
	f := &p.frame
	column := 0
	next := func(b []byte) {
		cell(column, b)
		column++
		p.text = b[:0]
	}
	next(strconv.AppendUint(p.text[:0], f.Last.Packet, 10))
	text := p.text[:0]
	if f.Last.Time != noTime {
		text = p.clock.appendRFC3339(text, f.Last.Time)
	}
	next(text)
	client := f.Side
	if f.Kind == decode.Response {
		client = 1 - client
	}
	ends := p.ends.of(f.Conn)
	next(append(p.text[:0], ends[client]...))
	next(append(p.text[:0], ends[1-client]...))
	next(append(p.text[:0], f.Kind.String()...))
	next(p.appendAPI(p.text[:0]))
	next(appendIf(p.text[:0], int64(f.CorrelationID), f.HasHeader))
	id, _ := p.clientID()
	next(escape.Text(p.text[:0], id))
	next(strconv.AppendInt(p.text[:0], int64(f.Length), 10))
	text = p.text[:0]
	if ns, ok := f.Latency(); ok {
		text = appendMillis(text, ns)
	}
	next(text)
	next(p.appendTopics(p.text[:0]))
	next(p.appendTrouble(p.text[:0]))
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
func (p *Printer) appendMarkdown(b []byte) []byte {
	p.cells(func(_ int, text []byte) {
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
func (p *Printer) appendHTML(b []byte) []byte {
	b = append(b, "<tr"...)
	if p.errors.name != "" || p.frame.Faulty {
		b = append(b, ` class="bad"`...)
	}
	b = append(b, '>')
	p.cells(func(column int, text []byte) {
		if documentRight>>column&1 == 1 {
			b = append(b, `<td class="n">`...)
		} else {
			b = append(b, "<td>"...)
		}
		b = append(append(b, html.EscapeString(string(text))...), "</td>"...)
	})
	return append(b, "</tr>\n"...)
}
