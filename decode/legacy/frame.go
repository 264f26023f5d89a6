package legacy

import (
	"encoding/binary"

	"ksniff/decode"
)

// Body looks at a frame with its length word in front and gives its body. The length must be that of what
// follows, at least 2 and at most MaxFrame.
func Body(frame []byte) (body []byte, f decode.Fault, ok bool) {
	if len(frame) < 4 {
		return nil, broken(decode.Truncated, 0, 4, len(frame)), false
	}
	length := int(int32(binary.BigEndian.Uint32(frame)))
	body = frame[4:]
	switch {
	case length < 2 || length > MaxFrame || length < len(body):
		return nil, broken(decode.BadFrameSize, 0, length, len(body)), false
	case length > len(body):
		f = broken(decode.Truncated, 0, length, len(body))
		f.Class = decode.Incomplete
		return nil, f, false
	}
	return body, f, true
}

// FindType says what a frame may be read as: a request has its type in front; an answer is tried as OFFSETS,
// as MULTIFETCH and then taken for a FETCH answer (NOTES, "Detection").
func FindType(kind decode.Kind, body []byte) (typ int16, f decode.Fault, ok bool) {
	if len(body) < 2 {
		return -1, broken(decode.BadFrameSize, 0, 2, len(body)), false
	}
	if kind == decode.Request {
		if typ = int16(binary.BigEndian.Uint16(body)); Name(typ) != "" {
			return typ, f, true
		}
		f = broken(decode.UnknownKey, 0, int(Offsets), int(typ))
		f.Class = decode.Unknown
		return typ, f, false
	}
	for _, typ = range [...]int16{Offsets, MultiFetch} {
		if tiles(typ, body) {
			return typ, f, true
		}
	}
	return Fetch, f, true
}

// tiles says whether an answer's fields fill the body exactly.
func tiles(typ int16, body []byte) bool {
	if int16(binary.BigEndian.Uint16(body)) != 0 || len(body) == 2 {
		return false // always 0 in these; and an answer with nothing else is FETCH's
	}
	var v View
	v.Begin(decode.Response, typ, len(body))
	for at := 0; ; {
		advance, _, state := v.Next(body[at:])
		at += advance
		if state != Entry {
			return state == Done && !v.Faulty
		}
		// The first bytes of a message in a FETCH answer would be the error code here.
		if ErrorName(v.Part.Error) == "" || v.Part.SetSize > 0 && !messagesBegin(body[at:], v.Part.SetSize) {
			return false
		}
		at += v.Part.SetSize
	}
}

// messagesBegin says that a set begins with a message, or with as much of one as there was room for.
func messagesBegin(b []byte, size int) bool {
	if size < 5 {
		return true
	}
	return int32(binary.BigEndian.Uint32(b)) >= 5 && b[4] <= 1
}
