package mask

import (
	"io"
	"math/bits"
)

// bitWriter writes bits as deflate has them: the lowest of a byte first.
type bitWriter struct {
	b    []byte
	word uint64
	n    int
}

func (w *bitWriter) bits(v uint64, n int) {
	w.word |= v << w.n
	for w.n += n; w.n >= 8; w.n -= 8 {
		w.b = append(w.b, byte(w.word))
		w.word >>= 8
	}
}

// code writes a Huffman code, its highest bit first.
func (w *bitWriter) code(v, n int) { w.bits(bits.Reverse64(uint64(v))>>(64-n), n) }

// fixed writes one block with the fixed codes (RFC 1951, 3.2.6), and runs of a byte as such: for messages so
// small that every byte counts.
func fixed(out io.Writer, plain []byte) error {
	w := bitWriter{}
	w.bits(1|1<<1, 3) // the last block, fixed codes
	for at := 0; at < len(plain); {
		run := 0
		if at > 0 {
			for at+run < len(plain) && plain[at+run] == plain[at-1] {
				run++
			}
		}
		switch {
		case run >= 258:
			run = 258
			w.code(0xc0+285-280, 8)
		case run >= 3:
			run = min(run, 10)
			w.code(257-256+run-3, 7)
		default:
			if b := int(plain[at]); b < 144 {
				w.code(0x30+b, 8)
			} else {
				w.code(0x190+b-144, 9)
			}
			at++
			continue
		}
		w.bits(0, 5) // distance 1
		at += run
	}
	w.code(0, 7) // the end
	if w.n > 0 {
		w.b = append(w.b, byte(w.word))
	}
	_, err := out.Write(w.b)
	return err
}
