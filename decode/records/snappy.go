package records

import (
	"bytes"
	"encoding/binary"

	"github.com/golang/snappy"

	"ksniff/decode"
)

// xerial is the start of snappy-java's framing; two int32 versions follow, then int32 lengths with raw blocks.
var xerial = []byte("\x82SNAPPY\x00")

const xerialHead = 16

func (f *inflater) beginSnappy() {
	f.xs = bytes.HasPrefix(f.src, xerial)
	if !f.xs {
		return
	}
	if len(f.src) < xerialHead {
		f.code = decode.Truncated
		return
	}
	f.src = f.src[xerialHead:]
}

func (f *inflater) nextSnappy() []byte {
	if !f.xs {
		block := f.src
		f.src, f.ended = nil, true
		return f.block(block)
	}
	for bytes.HasPrefix(f.src, xerial) && len(f.src) >= xerialHead { // streams one after the other
		f.src = f.src[xerialHead:]
	}
	if len(f.src) == 0 {
		f.ended = true
		return nil
	}
	if len(f.src) < 4 {
		return f.fail(decode.Truncated)
	}
	n := int(int32(binary.BigEndian.Uint32(f.src)))
	if n <= 0 {
		return f.fail(decode.BadCodec)
	}
	if n > len(f.src)-4 {
		return f.fail(decode.Truncated)
	}
	block := f.src[4 : 4+n]
	f.src = f.src[4+n:]
	return f.block(block)
}

// block decodes a raw block. An element of 3 bytes gives at most 64, so a claim beyond that is a lie, and
// nothing is allocated for it.
func (f *inflater) block(b []byte) []byte {
	n, err := snappy.DecodedLen(b)
	if err != nil || n > 64*len(b)/3+64 {
		if err == nil && n > f.left {
			return f.fail(decode.TooLarge)
		}
		return f.fail(decode.BadCodec)
	}
	if n > f.left {
		return f.fail(decode.TooLarge)
	}
	out, err := snappy.Decode(f.grow(n), b)
	if err != nil {
		if cut(b) {
			return f.fail(decode.Truncated)
		}
		return f.fail(decode.BadCodec)
	}
	return out
}

// cut says whether a block that cannot be decoded is good as far as it goes and ends too early.
func cut(b []byte) bool {
	claim, n := binary.Uvarint(b)
	if n <= 0 {
		return false
	}
	b = b[n:]
	have := uint64(0)
	for len(b) > 0 {
		size, length, offset := 0, 0, uint64(0)
		switch tag := b[0]; tag & 3 {
		case 0:
			size, length = 1, int(tag>>2)+1
			if extra := length - 60; extra > 0 {
				if len(b) <= extra {
					return true
				}
				length = 0
				for i := extra; i > 0; i-- {
					length = length<<8 | int(b[i])
				}
				length++
				size += extra
			}
			if length > len(b)-size {
				return have+uint64(length) <= claim
			}
			b = b[size+length:]
			have += uint64(length)
			continue
		case 1:
			size, length = 2, int(tag>>2&7)+4
			if len(b) >= size {
				offset = uint64(tag>>5)<<8 | uint64(b[1])
			}
		case 2:
			size, length = 3, int(tag>>2)+1
			if len(b) >= size {
				offset = uint64(binary.LittleEndian.Uint16(b[1:]))
			}
		case 3:
			size, length = 5, int(tag>>2)+1
			if len(b) >= size {
				offset = uint64(binary.LittleEndian.Uint32(b[1:]))
			}
		}
		if len(b) < size {
			return true
		}
		if offset == 0 || offset > have {
			return false
		}
		b = b[size:]
		have += uint64(length)
	}
	return have < claim
}
