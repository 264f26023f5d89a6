package main

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"ksniff/decode"
)

// A question is one line of decode's input.
type question struct {
	Kind    string          `json:"kind"`
	Key     *int16          `json:"key"`
	Version *int16          `json:"version"`
	Type    json.RawMessage `json:"type"` // null asks to find out; absent means a modern frame
	What    string          `json:"what"`
	Hex     string          `json:"hex"`

	bare bool // hex alone
	body []byte
	// length is what the length word says, where the line had one that is not that of what follows.
	length int
}

// read reads a line. The error says what the user should have written.
func (q *question) read(line []byte) error {
	line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff")))
	*q = question{}
	if len(line) > 0 && line[0] == '{' {
		if err := json.Unmarshal(line, q); err != nil {
			return fmt.Errorf("the line is not the JSON of a question: %v", err)
		}
		var err error
		q.body, err = unhex([]byte(q.Hex))
		q.length = len(q.body)
		return err
	}
	body, err := unhex(line)
	if err != nil {
		return err
	}
	if len(body) == 0 {
		return errors.New("the line is empty")
	}
	q.Kind, q.bare, q.body, q.length = "request", true, body, len(body)
	q.cutLength()
	return nil
}

// cutLength takes off the length word where the frame has one: where it is right, or where a request is
// known behind it and none without it (the frame was cut then).
func (q *question) cutLength() {
	if len(q.body) < 4 {
		return
	}
	length := int(int32(binary.BigEndian.Uint32(q.body)))
	rest := q.body[4:]
	if length == len(rest) || length > len(rest) && knownRequest(rest) && !knownRequest(q.body) {
		q.body, q.length = rest, length
	}
}

// knownRequest says whether a body begins with a whole header of an API and a version that are known.
func knownRequest(body []byte) bool {
	h, need, f := decode.ParseRequestHeader(body)
	return need == 0 && f.Code == 0 && h.HeaderVersion >= 0 && utf8.Valid(h.ClientID)
}

// api gives key and version: those of the question, or of a request's own header.
func (q *question) api() (key, version int16, err error) {
	if q.Key != nil && q.Version != nil {
		return *q.Key, *q.Version, nil
	}
	if q.Kind != "request" {
		return 0, 0, errors.New("a response needs the key and version of its request")
	}
	if len(q.body) < 4 {
		return 0, 0, errors.New("a request begins with key and version, 4 bytes")
	}
	key, version = int16(binary.BigEndian.Uint16(q.body)), int16(binary.BigEndian.Uint16(q.body[2:]))
	if q.Key != nil {
		key = *q.Key
	}
	if q.Version != nil {
		version = *q.Version
	}
	return key, version, nil
}

func (q *question) frameKind() decode.Kind {
	if q.Kind == "response" {
		return decode.Response
	}
	return decode.Request
}

// unhex reads hex as people paste it: with blanks, colons, commas, and 0x or \x before bytes.
func unhex(text []byte) ([]byte, error) {
	digits := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == ' ' || c == '\t' || c == ':' || c == ',' || c == '"' || c == '\r':
		case (c == '0' || c == '\\') && i+1 < len(text) && (text[i+1] == 'x' || text[i+1] == 'X') && len(digits)%2 == 0:
			i++
		default:
			digits = append(digits, c)
		}
	}
	n, err := hex.Decode(digits, digits)
	if err != nil {
		return nil, fmt.Errorf("not hex: %v", err)
	}
	return digits[:n], nil
}
