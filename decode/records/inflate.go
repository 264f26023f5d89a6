package records

import (
	"bytes"
	"io"

	"ksniff/decode"
)

// inflater decompresses one batch piece by piece. Its buffers and decoders are kept for the next batch.
type inflater struct {
	codec Codec
	src   []byte // compressed bytes not yet taken (snappy, lz4)
	rd    bytes.Reader
	out   []byte // a decompressed piece
	total int    // bytes handed out
	left  int    // bytes that may still come
	code  decode.Code
	ended bool
	// odd is set where the bytes were read although they are not as they should be.
	odd decode.Code

	gzip gzipState
	lz4  lz4State
	zstd zstdState
	xs   bool // snappy in xerial framing
}

// reset starts on src, which must stay as it is until the last piece; magic is the message format of the
// batch, since lz4 differs by it; limit bounds what comes out.
func (f *inflater) reset(codec Codec, magic int8, src []byte, limit int) {
	f.codec, f.src, f.total, f.left, f.code, f.odd, f.ended = codec, src, 0, limit, 0, 0, false
	switch codec {
	case Gzip:
		f.rd.Reset(src)
		f.code = f.gzip.begin(&f.rd)
	case Snappy:
		f.beginSnappy()
	case LZ4:
		f.beginLZ4(magic)
	case Zstd:
		f.rd.Reset(src)
		f.code = f.zstd.begin(&f.rd, src)
	case None:
	default:
		f.code = decode.BadCodec
	}
	f.ended = f.code != 0
}

// next returns the next piece, valid until the call after, or nil at the end; then code says why, 0 if it was
// a clean end. A piece that came before an error is good.
func (f *inflater) next() []byte {
	for !f.ended {
		var piece []byte
		switch f.codec {
		case None:
			piece, f.src = f.src, nil
			f.ended = true
		case Gzip, Zstd:
			piece = f.read()
		case Snappy:
			piece = f.nextSnappy()
		case LZ4:
			piece = f.nextLZ4()
		}
		if len(piece) > f.left {
			piece = piece[:f.left]
			f.fail(decode.TooLarge)
		}
		f.left -= len(piece)
		f.total += len(piece)
		if len(piece) > 0 {
			return piece
		}
	}
	return nil
}

func (f *inflater) fail(code decode.Code) []byte {
	f.code, f.ended = code, true
	return nil
}

// grow returns out with room for n bytes. n is bounded by what the compressed bytes can really hold.
func (f *inflater) grow(n int) []byte {
	if cap(f.out) < n {
		f.out = make([]byte, n, max(n, min(2*cap(f.out), keptOut)))
	}
	return f.out[:n]
}

// read takes a piece from one of the streaming decoders.
func (f *inflater) read() []byte {
	out := f.grow(32 << 10)
	var n int
	var code decode.Code
	if f.codec == Gzip {
		n, code = f.gzip.read(&f.rd, out)
	} else {
		n, code = f.zstd.read(out)
	}
	if code == endOfData {
		f.ended = true
	} else if code != 0 {
		f.fail(code)
	}
	return out[:n]
}

// endOfData is the clean end of a stream; no fault has this code.
const endOfData = decode.Code(255)

// codeOf says what an error of a streaming decoder means.
func codeOf(err error) decode.Code {
	switch err {
	case nil:
		return 0
	case io.EOF:
		return endOfData
	case io.ErrUnexpectedEOF:
		return decode.Truncated
	}
	return decode.BadCodec
}

// keptOut is the largest buffer for pieces that is kept: snappy knows only one piece. As many are in use as sets are
// being read at the same time, which is one.
const keptOut = 16 << 20

// trim lets go of what is too large to keep.
func (f *inflater) trim() {
	if cap(f.out) > keptOut {
		f.out = nil
	}
	f.src = nil
	f.rd.Reset(nil)
	f.zstd.trim()
}
