package main

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"ksniff/decode"
)

// A question is what decode is asked: a line of its input, a dump, or a frame in a packet.
type question struct {
	Kind    string          `json:"kind"`
	Key     *int16          `json:"key"`
	Version *int16          `json:"version"`
	Type    json.RawMessage `json:"type"` // null asks to find out; absent means a modern frame
	What    string          `json:"what"`
	Hex     string          `json:"hex"`

	line    int  // of all input
	nothing bool // the line is empty
	bare    bool // hex alone
	token   bool // a raw SASL token
	body    []byte
	// bodyOnly says that a frame of Kafka 0.7 comes without its length word.
	bodyOnly bool
	// length is what the length word says, where the line had one that is not that of what follows.
	length int
	// runs are the bytes of a frame that is not shown as a whole, nil where it is: missing says whether it lacks more
	// than record sets.
	runs    []decode.Run
	missing bool
}

// size is how many bytes of the frame there are, shown or hidden.
func (q *question) size() int {
	if q.runs != nil {
		return q.length
	}
	return len(q.body)
}

// read reads a line. The error says what the user should have written.
func (q *question) read(line []byte) error {
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
		q.nothing = len(line) == 0
		return errors.New("the line is empty")
	}
	if line[len(line)-1] == ',' {
		return errors.New("the bytes go on in the next line: give one frame a line (xxd -p -c 0), or a dump with offsets (xxd)")
	}
	q.request(body)
	return nil
}

// request asks for a request, with or without its length word, of any generation.
func (q *question) request(body []byte) {
	q.Kind, q.bare, q.body, q.length = "request", true, body, len(body)
	q.cutLength()
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
		return nil, fmt.Errorf("neither hex nor JSON nor a row of a dump (%s)", strings.TrimPrefix(err.Error(), "encoding/hex: "))
	}
	return digits[:n], nil
}
