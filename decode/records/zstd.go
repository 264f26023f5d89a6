package records

import (
	"bytes"
	"errors"

	"github.com/klauspost/compress/zstd"

	"ksniff/decode"
)

// Windows up to streamWindow are decoded as a stream with a history of that size. Larger ones (level 20 and
// up, or one segment) are decoded into memory that grows with what comes, and is its own history.
const (
	streamWindow = 8 << 20
	maxWindow    = 128 << 20 // of level 22
)

type zstdState struct {
	stream *zstd.Decoder
	whole  *zstd.Decoder
	held   []byte // what whole has decoded
	rest   []byte // of held, not yet handed out
	end    decode.Code
	inHeld bool
}

func (z *zstdState) begin(src *bytes.Reader, all []byte) decode.Code {
	z.inHeld = false
	var head zstd.Header
	if err := head.Decode(all); err != nil {
		return zstdCode(err)
	}
	if head.WindowSize > maxWindow || head.HasFCS && head.FrameContentSize > MaxBatch {
		return decode.TooLarge
	}
	if head.HasFCS && head.FrameContentSize > uint64(potential(all)) {
		return decode.BadCodec
	}
	if head.WindowSize > streamWindow || head.SingleSegment && head.FrameContentSize > streamWindow {
		return z.decodeWhole(all)
	}
	var err error
	if z.stream == nil {
		z.stream, err = zstd.NewReader(src, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxMemory(MaxBatch), zstd.WithDecoderMaxWindow(streamWindow))
	} else {
		err = z.stream.Reset(src)
	}
	return zstdCode(err)
}

// decodeWhole tries with ever more room, since the frame's claim is not to be believed.
func (z *zstdState) decodeWhole(all []byte) decode.Code {
	if z.whole == nil {
		var err error
		z.whole, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxMemory(maxWindow), zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return zstdCode(err)
		}
	}
	most := min(potential(all), MaxBatch)
	for room := min(keep, most); ; room = min(8*room, most) {
		out, err := z.whole.DecodeAll(all, make([]byte, 0, room))
		if errors.Is(err, zstd.ErrDecoderSizeExceeded) && room < most {
			continue
		}
		z.held, z.rest, z.inHeld = out, out, true
		if z.end = zstdCode(err); z.end == 0 {
			z.end = endOfData
		}
		return 0
	}
}

// potential is the most that so many bytes can decode to: a block takes 4 at least and gives 128 KiB at most.
func potential(all []byte) int { return (len(all)/4 + 1) * 128 << 10 }

func (z *zstdState) read(out []byte) (int, decode.Code) {
	if !z.inHeld {
		n, err := z.stream.Read(out)
		return n, zstdCode(err)
	}
	n := copy(out, z.rest)
	if z.rest = z.rest[n:]; len(z.rest) == 0 {
		return n, z.end
	}
	return n, 0
}

func (z *zstdState) trim() {
	z.held, z.rest = nil, nil
	if z.stream != nil {
		z.stream.Reset(nil)
	}
}

func zstdCode(err error) decode.Code {
	switch {
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return decode.TooLarge
	case errors.Is(err, zstd.ErrCRCMismatch):
		return decode.CodecChecksum
	}
	return codeOf(err)
}
