package capture

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"sync/atomic"
)

// Reader reads one capture: pcap or pcapng, plain or compressed with gzip or zstd, recognised by
// its first bytes. It allocates nothing per packet.
type Reader struct {
	// OnRead, if set, is called before each read from the system. That may wait for input, so it
	// is the moment to flush what was made of the packets so far.
	OnRead func()
	// OnSecrets, if set, gets the contents of pcapng Decryption Secrets Blocks; kind 0x544c534b is
	// a TLS key log. data is valid during the call.
	OnSecrets func(kind uint32, data []byte)

	name   string
	file   io.Closer // nil where Open opened none
	closed atomic.Bool
	size   int64
	stored atomic.Int64  // bytes read from the system
	win    window        // on the stored bytes
	plain  *window       // on the bytes of the capture: &win, or on the decompressor
	packed *decompressor // nil where the source is plain
	format format
	number uint64 // of the last packet that was given
}

// format reads the packets of one file format.
type format interface {
	next(r *Reader, p *Packet) error
}

// Open opens a capture file, "-" for standard input, and reads its header.
// The error is an *Error.
func Open(name string) (*Reader, error) { return open(name, nil) }

func open(name string, onRead func()) (*Reader, error) {
	if name == "-" {
		if info, err := os.Stdin.Stat(); err == nil && info.Mode().IsRegular() {
			return newReader(os.Stdin, "standard input", onRead)
		}
		p := newPump(os.Stdin)
		r, err := newReader(p, "standard input", onRead)
		if err != nil {
			p.Close()
			return nil, err
		}
		r.file = p
		return r, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, systemError(name, err)
	}
	r, err := newReader(f, name, onRead)
	if err != nil {
		f.Close()
		return nil, err
	}
	r.file = f
	return r, nil
}

// NewReader reads the capture in r; name is for errors. It does not close r. The error is an *Error.
func NewReader(r io.Reader, name string) (*Reader, error) { return newReader(r, name, nil) }

func newReader(in io.Reader, name string, onRead func()) (*Reader, error) {
	r := &Reader{name: name, OnRead: onRead}
	if f, ok := in.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			r.size = info.Size()
		}
	}
	r.win = window{r: &counted{in, &r.stored}, onRead: r.aboutToRead}
	r.plain = &r.win
	if err := r.detect(); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

func (r *Reader) aboutToRead() {
	if r.OnRead != nil {
		r.OnRead()
	}
}

// Next fills p with the next packet, whose Data is valid until the next call. After the last one
// it returns io.EOF; any other error is an *Error.
func (r *Reader) Next(p *Packet) error {
	err := r.format.next(r, p)
	if err == nil {
		r.number++
		p.Number = r.number
	}
	return err
}

// Progress gives the bytes read so far and in all, both as stored; all is 0 where it is not known.
// It may be called from any goroutine.
func (r *Reader) Progress() (done, all int64) { return r.stored.Load(), r.size }

// Dropped gives the packets that the capturing system says it lost, as far as was read. Only pcapng
// files can say so.
func (r *Reader) Dropped() uint64 {
	if f, ok := r.format.(*pcapng); ok {
		return f.dropped + f.drops()
	}
	return 0
}

// InterfaceName gives the name of an interface, by Packet.Iface, as the file has it: as the wire, it
// is not to be trusted. Empty where there is none, or the packet was not of this section.
func (r *Reader) InterfaceName(iface int) string {
	if f, ok := r.format.(*pcapng); ok && iface >= f.before && iface < f.before+len(f.ifaces) {
		return f.ifaces[iface-f.before].name
	}
	return ""
}

// Close closes the file, if Open opened one. It may be called from any goroutine, and makes a Next
// that waits for input return an error.
func (r *Reader) Close() (err error) {
	if r.closed.Swap(true) {
		return nil
	}
	if r.file != nil {
		err = r.file.Close()
	}
	if r.packed != nil {
		r.packed.close()
	}
	return err
}

// counted counts what is read through it.
type counted struct {
	io.Reader
	n *atomic.Int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// systemError is the error for a source that the system does not give.
func systemError(name string, err error) *Error {
	e := &Error{Source: name, Reason: Failed, Err: err, What: err.Error()}
	var path *fs.PathError
	if errors.As(err, &path) {
		e.What = path.Err.Error()
	}
	if errors.Is(err, fs.ErrPermission) {
		e.Hint = "its mode or owner keeps you from reading it"
	}
	return e
}
