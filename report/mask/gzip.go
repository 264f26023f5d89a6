package mask

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/flate"
)

// Parts of a gzip member (RFC 1952).
const (
	gzipHead  = 10
	gzipTail  = 8
	gzipExtra = 4 // flags
	gzipName  = 8
	maxExtra  = 2 + 65535 // the extra field with its length
)

// emptyBlock is a stored block of deflate with nothing in it, where a block begins on a byte (RFC 1951).
var emptyBlock = []byte{0, 0, 0, 0xff, 0xff}

// packGzip fills up with empty blocks and the header's extra field; a single byte is an empty name.
func packGzip(plain []byte, size int) ([]byte, bool) {
	var out bytes.Buffer
	for _, deflate := range [...]func(io.Writer, []byte) error{deflateAt(flate.BestSpeed), deflateAt(flate.BestCompression), fixed} {
		out.Reset()
		if deflate(&out, plain) != nil {
			return nil, false
		}
		if gzipHead+out.Len()+gzipTail <= size {
			break
		}
	}
	pad := size - gzipHead - out.Len() - gzipTail
	if pad < 0 {
		return nil, false
	}
	b := append(make([]byte, 0, size), 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255)
	blocks := 0
	switch {
	case pad == 1:
		b[3] = gzipName
		b = append(b, 0)
	case pad > 1:
		blocks = max(0, (pad-maxExtra+len(emptyBlock)-1)/len(emptyBlock))
		extra := pad - blocks*len(emptyBlock) - 2
		b[3] = gzipExtra
		b = binary.LittleEndian.AppendUint16(b, uint16(extra))
		b = append(b, make([]byte, extra)...)
	}
	for range blocks {
		b = append(b, emptyBlock...)
	}
	b = append(b, out.Bytes()...)
	b = binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(plain))
	return binary.LittleEndian.AppendUint32(b, uint32(len(plain))), true
}

func deflateAt(level int) func(io.Writer, []byte) error {
	return func(out io.Writer, plain []byte) error {
		w, err := flate.NewWriter(out, level)
		if err != nil {
			return err
		}
		if _, err = w.Write(plain); err != nil {
			return err
		}
		return w.Close()
	}
}
