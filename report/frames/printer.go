// Package frames prints frames: a line each, for people or as JSON or CSV, the whole field tree,
// or hex. Nothing secret is printed (DESIGN, section 6) unless it is asked for.
package frames

import (
	"io"
	"sync"

	"ksniff/decode"
	"ksniff/decode/inner"
	"ksniff/decode/legacy"
	"ksniff/decode/records"
	"ksniff/reassembly"
	"ksniff/reassembly/session"
	"ksniff/report/filter"
	"ksniff/report/parquet"
)

// Format is what a frame is printed as.
type Format uint8

// The formats.
const (
	Plain Format = iota // a line for people
	JSON                // a JSON object a line
	CSV
	Markdown
	HTML
	Parquet
)

// Options say what is printed and how.
type Options struct {
	Format  Format
	Tree    bool // -V: all fields
	Hex     bool // -x: all bytes, with their fields
	Deep    bool // open record batches
	Payload bool // keys, values and header values
	Secrets bool // nothing is redacted
	Colour  bool
	Width   int // columns of the terminal, 0: no bound
	Time    TimeStyle
	// Ordered holds lines back, up to some megabytes, so that those of frames that are recognised late come in
	// their place. Flush writes them all the same.
	Ordered bool
}

// Printer is a session.Sink that prints frames in the order in which it gets them.
type Printer struct {
	mu      sync.Mutex // Flush may come from where input is read
	options Options
	w       io.Writer
	out     []byte // what is not yet written
	err     error

	frame   filter.Frame
	clock   clock
	ends    endpoints
	kinds   kindTexts
	window  window
	topics  topics
	errors  errorOf
	table   columns
	text    []byte // of one cell, used again
	trouble []byte // the last cell
	way     way
	scratch []byte // JSON on its way to lines
	held    []byte // JSON of what a record holds
	json    decode.JSON
	inner   *inner.Decoder
	asked   envelopes
	sets    records.JSON
	legacy  legacy.JSON
	reader  records.Reader
	rows    *parquet.Writer
}

// flushAt is the size at which what was printed is written.
const flushAt = 64 << 10

// cellSize is room for a usual cell of a line.
const cellSize = 512

// New makes a Printer that writes to w.
func New(w io.Writer, o Options) *Printer {
	p := &Printer{options: o, w: w, out: make([]byte, 0, 2*flushAt), text: make([]byte, 0, cellSize), clock: clock{style: o.Time}}
	p.setup()
	p.topics.add = p.topics.take
	p.errors.add = p.errors.take
	if o.Format == Parquet {
		p.rows = newParquet(w)
	}
	if p.out = p.begin(p.out); len(p.out) > 0 {
		p.window.note(0, 0, len(p.out))
	}
	return p
}

// Names tells the Printer how to name topics by their ids, as filter.Frame.Names says.
func (p *Printer) Names(names func(id [16]byte) string) { p.frame.Names = names }

// Frame implements session.Sink.
func (p *Printer) Frame(f *session.Frame) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return
	}
	p.frame.Set(f)
	p.openInner()
	p.topics.collect(&p.frame)
	p.errors.collect(&p.frame)
	from := len(p.out)
	switch p.options.Format {
	case JSON:
		p.out = p.appendJSON(p.out)
	case CSV:
		p.out = p.appendCSV(p.out)
	case Markdown:
		p.out = p.appendMarkdown(p.out)
	case HTML:
		p.out = p.appendHTML(p.out)
	case Parquet:
		p.err = p.addRow()
	default:
		p.out = p.appendPlain(p.out)
	}
	if from == len(p.out) {
		return
	}
	p.window.note(f.Last.Packet, from, len(p.out))
	switch n := len(p.window.lines); {
	case !p.options.Ordered && len(p.out) >= flushAt:
		p.write(n)
	case len(p.out) >= windowSize:
		p.write(max(1, n/2))
	}
}

// Unanswered implements session.Sink: a request was printed when it came.
func (p *Printer) Unanswered(*reassembly.Conn, *session.Request, session.Why) {}

// Failed says that nothing more can be written.
func (p *Printer) Failed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err != nil
}

// Flush writes what was printed so far. (Parquet is written at the end.) It may be called from another
// goroutine than Frame.
func (p *Printer) Flush() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.write(len(p.window.lines))
}

// write writes the first n lines that wait.
func (p *Printer) write(n int) error {
	size := 0
	if p.options.Ordered {
		p.out, size = p.window.order(p.out, n)
	} else {
		size = len(p.out)
	}
	if p.err == nil && size > 0 {
		_, p.err = p.w.Write(p.out[:size])
	}
	p.window.drop(n, size)
	p.out = p.out[:copy(p.out, p.out[size:])]
	if cap(p.out) > 4*windowSize && len(p.out) == 0 { // one huge frame is no reason to keep its room
		p.out = make([]byte, 0, 2*flushAt)
	}
	return p.err
}

// Close writes the rest, and returns the first error of all writing.
func (p *Printer) Close() error {
	p.Flush()
	if p.options.Format == HTML && p.err == nil {
		_, p.err = io.WriteString(p.w, documentEnd)
	}
	if p.rows != nil && p.err == nil {
		p.err = p.rows.Close()
	}
	return p.err
}
