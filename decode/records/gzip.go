package records

import (
	"bytes"
	"errors"

	"github.com/klauspost/compress/gzip"

	"ksniff/decode"
)

// gzipState reads gzip, of one member or several. As Java's GZIPInputStream it takes bytes after the last
// member that are no gzip header for the end.
type gzipState struct{ r *gzip.Reader }

func (g *gzipState) begin(src *bytes.Reader) decode.Code {
	var err error
	if g.r == nil {
		g.r, err = gzip.NewReader(src)
	} else {
		err = g.r.Reset(src)
	}
	if err != nil {
		return gzipCode(err)
	}
	g.r.Multistream(false)
	return 0
}

func (g *gzipState) read(src *bytes.Reader, out []byte) (int, decode.Code) {
	n, err := g.r.Read(out)
	if code := gzipCode(err); code != endOfData {
		return n, code
	}
	if src.Len() == 0 || g.r.Reset(src) != nil {
		return n, endOfData
	}
	g.r.Multistream(false)
	return n, 0
}

func gzipCode(err error) decode.Code {
	if errors.Is(err, gzip.ErrChecksum) {
		return decode.CodecChecksum
	}
	code := codeOf(err)
	return code
}
