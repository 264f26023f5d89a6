package legacy

import (
	"encoding/binary"
	"strconv"
	"unsafe"

	"ksniff/decode"
)

// JSON says how bodies are written.
type JSON struct {
	Payload bool // payloads and unreadable bytes; without it their sizes

	fault  decode.Fault
	faulty bool
}

// Append writes a body as an object in the names of Kafka 0.7's guide. typ is the type of the request, or of the
// one that an answer answers. body has the first bytes of the length that the body has, usually all. It returns
// the first thing that is wrong, also where it was tolerated.
func (j *JSON) Append(dst []byte, kind decode.Kind, typ int16, body []byte, length int) (out []byte, f decode.Fault, faulty bool) {
	j.fault, j.faulty = decode.Fault{}, false
	body = body[:min(len(body), length)]
	var v View
	v.Begin(kind, typ, length)
	w := object{dst: append(dst, '{')}
	list := ""
	switch {
	case typ == MultiFetch && kind == decode.Request:
		list = "fetches"
	case typ == MultiProduce && kind == decode.Request:
		list = "produces"
	case typ == MultiFetch:
		list = "sets"
	}
	opened := false
	for at, n := 0, 0; ; n++ {
		advance, need, state := v.Next(body[min(at, len(body)):])
		if !opened && v.headed {
			opened = true
			j.head(&w, &v, list)
		}
		if state == More {
			j.wrong(decode.Fault{Code: decode.Truncated, Class: decode.Incomplete, Offset: at, Need: need, Have: len(body) - at, Node: -1})
			break
		}
		if state == Done {
			break
		}
		at += advance
		if list != "" {
			w.element(n)
		}
		j.part(&w, &v, body)
		if list != "" {
			w.dst = append(w.dst, '}')
		}
		at += max(v.Part.SetSize, 0)
	}
	if opened && list != "" {
		w.dst = append(w.dst, ']')
	}
	if opened && kind == decode.Response && typ == Offsets {
		j.offsets(&w, &v, body)
	}
	if v.Faulty {
		j.wrong(v.Fault)
	}
	if v.Unused > 0 {
		w.first = false
		w.number("unused_bytes", int64(v.Unused))
	}
	return append(w.dst, '}'), j.fault, j.faulty
}

func (j *JSON) wrong(f decode.Fault) {
	if !j.faulty {
		j.fault, j.faulty = f, true
	}
}

// head writes what stands before the entries, and opens their list.
func (j *JSON) head(w *object, v *View, list string) {
	w.first = true
	if v.kind == decode.Response {
		w.number("errorCode", int64(v.ErrorCode))
	} else if list != "" {
		w.number("count", int64(v.Count))
	}
	if list != "" {
		w.name(list)
		w.dst = append(w.dst, '[')
	}
}

// part writes one entry.
func (j *JSON) part(w *object, v *View, body []byte) {
	p := &v.Part
	if v.kind == decode.Request {
		w.name("topic")
		w.dst = decode.AppendString(w.dst, unsafe.String(unsafe.SliceData(p.Topic), len(p.Topic)))
		w.number("partition", int64(p.Partition))
	}
	switch {
	case v.kind == decode.Response && v.typ == MultiFetch:
		w.number("size", int64(p.SetSize)+2)
		w.number("errorCode", int64(p.Error))
	case v.kind == decode.Response:
	case v.typ == Offsets:
		w.number("time", p.Offset)
		w.number("maxNumOffsets", int64(p.Max))
	case v.typ == Fetch || v.typ == MultiFetch:
		w.number("offset", p.Offset)
		w.number("maxSize", int64(p.Max))
	default:
		w.number("messagesLength", int64(p.SetSize))
	}
	if p.SetSize < 0 {
		return
	}
	from := min(p.Set, len(body))
	there := body[from:min(p.Set+p.SetSize, len(body))]
	s := setWriter{json: j, left: maxOpen, anywhere: v.kind == decode.Response}
	w.name("messages")
	w.dst = s.messages(w.dst, there, p.Set, 0)
	if len(there) < p.SetSize {
		j.wrong(decode.Fault{Code: decode.Truncated, Class: decode.Incomplete, Offset: p.Set, Need: p.SetSize, Have: len(there), Node: -1})
		return
	}
	if s.trailing > 0 {
		w.number("trailing_bytes", int64(s.trailing))
		// A broker cuts its answers at maxSize, so there a cut message is no fault.
		if v.kind == decode.Request && !s.badSize {
			f := broken(decode.Truncated, p.Set+p.SetSize-s.trailing, s.need, s.trailing)
			f.Tolerated = true
			j.wrong(f)
		}
	}
}

// offsets writes the list of an OFFSETS answer.
func (j *JSON) offsets(w *object, v *View, body []byte) {
	w.number("count", int64(v.Count))
	w.name("offsets")
	w.dst = append(w.dst, '[')
	for i, at := 0, 6; i < v.Count && at+8 <= len(body); i, at = i+1, at+8 {
		if i > 0 {
			w.dst = append(w.dst, ',')
		}
		w.dst = strconv.AppendInt(w.dst, int64(binary.BigEndian.Uint64(body[at:])), 10)
	}
	w.dst = append(w.dst, ']')
	if end := 6 + 8*v.Count; !v.Faulty && len(body) < end {
		j.wrong(decode.Fault{Code: decode.Truncated, Class: decode.Incomplete, Offset: len(body), Need: end, Have: len(body), Node: -1})
	}
}

// object writes the fields of a JSON object.
type object struct {
	dst   []byte
	first bool // the next field is the first one
}

func (w *object) element(n int) {
	if n > 0 {
		w.dst = append(w.dst, ',')
	}
	w.dst = append(w.dst, '{')
	w.first = true
}

func (w *object) name(name string) {
	if !w.first {
		w.dst = append(w.dst, ',')
	}
	w.first = false
	w.dst = append(append(append(w.dst, '"'), name...), `":`...)
}

func (w *object) number(name string, v int64) {
	w.name(name)
	w.dst = strconv.AppendInt(w.dst, v, 10)
}

func (w *object) text(name, v string) {
	w.name(name)
	w.dst = append(append(append(w.dst, '"'), v...), '"')
}
