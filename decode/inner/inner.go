// Package inner reads the messages that lie inside fields, records and control records: the consumer protocol,
// Connect's protocol, coordinator and KRaft records, requests in an Envelope.
package inner

import (
	"encoding/binary"

	"ksniff/decode"
	"ksniff/decode/schema"
)

// maxDepth bounds messages in messages (an Envelope may hold an Envelope).
const maxDepth = 3

// Decoder reads inner messages and writes them as JSON. It is meant to be used again; it is not safe for
// concurrent use. Its method Inner is a decode.JSON.Inner.
type Decoder struct {
	ShowSecrets bool
	// Records writes record sets inside an Envelope; nil: their size.
	Records func(dst []byte, r decode.Ref) []byte
	// AnswerKey and AnswerVersion are of the request in the Envelope whose answer is being written; the answer
	// does not say. AnswerKey < 0: not known. See EnvelopeRequest.
	AnswerKey, AnswerVersion int16

	trees [maxDepth]*decode.Tree
	depth int
	user  string // the message in the user data of the consumer protocol's message being written, "" where unknown
	json  *decode.JSON
}

// New makes a Decoder that redacts secrets.
func New() *Decoder { return &Decoder{AnswerKey: -1} }

// Append writes a message as an object. what is its name in Kafka (OffsetCommitValue, LeaderChangeMessage), b
// holds it with the framing that it has where it lies. version is for messages that do not say theirs; -1 where
// it is not known. It returns the fault to report; what was read before it is in the object.
func (d *Decoder) Append(dst []byte, what string, version int16, b []byte) (out []byte, f decode.Fault, faulty bool) {
	rec, m := schema.LookupInner(what)
	if m == nil {
		return append(dst, "{}"...), decode.Fault{Code: decode.UnknownKey, Class: decode.Unknown, Node: -1}, true
	}
	t := d.push()
	defer d.pop()
	f, faulty = read(t, rec, m, version, b)
	return d.body(dst, t), f, faulty
}

// push takes a tree for one more level. The caller pops it, also where it is nil since the levels are used up.
func (d *Decoder) push() *decode.Tree {
	d.depth++
	if d.depth > maxDepth {
		return nil
	}
	if d.trees[d.depth-1] == nil {
		d.trees[d.depth-1] = new(decode.Tree)
	}
	return d.trees[d.depth-1]
}

func (d *Decoder) pop() { d.depth-- }

// body writes what a tree has of the message.
func (d *Decoder) body(dst []byte, t *decode.Tree) []byte {
	if t == nil || t.Body().Node() < 0 {
		return append(dst, "{}"...)
	}
	return d.writer().Append(dst, t.Body())
}

func (d *Decoder) writer() *decode.JSON {
	if d.json == nil {
		d.json = new(decode.JSON)
		d.json.Inner = d.Inner
	}
	d.json.Redact = decode.Secret
	if d.ShowSecrets {
		d.json.Redact = nil
	}
	d.json.Records = d.Records
	return d.json
}

// read decodes b as m into t.
func read(t *decode.Tree, rec *schema.Record, m *schema.Message, version int16, b []byte) (f decode.Fault, faulty bool) {
	if t == nil {
		return decode.Fault{Code: decode.TooDeep, Class: decode.Limit, Need: maxDepth + 1, Have: maxDepth, Node: -1}, true
	}
	t.MaxNodes = 1 << 20
	at, v, f, ok := frame(rec, m, version, b)
	if !ok {
		t.DecodeMessage(decode.Whole(nil), 0, m, -1)
		return f, true
	}
	beyond := rec.Family == "consumer-protocol" && v > m.Valid.Max
	if beyond {
		v = m.Valid.Max // a reader takes later versions for the last one it knows, and ignores the rest
	}
	t.DecodeMessage(decode.Whole(b), at, m, v)
	f, faulty = t.Fault()
	if beyond && faulty && f.Code == decode.TrailingBytes {
		return decode.Fault{}, false
	}
	return f, faulty
}

// frame reads what precedes the message: where it begins, and its version.
func frame(rec *schema.Record, m *schema.Message, version int16, b []byte) (at int, v int16, f decode.Fault, ok bool) {
	wrong := func(code decode.Code, class decode.Class, offset, need, have int) (int, int16, decode.Fault, bool) {
		return 0, 0, decode.Fault{Code: code, Class: class, Offset: offset, Need: need, Have: have, Node: -1}, false
	}
	if rec.Framing != schema.Varints {
		if rec.Framing == schema.Bare && version >= 0 {
			return 0, version, f, true
		}
		if rec.Framing == schema.Long {
			return long(m, b)
		}
		if len(b) < 2 {
			return wrong(decode.Truncated, decode.Broken, 0, 2, len(b))
		}
		v = int16(binary.BigEndian.Uint16(b))
		switch {
		case rec.Framing == schema.Bare:
			return 0, v, f, true
		case rec.Framing == schema.TypeWord && m == rec.Key:
			if v != rec.Type {
				return wrong(decode.UnknownKey, decode.Unknown, 0, int(rec.Type), int(v))
			}
			return 2, 0, f, true
		}
		return 2, v, f, true
	}
	var word [3]uint64
	for i := range word {
		n := 0
		if word[i], n = binary.Uvarint(b[at:]); n <= 0 || n > 5 {
			if n == 0 {
				return wrong(decode.Truncated, decode.Broken, at, 1, 0)
			}
			return wrong(decode.VarintOverflow, decode.Broken, at, 5, 6)
		}
		at += n
	}
	switch {
	case word[0] != 1:
		return wrong(decode.UnknownVersion, decode.Unknown, 0, 1, int(word[0]))
	case word[1] != uint64(rec.Type):
		return wrong(decode.UnknownKey, decode.Unknown, 1, int(rec.Type), int(word[1]))
	case word[2] > 32767:
		return wrong(decode.UnknownVersion, decode.Unknown, at-1, int(m.Valid.Max), int(word[2]))
	}
	return at, int16(word[2]), f, true
}

// long reads the version of a message whose first field is an int32 with it.
func long(m *schema.Message, b []byte) (at int, v int16, f decode.Fault, ok bool) {
	if len(b) < 4 {
		return 0, 0, decode.Fault{Code: decode.Truncated, Class: decode.Broken, Need: 4, Have: len(b), Node: -1}, false
	}
	n := int32(binary.BigEndian.Uint32(b))
	if n != int32(int16(n)) || !m.Valid.Has(int16(n)) {
		return 0, 0, decode.Fault{Code: decode.UnknownVersion, Class: decode.Unknown, Need: int(m.Valid.Max), Have: int(n), Node: -1}, false
	}
	return 0, int16(n), f, true
}

// tiled appends a message only where it reads the bytes to the end without a fault.
func (d *Decoder) tiled(dst []byte, rec *schema.Record, m *schema.Message, b []byte) (out []byte, ok bool) {
	t := d.push()
	defer d.pop()
	if t == nil || rec == nil || m == nil {
		return dst, false
	}
	if _, faulty := read(t, rec, m, -1, b); faulty {
		return dst, false
	}
	return d.body(dst, t), true
}
