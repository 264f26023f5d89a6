package frames

import (
	"bytes"
	"encoding/hex"
	"strconv"
)

// appendIndented turns JSON of our own making into lines, one a value, indented by its depth: what has
// no field tree of its own is shown in this way below the field that it is in. The line that a value
// belongs to has begun where b does not end with a line end.
func (p *Printer) appendIndented(b, json []byte, depth int) []byte {
	w := indenter{json: json, out: b, fresh: len(b) == 0 || b[len(b)-1] == '\n'}
	w.value(depth)
	if n := len(w.out); n > 0 && w.out[n-1] != '\n' {
		w.out = append(w.out, '\n')
	}
	return w.out
}

// margin is the width of the columns for offset and length, in steps of indentation.
const margin = 9

type indenter struct {
	json  []byte // what is left
	out   []byte
	fresh bool // the line has not begun
}

// value writes the next value; lines of what is in it are indented by depth.
func (w *indenter) value(depth int) {
	if len(w.json) == 0 {
		return
	}
	switch w.json[0] {
	case '{':
		w.members('}', depth)
	case '[':
		if w.flat() {
			w.scalarArray()
			return
		}
		w.members(']', depth)
	default:
		w.out = append(w.out, ": "...)
		w.scalar()
	}
}

// members writes the members of an object or array, a line each.
func (w *indenter) members(end byte, depth int) {
	w.json = w.json[1:]
	for i := 0; len(w.json) > 0; i++ {
		if w.json[0] == ',' {
			w.json = w.json[1:]
		}
		if w.json[0] == end {
			w.json = w.json[1:]
			if i == 0 {
				w.out = append(w.out, ": none"...)
			}
			return
		}
		if !w.fresh {
			w.out = append(w.out, '\n')
		}
		w.fresh = false
		w.out = appendIndent(w.out, margin+depth)
		if end == '}' {
			n := w.length()
			name := w.json[1 : n-1]
			w.json = w.json[n+1:] // and the colon
			if short, isHex := bytes.CutSuffix(name, []byte("_hex")); isHex && w.json[0] == '"' {
				w.payload(short)
				continue
			}
			w.out = append(w.out, name...)
		} else {
			w.out = append(strconv.AppendInt(append(w.out, '['), int64(i), 10), ']')
		}
		w.value(depth + 1)
	}
}

// payload writes bytes that the JSON has in hex as they are shown to people.
func (w *indenter) payload(name []byte) {
	n := w.length()
	data := make([]byte, n/2-1)
	if _, err := hex.Decode(data, w.json[1:n-1]); err != nil {
		data = nil // it is our own, so it is hex
	}
	w.out = appendPayload(append(append(w.out, name...), ": "...), data)
	w.json = w.json[n:]
}

// length is that of the scalar that comes next.
func (w *indenter) length() int {
	if w.json[0] != '"' {
		for i, c := range w.json {
			if c == ',' || c == ']' || c == '}' {
				return i
			}
		}
		return len(w.json)
	}
	for i := 1; i < len(w.json); i++ {
		switch w.json[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(w.json)
}

func (w *indenter) scalar() {
	n := w.length()
	w.out = append(w.out, w.json[:n]...)
	w.json = w.json[n:]
}

// flat says whether the array that comes next holds numbers and texts only.
func (w *indenter) flat() bool {
	rest := indenter{json: w.json[1:]}
	for len(rest.json) > 0 {
		switch rest.json[0] {
		case ']':
			return true
		case '{', '[':
			return false
		case ',':
			rest.json = rest.json[1:]
		default:
			rest.json = rest.json[rest.length():]
		}
	}
	return true
}

func (w *indenter) scalarArray() {
	w.out = append(w.out, ": ["...)
	w.json = w.json[1:]
	for len(w.json) > 0 && w.json[0] != ']' {
		if w.json[0] == ',' {
			w.out = append(w.out, ", "...)
			w.json = w.json[1:]
		}
		w.scalar()
	}
	w.out = append(w.out, ']')
	w.json = w.json[min(1, len(w.json)):]
}
