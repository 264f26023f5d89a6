package mask

import (
	"encoding/binary"
	"math/bits"

	"github.com/klauspost/compress/zstd"
)

// packZstd fills up with a frame that readers skip or, below the size of one, with a larger header and empty
// blocks. (A single byte cannot be filled; another level then gives another size.)
func packZstd(plain []byte, size int) ([]byte, bool) {
	for _, level := range [...]zstd.EncoderLevel{zstd.SpeedFastest, zstd.SpeedDefault, zstd.SpeedBestCompression} {
		w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderCRC(false), zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
		if err != nil {
			return nil, false
		}
		encoded := w.EncodeAll(plain, nil)
		w.Close()
		if b, ok := fitZstd(zstdBlocks(encoded), len(plain), size); ok {
			return b, true
		}
	}
	return nil, false
}

// zstdBlocks is what follows the header of a frame without checksum (RFC 8878).
func zstdBlocks(frame []byte) []byte {
	if len(frame) < 6 {
		return nil
	}
	descriptor := frame[4]
	single := descriptor&0x20 != 0
	n := 5 + [...]int{0, 2, 4, 8}[descriptor>>6] + [...]int{0, 1, 2, 4}[descriptor&3]
	switch {
	case !single || descriptor>>6 == 0: // a window, or the size in one byte
		n++
	}
	return frame[min(n, len(frame)):]
}

// fitZstd makes a frame of size bytes of blocks that decompress to plain bytes.
func fitZstd(blocks []byte, plain, size int) ([]byte, bool) {
	const head, block, skip = 6, 3, 8
	pad := size - head - len(blocks)
	if len(blocks) == 0 || pad < 0 {
		return nil, false
	}
	field := -1 // bytes of the content's size
	for code, n := range [...]int{0, 2, 4, 8} {
		if n == 2 && (plain < 256 || plain >= 256+1<<16) {
			continue
		}
		if rest := pad - n; rest >= 0 && (rest%block == 0 || rest >= skip) {
			field = code
			break
		}
	}
	if field < 0 {
		return nil, false
	}
	window := max(bits.Len(uint(max(plain, 1)-1)), 10)
	b := append(make([]byte, 0, size), 0x28, 0xb5, 0x2f, 0xfd, byte(field<<6), byte(window-10)<<3)
	switch field {
	case 1:
		b = binary.LittleEndian.AppendUint16(b, uint16(plain-256))
	case 2:
		b = binary.LittleEndian.AppendUint32(b, uint32(plain))
	case 3:
		b = binary.LittleEndian.AppendUint64(b, uint64(plain))
	}
	rest := size - len(b) - len(blocks)
	for ; rest > 0 && rest < skip; rest -= block {
		b = append(b, 0, 0, 0) // a raw block of nothing, not the last one
	}
	b = append(b, blocks...)
	if rest > 0 {
		b = skippable(b, rest)
	}
	return b, true
}
