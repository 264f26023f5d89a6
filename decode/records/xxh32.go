package records

import (
	"encoding/binary"
	"math/bits"
)

// The primes of XXH32 (xxhash_spec.md of the xxHash project).
const (
	prime1 uint32 = 2654435761
	prime2 uint32 = 2246822519
	prime3 uint32 = 3266489917
	prime4 uint32 = 668265263
	prime5 uint32 = 374761393
)

// xxh32 is the checksum of LZ4 frames, seed 0, over bytes that come in pieces.
type xxh32 struct {
	lanes [4]uint32
	rest  [16]byte
	n     int // bytes in rest
	total uint64
}

func (x *xxh32) reset() {
	one, two := prime1, prime2
	*x = xxh32{lanes: [4]uint32{one + two, two, 0, -one}}
}

func (x *xxh32) write(b []byte) {
	x.total += uint64(len(b))
	if x.n > 0 {
		k := copy(x.rest[x.n:], b)
		x.n += k
		b = b[k:]
		if x.n < 16 {
			return
		}
		x.stripe(x.rest[:])
		x.n = 0
	}
	for len(b) >= 16 {
		x.stripe(b)
		b = b[16:]
	}
	x.n = copy(x.rest[:], b)
}

func (x *xxh32) stripe(b []byte) {
	_ = b[15]
	for i := range x.lanes {
		x.lanes[i] = bits.RotateLeft32(x.lanes[i]+binary.LittleEndian.Uint32(b[4*i:])*prime2, 13) * prime1
	}
}

func (x *xxh32) sum() uint32 {
	h := prime5
	if x.total >= 16 {
		h = bits.RotateLeft32(x.lanes[0], 1) + bits.RotateLeft32(x.lanes[1], 7) +
			bits.RotateLeft32(x.lanes[2], 12) + bits.RotateLeft32(x.lanes[3], 18)
	}
	h += uint32(x.total)
	b := x.rest[:x.n]
	for ; len(b) >= 4; b = b[4:] {
		h = bits.RotateLeft32(h+binary.LittleEndian.Uint32(b)*prime3, 17) * prime4
	}
	for _, c := range b {
		h = bits.RotateLeft32(h+uint32(c)*prime5, 11) * prime1
	}
	h = (h ^ h>>15) * prime2
	h = (h ^ h>>13) * prime3
	return h ^ h>>16
}

func checksum32(b []byte) uint32 {
	var x xxh32
	x.reset()
	x.write(b)
	return x.sum()
}
