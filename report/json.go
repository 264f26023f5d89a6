package report

import (
	"bytes"
	"encoding/json"
	"io"

	"ksniff/report/escape"
)

// JSON writes a page as one object of schema ksniff.report.v1 (or ksniff.comparison.v1), exact numbers,
// indented.
func JSON(w io.Writer, r Page) error {
	e := json.NewEncoder(&escaped{w: w})
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(r)
}

// escaped makes text from the wire harmless in a JSON document that ends with a line's end, piece by
// piece: the document may be large.
type escaped struct {
	w   io.Writer
	buf []byte
}

func (e *escaped) Write(doc []byte) (int, error) {
	const piece = 64 << 10
	written := len(doc)
	for len(doc) > 0 {
		n := len(doc)
		if n > piece {
			n = piece + bytes.IndexByte(doc[piece:], '\n') + 1
		}
		e.buf = escape.Document(e.buf[:0], doc[:n])
		if _, err := e.w.Write(e.buf); err != nil {
			return 0, err
		}
		doc = doc[n:]
	}
	return written, nil
}
