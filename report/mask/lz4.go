package mask

import (
	"encoding/binary"

	"github.com/pierrec/lz4/v4"

	"ksniff/decode/records"
)

// packLZ4 writes one frame with independent blocks and no checksums of its contents, and fills up with a frame
// that readers skip or, below the size of one, with bytes behind the end, where Kafka does not look.
func packLZ4(plain, old []byte) ([]byte, bool) {
	size := len(old)
	for _, tight := range [...]bool{false, true} {
		b := append(make([]byte, 0, size), 0x04, 0x22, 0x4d, 0x18, 0x60, 0x70, 0)
		b[6] = headerSum(old, b[4:6])
		b, ok := lz4Blocks(b, plain, tight)
		if !ok {
			return nil, false
		}
		switch pad := size - len(b); {
		case pad >= 8:
			return skippable(b, pad), true
		case pad >= 0:
			return append(b, make([]byte, pad)...), true
		}
	}
	return nil, false
}

// lz4Block is the largest block of the size that the header names (7).
const lz4Block = 4 << 20

func lz4Blocks(b, plain []byte, tight bool) ([]byte, bool) {
	var fast lz4.Compressor
	best := lz4.CompressorHC{Level: lz4.Level9}
	room := make([]byte, lz4.CompressBlockBound(min(len(plain), lz4Block)))
	for len(plain) > 0 {
		block := plain[:min(len(plain), lz4Block)]
		plain = plain[len(block):]
		var n int
		var err error
		if tight {
			n, err = best.CompressBlock(block, room)
		} else {
			n, err = fast.CompressBlock(block, room)
		}
		switch {
		case err != nil:
			return nil, false
		case n == 0 || n >= len(block): // cannot be compressed
			b = binary.LittleEndian.AppendUint32(b, uint32(len(block))|1<<31)
			b = append(b, block...)
		default:
			b = binary.LittleEndian.AppendUint32(b, uint32(n))
			b = append(b, room[:n]...)
		}
	}
	return binary.LittleEndian.AppendUint32(b, 0), true
}

// headerSum gives the header checksum of a new descriptor, right or wrong as the old header's was.
func headerSum(old, descriptor []byte) byte {
	right, early := records.LZ4HeaderSum(descriptor)
	if len(old) < 7 {
		return right
	}
	end := 6
	if old[4]&8 != 0 {
		end += 8
	}
	if len(old) <= end {
		return right
	}
	wasRight, wasEarly := records.LZ4HeaderSum(old[4:end])
	switch old[end] {
	case wasRight:
		return right
	case wasEarly:
		return early
	}
	return right ^ 1
}
