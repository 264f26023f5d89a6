package mask

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"ksniff/decode/records"
)

// compress is how clients do it.
func compress(t *testing.T, plain []byte, codec records.Codec) []byte {
	t.Helper()
	var b bytes.Buffer
	var err error
	switch codec {
	case records.Gzip:
		w := gzip.NewWriter(&b)
		_, err = w.Write(plain)
		w.Close()
	case records.Snappy:
		return snappy.Encode(nil, plain)
	case records.LZ4:
		w := lz4.NewWriter(&b)
		_, err = w.Write(plain)
		w.Close()
	case records.Zstd:
		w, e := zstd.NewWriter(&b)
		if e != nil {
			t.Fatal(e)
		}
		_, err = w.Write(plain)
		w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// text is a stretch of words, which compress as messages do.
func text(r *rand.Rand, n int) []byte {
	var b []byte
	for len(b) < n {
		b = append(b, fmt.Sprintf(`{"id":%d,"name":"customer-%d","state":%q},`, r.Uint32(), r.IntN(100), "active")...)
	}
	return b[:n]
}

// What was masked takes as many bytes as before, with every codec, and gives back the masked bytes.
func TestPackKeepsSizes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, codec := range []records.Codec{records.Gzip, records.Snappy, records.LZ4, records.Zstd} {
		missed := 0
		for i := range 200 {
			n := 1 + r.IntN(200)
			if i%10 == 0 {
				n = 1 + r.IntN(300_000)
			}
			plain := text(r, n)
			old := compress(t, plain, codec)
			for at := 0; at < len(plain); at += 40 { // some structure stays
				cover(plain[min(at+6, len(plain)):min(at+40, len(plain))])
			}
			packed, ok := pack(plain, old, codec)
			if !ok {
				missed++
				continue
			}
			if len(packed) != len(old) {
				t.Fatalf("%v: %d bytes instead of %d", codec, len(packed), len(old))
			}
			if back, code := records.Inflate(nil, packed, codec, 2, 1<<20); code != 0 || !bytes.Equal(back, plain) {
				t.Fatalf("%v: %d bytes come back as %d, fault %v", codec, len(plain), len(back), code)
			}
		}
		if t.Logf("%v: %d of 200 do not fit", codec, missed); missed > 3 {
			t.Errorf("%v: %d of 200 do not fit", codec, missed)
		}
	}
}
