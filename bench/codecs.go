package main

import (
	"bytes"
	"fmt"
	"io"
	"time"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

const (
	codecAt   = 22 // low byte of a batch's attributes
	batchHead = 61
)

// unpacker decompresses batches with the libraries alone, with decoders and buffers that are used again.
type unpacker struct {
	gzip *gzip.Reader
	lz4  *lz4.Reader
	zstd *zstd.Decoder
	out  []byte
}

// size decompresses the records of a batch and gives their size.
func (u *unpacker) size(batch []byte) (n int, err error) {
	packed := batch[batchHead:]
	switch batch[codecAt] & 7 {
	case 1:
		if u.gzip == nil {
			u.gzip, err = gzip.NewReader(bytes.NewReader(packed))
		} else {
			err = u.gzip.Reset(bytes.NewReader(packed))
		}
		if err != nil {
			return 0, err
		}
		return u.drain(u.gzip)
	case 2:
		u.out, err = snappy.Decode(u.out[:cap(u.out)], packed)
	case 3:
		if u.lz4 == nil {
			u.lz4 = lz4.NewReader(nil)
		}
		u.lz4.Reset(bytes.NewReader(packed))
		return u.drain(u.lz4)
	case 4:
		if u.zstd == nil {
			if u.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1)); err != nil {
				return 0, err
			}
		}
		u.out, err = u.zstd.DecodeAll(packed, u.out[:0])
	default:
		return len(packed), nil
	}
	return len(u.out), err
}

func (u *unpacker) drain(r io.Reader) (n int, err error) {
	if cap(u.out) < 32<<10 {
		u.out = make([]byte, 32<<10)
	}
	for {
		k, err := r.Read(u.out[:cap(u.out)])
		n += k
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

// codecsAlone prints how long the libraries take for all batches of a generated capture: what `report --deep` is
// measured against. Each batch is decompressed as often as the capture has it, up to a few times.
func codecsAlone(m made) error {
	const most = 200
	var u unpacker
	var all time.Duration
	for i, b := range m.batches {
		n := min(m.times[i], most)
		if n == 0 {
			continue
		}
		start := time.Now()
		for range n {
			if _, err := u.size(b); err != nil {
				return err
			}
		}
		all += time.Since(start) * time.Duration(m.times[i]) / time.Duration(n)
	}
	fmt.Printf("codecs alone: %s\n", round(all))
	return nil
}
