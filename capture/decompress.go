package capture

import (
	"encoding/binary"
	"io"
	"os"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// maxZstdWindow is what `zstd --ultra -22` needs.
const maxZstdWindow = 128 << 20

// decompressor reads through gzip or zstd. It may be closed while another goroutine reads.
type decompressor struct {
	name string
	mu   sync.Mutex
	in   io.ReadCloser // nil when closed
}

func (d *decompressor) Read(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.in == nil {
		return 0, os.ErrClosed
	}
	return d.in.Read(p)
}

func (d *decompressor) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.in != nil {
		d.in.Close()
		d.in = nil
	}
}

// decompress puts a decompressor under r.plain where the source starts as a compressed one does.
func (r *Reader) decompress(head []byte) error {
	d := &decompressor{}
	asked := r.win.onRead
	r.win.onRead = nil // zstd reads ahead in goroutines of its own, so the user is asked above it
	switch magic := binary.LittleEndian.Uint32(head); {
	case magic&0xffffff == 0x088b1f:
		z, err := gzip.NewReader(&r.win)
		if err != nil {
			return r.fault(Unreadable, err, "", "")
		}
		d.name, d.in = "gzip", z
	case magic == 0xfd2fb528, magic&^0xf == 0x184d2a50: // a frame, or one to skip
		z, err := zstd.NewReader(&r.win, zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxZstdWindow))
		if err != nil {
			return r.fault(Unreadable, err, "", "")
		}
		d.name, d.in = "zstd", z.IOReadCloser()
	default:
		r.win.onRead = asked
		return nil
	}
	r.packed, r.plain = d, &window{r: d, onRead: asked}
	return nil
}
