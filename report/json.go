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
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(r); err != nil {
		return err
	}
	_, err := w.Write(escape.Document(nil, b.Bytes()))
	return err
}
