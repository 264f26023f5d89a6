package main

import (
	"fmt"

	"ksniff/decode"
	"ksniff/report/escape"
	"ksniff/report/frames"
)

// plain appends an answer for people: what it is, all its fields with offset and length, and what is
// wrong with it.
func (d *decoder) plain(dst []byte, q *question, a *answer) []byte {
	dst = fmt.Appendf(dst, "line %d: ", q.line)
	if q.token {
		dst = append(dst, "SASL token "...)
	}
	if a.api == "" && a.named {
		dst = fmt.Appendf(dst, "unknown API key %d ", a.key)
	} else if a.api != "" {
		dst = append(escape.Text(dst, a.api), ' ')
	}
	dst = escape.Text(dst, q.Kind)
	if a.named {
		dst = fmt.Appendf(dst, " v%d", a.version)
	}
	dst = fmt.Appendf(dst, ", %d B\n", q.size())
	switch {
	case a.tree:
		all := frames.Options{Tree: true, Deep: true, Payload: true, Secrets: true}
		dst = frames.AppendTree(dst, &d.tree, all, d.inner.Inner)
	case a.lists != nil:
		dst = frames.AppendLines(dst, append(append([]byte{'{'}, a.lists...), '}'))
	case a.body != nil:
		dst = frames.AppendLines(dst, a.body)
	}
	if a.faulty {
		f := &a.fault
		dst = fmt.Appendf(dst, "%s (%s) at byte %d (0x%x)", f.Code, f.Class, f.Offset, f.Offset)
		if a.path != "" {
			dst = append(append(dst, " in "...), a.path...)
		}
		dst = append(append(append(dst, ": "...), f.Message()...), '\n')
	}
	if q.bare && a.faulty && a.fault.Class != decode.Incomplete {
		dst = append(dst, "hex alone is read as a request; a response needs JSON with the key and version of its request (decode --help)\n"...)
	}
	if q.bare && q.length > len(q.body) {
		dst = fmt.Appendf(dst, "the length word says %d bytes, %d are there: a frame stands in one line (xxd -p -c 0), or in a dump with offsets (xxd)\n", q.length, len(q.body))
	}
	return append(dst, '\n')
}
