package mask

import (
	"encoding/binary"

	"ksniff/decode/records"
)

// pack compresses plain into exactly as many bytes as old has, which is what the batch had there before. How
// the size is met, each codec has its own way for; false: it cannot be met.
func pack(plain, old []byte, codec records.Codec) ([]byte, bool) {
	switch codec {
	case records.Gzip:
		return packGzip(plain, len(old))
	case records.Snappy:
		return packSnappy(plain, old)
	case records.LZ4:
		return packLZ4(plain, old)
	case records.Zstd:
		return packZstd(plain, len(old))
	}
	return nil, false
}

// skippable appends a frame that readers of LZ4 and zstd pass over, n bytes in all, at least 8.
func skippable(b []byte, n int) []byte {
	b = binary.LittleEndian.AppendUint32(b, 0x184d2a50)
	b = binary.LittleEndian.AppendUint32(b, uint32(n-8))
	return append(b, make([]byte, n-8)...)
}
