package capture

import "io"

const (
	windowSize = 256 << 10
	// maxPacket bounds one packet (or pcapng block): more than any link carries, GSO included.
	maxPacket = 16 << 20
)

// window is the part of a stream that is in memory. It is filled by single reads, so that a packet
// that has arrived is never kept waiting for more, and grows only as bytes really come.
type window struct {
	r          io.Reader
	buf        []byte
	start, end int   // buf[start:end] is read, but not consumed
	base       int64 // offset in the stream of buf[0]
	err        error // of the last read; sticky
	onRead     func()
	lend       func(used []byte) []byte // see Files.Lend
}

func (w *window) offset() int64 { return w.base + int64(w.start) }

// peek returns the next n bytes, valid until the next peek, or fewer with the error that ended the stream.
func (w *window) peek(n int) ([]byte, error) {
	if w.end-w.start >= n {
		return w.buf[w.start : w.start+n : w.start+n], nil
	}
	return w.fill(n)
}

// fill makes room and reads until n bytes are there.
func (w *window) fill(n int) ([]byte, error) {
	if w.start > 0 {
		w.slide()
		w.base += int64(w.start)
		w.start, w.end = 0, w.end-w.start
	}
	for w.end < n && w.err == nil {
		if w.end == len(w.buf) {
			w.buf = append(w.buf, make([]byte, max(len(w.buf), windowSize))...)
		}
		w.read()
	}
	if w.end < n {
		return w.buf[:w.end:w.end], w.err
	}
	return w.buf[:n:n], nil
}

// slide moves what is not consumed to the front, of another buffer where this one is lent.
func (w *window) slide() {
	rest := w.buf[w.start:w.end]
	if w.lend == nil {
		copy(w.buf, rest)
		return
	}
	fresh := w.lend(w.buf)
	if len(fresh) < len(rest) {
		fresh = make([]byte, len(w.buf))
	}
	copy(fresh, rest)
	w.buf = fresh
}

// read reads once, whatever is there.
func (w *window) read() {
	if w.onRead != nil {
		w.onRead()
	}
	for range 100 {
		n, err := w.r.Read(w.buf[w.end:])
		w.end += n
		if w.err = err; n > 0 || err != nil {
			return
		}
	}
	w.err = io.ErrNoProgress
}

// skip consumes n bytes without keeping them.
func (w *window) skip(n int64) error {
	for n > int64(w.end-w.start) {
		n -= int64(w.end - w.start)
		w.start = w.end
		if _, err := w.fill(1); err != nil {
			return err
		}
	}
	w.start += int(n)
	return nil
}

// Read drains the window, for a decompressor on top of it.
func (w *window) Read(p []byte) (int, error) {
	if w.start == w.end {
		if _, err := w.fill(1); err != nil {
			return 0, err
		}
	}
	n := copy(p, w.buf[w.start:w.end])
	w.start += n
	return n, nil
}
