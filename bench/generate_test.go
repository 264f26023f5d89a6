package main

import (
	"bytes"
	"crypto/sha256"
	"testing"
)

func TestTheSameArgumentsGiveTheSameCapture(t *testing.T) {
	for name, s := range shapes {
		var sums [2][32]byte
		for i := range sums {
			var out bytes.Buffer
			made, err := generate(&out, s, 2e6)
			if err != nil {
				t.Fatal(err)
			}
			if out.Len() < 2e6 || made.frames < 2*s.connections {
				t.Errorf("%s: %d bytes and %d frames, want at least 2 MB and a pair per connection", name, out.Len(), made.frames)
			}
			sums[i] = sha256.Sum256(out.Bytes())
		}
		if sums[0] != sums[1] {
			t.Errorf("%s: two runs differ", name)
		}
	}
}

// TestDecompress checks that what the codecs are measured with is what was compressed.
func TestDecompress(t *testing.T) {
	plain := bytes.Repeat([]byte("alpha beta gamma "), 1000)
	for codec := range int16(5) {
		packed, err := compress(codec, plain)
		if err != nil {
			t.Fatal(err)
		}
		var u unpacker
		if n, err := u.size(batch(codec, 1, packed)); err != nil || n != len(plain) {
			t.Errorf("codec %d: %d bytes, %v; want %d", codec, n, err, len(plain))
		}
	}
}
