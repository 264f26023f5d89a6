// Package parquet writes tables as Parquet files: flat columns and lists of text, plain values in pages
// compressed with zstd, with the least and largest value of each integer column per row group. (Written
// after the format's published definition; the library for it makes the program 7 MB larger.)
package parquet

import (
	"io"

	"github.com/klauspost/compress/zstd"
)

// Type is the type of a column's values.
type Type uint8

// The types.
const (
	Bool      Type = iota
	Int32          // Int
	Int64          // Int
	Timestamp      // Int: microseconds since 1970 UTC
	Double         // Float
	Text           // UTF-8
)

// physical are the types of the file, by Type.
var physical = [...]int64{Bool: 0, Int32: 1, Int64: 2, Timestamp: 2, Double: 5, Text: 6}

// Encodings and the codec, as the format numbers them.
const (
	plainEncoding = 0
	rleEncoding   = 3
	zstdCodec     = 6
)

// Column is a column of the table.
type Column struct {
	Name     string
	Type     Type
	Optional bool // values may be absent
	List     bool // each value is a list of Text
}

// Bounds of a row group: it is written when one is reached.
const (
	maxRows  = 1 << 17
	maxBytes = 16 << 20
)

// Writer writes one file. In each row every column is set once, in any order; then EndRow.
type Writer struct {
	w       io.Writer
	err     error
	zstd    *zstd.Encoder
	columns []column
	groups  []group
	written int64 // bytes of the file
	rows    int64 // of the row group
	total   int64
	begun   bool
}

// group is what the end of the file says about a row group.
type group struct {
	rows   int64
	chunks []chunk
}

// chunk is one column of a row group.
type chunk struct {
	at, size, plain, values int64
	least, most             []byte // nil where there is none
}

// New makes a Writer of a table.
func New(w io.Writer, columns []Column) *Writer {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	f := &Writer{w: w, zstd: z, err: err}
	for _, c := range columns {
		f.columns = append(f.columns, column{Column: c})
	}
	return f
}

// Int sets an integer or timestamp.
func (f *Writer) Int(column int, v int64) { f.columns[column].int(v) }

// Float sets a Double.
func (f *Writer) Float(column int, v float64) { f.columns[column].float(v) }

// Bool sets a Bool.
func (f *Writer) Bool(column int, v bool) { f.columns[column].bool(v) }

// Text sets a Text; it is copied. What is no UTF-8 in it, the caller has replaced.
func (f *Writer) Text(column int, v string) {
	f.columns[column].present()
	f.columns[column].text(v)
}

// Texts sets a list; it is copied.
func (f *Writer) Texts(column int, list []string) { f.columns[column].texts(list) }

// Null says that the row has no value in an Optional column.
func (f *Writer) Null(column int) { f.columns[column].absent() }

// EndRow ends a row, and returns the first error of writing.
func (f *Writer) EndRow() error {
	f.rows++
	held := 0
	for i := range f.columns {
		c := &f.columns[i]
		if len(c.values) >= pageSize {
			c.page(f.zstd)
		}
		held += len(c.values) + len(c.pages)
	}
	if f.rows >= maxRows || held >= maxBytes {
		f.endGroup()
	}
	return f.err
}

// write writes b and counts it.
func (f *Writer) write(b []byte) {
	if !f.begun {
		f.begun = true
		f.write([]byte(magic))
	}
	if f.err != nil {
		return
	}
	n, err := f.w.Write(b)
	f.written += int64(n)
	f.err = err
}

func (f *Writer) endGroup() {
	if f.rows == 0 {
		return
	}
	g := group{rows: f.rows}
	for i := range f.columns {
		c := &f.columns[i]
		c.page(f.zstd)
		f.write(nil) // the file's head comes first
		k := chunk{at: f.written, size: int64(len(c.pages)), plain: c.plain, values: c.total}
		if c.seen {
			k.least, k.most = c.appendInt(nil, c.least), c.appendInt(nil, c.most)
		}
		f.write(c.pages)
		c.clear()
		g.chunks = append(g.chunks, k)
	}
	f.groups = append(f.groups, g)
	f.total += f.rows
	f.rows = 0
}

// Close ends the file; it does not close what it was written to.
func (f *Writer) Close() error {
	f.endGroup()
	f.write(f.footer())
	return f.err
}
