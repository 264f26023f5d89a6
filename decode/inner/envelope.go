package inner

import (
	"encoding/binary"

	"ksniff/decode"
)

// EnvelopeRequest writes the request in an Envelope, with header and body: {"api":"","key":0,"version":0,
// "header":{},"body":{}}.
func (d *Decoder) EnvelopeRequest(dst, b []byte) []byte {
	key, version, ok := RequestOf(b)
	if !ok {
		return dst
	}
	return d.enveloped(dst, b, key, version, decode.Request)
}

// EnvelopeResponse writes the answer in an Envelope's answer, where AnswerKey says to what.
func (d *Decoder) EnvelopeResponse(dst, b []byte) []byte {
	if d.AnswerKey < 0 {
		return dst
	}
	return d.enveloped(dst, b, d.AnswerKey, d.AnswerVersion, decode.Response)
}

// RequestOf gives key and version of the request in an Envelope's RequestData.
func RequestOf(b []byte) (key, version int16, ok bool) {
	if len(b) < 4 {
		return -1, -1, false
	}
	return int16(binary.BigEndian.Uint16(b)), int16(binary.BigEndian.Uint16(b[2:])), true
}

func (d *Decoder) enveloped(dst, b []byte, key, version int16, kind decode.Kind) []byte {
	t := d.push()
	defer d.pop()
	if t == nil {
		return dst
	}
	t.MaxNodes = 1 << 20
	t.Decode(decode.Whole(b), key, version, kind)
	if t.API == nil || !t.Whole() {
		return dst
	}
	dst = decode.AppendString(append(dst, `{"api":`...), t.API.Name)
	dst = appendInt(dst, `,"key":`, key)
	dst = appendInt(dst, `,"version":`, version)
	dst = d.writer().Append(append(dst, `,"header":`...), t.Header())
	dst = d.writer().Append(append(dst, `,"body":`...), t.Body())
	return append(dst, '}')
}
