package frames

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"ksniff/decode"
	"ksniff/reassembly"
)

// Whatever a frame holds, nothing panics, JSON is valid, and no control character is printed.
func FuzzPrinter(f *testing.F) {
	ask, answer := metadata()
	f.Add(ask.Runs[0].Bytes, int16(3), int16(0), false, uint16(0))
	f.Add(answer.Runs[0].Bytes, int16(3), int16(0), true, uint16(0))
	f.Add(request(36, 0).bytes("\x00alice\x00secret").b, int16(36), int16(0), false, uint16(3))
	f.Add(request(0, 3).i16(-1).i16(1).i32(9).i32(1).text("t").i32(1).i32(0).bytes("\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x0e\x00\x00\x00\x00\x01\x00").b, int16(0), int16(3), false, uint16(40))
	f.Add(new(wire).i32(7).i32(0).i16(0).i32(0).i32(1).text("a").i32(1).b, int16(1), int16(11), true, uint16(0))
	f.Fuzz(func(t *testing.T, body []byte, key, version int16, answer bool, hole uint16) {
		kind := decode.Request
		if answer {
			kind = decode.Response
		}
		fr := frame(kind, key, version, body)
		if at := int(hole) % (len(body) + 1); at > 0 && at < len(body) { // bytes that the capture lacks
			fr.Runs = []reassembly.Run{{Off: 0, Bytes: body[:at/2]}, {Off: at, Bytes: body[at:]}}
			fr.Missing = at - at/2
		}
		for _, o := range []Options{{}, {Tree: true, Deep: true}, {Tree: true, Deep: true, Payload: true, Secrets: true}, {Hex: true}, {Hex: true, Payload: true, Secrets: true}, {Format: CSV}, {Format: Markdown}, {Format: HTML}} {
			for _, line := range strings.Split(printed(o, fr), "\n") {
				if i := strings.IndexFunc(line, unicode.IsControl); i >= 0 {
					t.Fatalf("%+v: a control character in %q", o, line)
				}
			}
		}
		for _, o := range []Options{{Format: JSON}, {Format: JSON, Tree: true, Deep: true, Payload: true}} {
			if line := printed(o, fr); !json.Valid([]byte(line)) {
				t.Fatalf("not JSON: %s", line)
			}
		}
		printed(Options{Format: Parquet}, fr)
	})
}
