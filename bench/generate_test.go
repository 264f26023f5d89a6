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
			frames, err := generate(&out, s, 2e6)
			if err != nil {
				t.Fatal(err)
			}
			if out.Len() < 2e6 || frames < 2*s.connections {
				t.Errorf("%s: %d bytes and %d frames, want at least 2 MB and a pair per connection", name, out.Len(), frames)
			}
			sums[i] = sha256.Sum256(out.Bytes())
		}
		if sums[0] != sums[1] {
			t.Errorf("%s: two runs differ", name)
		}
	}
}
