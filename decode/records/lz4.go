package records

import (
	"encoding/binary"

	"github.com/pierrec/lz4/v4"

	"ksniff/decode"
)

const (
	lz4Magic = 0x184D2204
	lz4Dict  = 64 << 10 // how far back a dependent block may refer
)

// lz4State is where we are in an LZ4 frame (lz4_Frame_format.md of the lz4 project).
type lz4State struct {
	blockMax                 int
	dependent                bool
	blockChecksum, allDigest bool
	size                     uint64 // content size, if sized
	sized                    bool
	digest                   xxh32
	dict                     []byte
}

// beginLZ4 reads the frame header. Its checksum is known to be wrong in message format 0 (KAFKA-3160: taken
// over the frame magic too), which is what brokers of that time want; elsewhere a wrong one is odd.
func (f *inflater) beginLZ4(magic int8) {
	z, b := &f.lz4, f.src
	if len(b) < 7 {
		f.code = decode.Truncated
		if len(b) >= 4 && binary.LittleEndian.Uint32(b) != lz4Magic {
			f.code = decode.BadCodec
		}
		return
	}
	flags, bd := b[4], b[5]
	exponent := bd >> 4 & 7
	if binary.LittleEndian.Uint32(b) != lz4Magic || flags>>6 != 1 || flags&1 != 0 || exponent < 4 {
		f.code = decode.BadCodec // no frame of this version, or it wants a dictionary
		return
	}
	*z = lz4State{
		blockMax: 1 << (8 + 2*exponent), dependent: flags&0x20 == 0, blockChecksum: flags&0x10 != 0,
		sized: flags&8 != 0, allDigest: flags&4 != 0, dict: z.dict[:0],
	}
	end := 6
	if z.sized {
		end += 8
		if len(b) <= end {
			f.code = decode.Truncated
			return
		}
		z.size = binary.LittleEndian.Uint64(b[6:])
	}
	if sum := byte(checksum32(b[4:end]) >> 8); sum != b[end] {
		if wrong := byte(checksum32(b[:end]) >> 8); magic != 0 || wrong != b[end] {
			f.odd = decode.LZ4HeaderChecksum
		}
	}
	z.digest.reset()
	f.src = b[end+1:]
}

func (f *inflater) nextLZ4() []byte {
	z := &f.lz4
	if len(f.src) < 4 {
		return f.fail(decode.Truncated)
	}
	word := binary.LittleEndian.Uint32(f.src)
	f.src = f.src[4:]
	if word == 0 {
		return f.endLZ4()
	}
	n, raw := int(word&0x7fffffff), word>>31 != 0
	if n > z.blockMax {
		return f.fail(decode.BadCodec)
	}
	tail := 0
	if z.blockChecksum {
		tail = 4
	}
	if n+tail > len(f.src) {
		return f.fail(decode.Truncated)
	}
	block := f.src[:n]
	if z.blockChecksum && checksum32(block) != binary.LittleEndian.Uint32(f.src[n:]) {
		return f.fail(decode.CodecChecksum)
	}
	f.src = f.src[n+tail:]
	out := block
	if !raw {
		// A byte of input gives at most 255 of output: room for what can really come.
		out = f.grow(min(z.blockMax, 255*n+64))
		var err error
		if n, err = lz4.UncompressBlockWithDict(block, out, z.dict); err != nil {
			return f.fail(decode.BadCodec)
		}
		out = out[:n]
	}
	if z.dependent {
		z.remember(out)
	}
	if z.allDigest {
		z.digest.write(out)
	}
	return out
}

// remember keeps the last 64 KiB of output for the next dependent block.
func (z *lz4State) remember(out []byte) {
	if len(out) >= lz4Dict {
		z.dict = append(z.dict[:0], out[len(out)-lz4Dict:]...)
		return
	}
	if over := len(z.dict) + len(out) - lz4Dict; over > 0 {
		z.dict = z.dict[:copy(z.dict, z.dict[over:])]
	}
	z.dict = append(z.dict, out...)
}

// endLZ4 checks what the frame says about its content. What follows the end mark is ignored, as Kafka does.
func (f *inflater) endLZ4() []byte {
	z := &f.lz4
	if z.sized && z.size != uint64(f.total) {
		return f.fail(decode.BadCodec)
	}
	if z.allDigest {
		if len(f.src) < 4 {
			return f.fail(decode.Truncated)
		}
		if z.digest.sum() != binary.LittleEndian.Uint32(f.src) {
			return f.fail(decode.CodecChecksum)
		}
	}
	f.ended = true
	return nil
}
