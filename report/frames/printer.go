// Package frames prints frames: a line each, for people or as JSON or CSV, the whole field tree,
// or hex. Nothing secret is printed (DESIGN, section 6) unless it is asked for.
package frames

import (
	"io"
	"sync"
	"sync/atomic"

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
	// Ordered holds lines back, so that those of frames that are recognised late come in their place. Flush writes
	// them all the same.
	Ordered bool
	Hold    int // bytes that it holds back at most; 0, or more than 8 MiB: 8 MiB
}

// Printer is a session.Sink that prints frames in the order in which it gets them. Who hands them on to another
// goroutine calls Note and Print instead of Frame.
type Printer struct {
	// What Note reads frames with.
	frame  filter.Frame
	topics topics
	errors errorOf

	// What Print writes with. Lines of the processor's cache that two of them write to would go to and fro.
	_       [128]byte
	options Options
	mu      sync.Mutex // Flush may come from where input is read
	w       io.Writer
	window  window // what is not yet written
	err     error
	failed  atomic.Bool // err is set
	lines   *Lines      // at hand
	clock   clock
	conns   connections
	table   columns
	text    []byte // of one cell, used again
	trouble []byte // the last cell
	rows    *parquet.Writer

	// What both write with where all of a frame is shown: then they are one.
	own     Lines
	way     way
	scratch []byte // JSON on its way to lines
	held    []byte // JSON of what a record holds
	json    decode.JSON
	inner   *inner.Decoder
	asked   envelopes
	sets    records.JSON
	legacy  legacy.JSON
	reader  records.Reader
}

// flushAt is the size at which what was printed is written.
const flushAt = 64 << 10

// cellSize is room for a usual cell of a line.
const cellSize = 512

// New makes a Printer that writes to w.
func New(w io.Writer, o Options) *Printer {
	if o.Hold <= 0 || o.Hold > windowSize {
		o.Hold = windowSize
	}
	p := &Printer{options: o, w: w, text: make([]byte, 0, cellSize), clock: clock{style: o.Time}}
	p.setup()
	p.topics.add = p.topics.take
	p.errors.add = p.errors.take
	if o.Format == Parquet {
		p.rows = newParquet(w)
	}
	young := &p.window.halves[1]
	young.text = p.begin(make([]byte, 0, 2*flushAt))
	if len(young.text) > 0 {
		p.window.note(0)
	}
	return p
}

// Whole says that all of a frame is shown, which cannot be noted: then only Frame works.
func (o *Options) Whole() bool { return o.Tree || o.Hex }

// Names tells the Printer how to name topics by their ids, as filter.Frame.Names says.
func (p *Printer) Names(names func(id [16]byte) string) { p.frame.Names = names }

// Frame implements session.Sink.
func (p *Printer) Frame(f *session.Frame) {
	if p.Failed() {
		return
	}
	p.Note(f, &p.own)
	if p.options.Whole() {
		p.openInner()
	}
	p.Print(&p.own)
}

// Print prints what was noted, and empties it.
func (p *Printer) Print(s *Lines) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines = s
	for i := range s.list {
		if p.err != nil {
			break
		}
		p.print(&s.list[i])
	}
	s.reset()
}

func (p *Printer) print(l *line) {
	young := &p.window.halves[1]
	switch p.options.Format {
	case JSON:
		young.text = p.appendJSON(young.text, l)
	case CSV:
		young.text = p.appendCSV(young.text, l)
	case Markdown:
		young.text = p.appendMarkdown(young.text, l)
	case HTML:
		young.text = p.appendHTML(young.text, l)
	case Parquet:
		p.fail(p.addRow(l))
		return
	default:
		young.text = p.appendPlain(young.text, l)
	}
	if !p.options.Ordered {
		if len(young.text) >= flushAt {
			p.turn()
			p.turn()
		}
		return
	}
	if p.window.note(l.packet); p.window.full(p.options.Hold) {
		p.turn()
	}
}

// Unanswered implements session.Sink: a request was printed when it came.
func (p *Printer) Unanswered(*reassembly.Conn, *session.Request, session.Why) {}

// Failed says that nothing more can be written. It may be called from any goroutine.
func (p *Printer) Failed() bool { return p.failed.Load() }

func (p *Printer) fail(err error) {
	if err != nil {
		p.err = err
		p.failed.Store(true)
	}
}

// Flush writes what was printed so far. (Parquet is written at the end.) It may be called from another
// goroutine than Frame.
func (p *Printer) Flush() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.turn()
	p.turn()
	return p.err
}

// turn writes the older half of the lines that wait.
func (p *Printer) turn() {
	if out := p.window.turn(); p.err == nil && len(out) > 0 {
		_, err := p.w.Write(out)
		p.fail(err)
	}
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
