package frames

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"unicode"
	"unicode/utf8"
	"unsafe"

	"ksniff/decode"
	"ksniff/report/escape"
)

// shortHex is the size up to which bytes that are no text are shown in hex; longer ones take less room
// in base64.
const shortHex = 32

// framingHead is the size of what Confluent's serializers put in front: 0 and the id of the schema.
const framingHead = 5

// maxSchemaID is more than registries give out; it keeps counters of 8 bytes from looking like a framing.
const maxSchemaID = 1 << 24

// appendPayload appends a key or a value: JSON as it is, other text in quotes, else hex or base64. Behind
// Confluent's framing it names the schema's id.
func appendPayload(b, data []byte) []byte {
	if len(data) > framingHead && data[0] == 0 && !printable(data) {
		if id := binary.BigEndian.Uint32(data[1:]); id > 0 && id < maxSchemaID {
			b = append(strconv.AppendUint(append(b, "(schema "...), uint64(id), 10), ") "...)
			data = data[framingHead:]
		}
	}
	switch {
	case len(data) == 0:
		return append(b, `""`...)
	case printable(data) && (data[0] == '{' || data[0] == '[') && json.Valid(data):
		return escape.Text(b, text(data))
	case printable(data):
		return decode.AppendString(b, text(data))
	case len(data) <= shortHex:
		return hex.AppendEncode(append(b, "0x"...), data)
	}
	return base64.StdEncoding.AppendEncode(append(b, "base64 "...), data)
}

func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// printable says whether data is text that can be shown: UTF-8 without control characters but white
// space.
func printable(data []byte) bool {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 || !unicode.IsPrint(r) && r != '\n' && r != '\t' && r != '\r' {
			return false
		}
		i += n
	}
	return true
}
