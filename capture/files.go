package capture

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
)

// Files reads several captures one after the other, with packet numbers that go on.
// A source that fails does not keep the others from being read: its error comes at the end.
type Files struct {
	// OnRead and OnSecrets are those of Reader, for every source.
	OnRead    func()
	OnSecrets func(kind uint32, data []byte)

	// Lend, if set, takes each buffer that is read through and gives another one in its place (nil: a new
	// one is made). So the data of packets stays valid for as long as Lend does not give the buffer back.
	Lend func(used []byte) []byte

	names  []string
	closed atomic.Bool
	now    atomic.Pointer[Reader]
	number uint64
	starts []uint64
	done   atomic.Int64 // bytes of the sources that are read
	all    int64
	errs   []error
	lost   uint64
}

// OpenAll returns the packets of all named files; "-" is standard input. Files are opened when
// their turn comes.
func OpenAll(names ...string) *Files {
	f := &Files{names: names}
	for _, name := range names {
		info, err := os.Stat(name)
		if name == "-" || err == nil && !info.Mode().IsRegular() {
			f.all = 0
			break
		}
		if err == nil {
			f.all += info.Size()
		}
	}
	return f
}

// Next fills p with the next packet. After the last one of the last source it returns io.EOF, or
// the errors of the sources that could not be read to their end, each an *Error, joined.
func (f *Files) Next(p *Packet) error {
	for {
		r := f.now.Load()
		if r == nil {
			if f.closed.Load() {
				return os.ErrClosed
			}
			if len(f.names) == 0 {
				if len(f.errs) == 0 {
					return io.EOF
				}
				return errors.Join(f.errs...)
			}
			if r = f.open(); r == nil {
				continue
			}
		}
		err := r.Next(p)
		if err == nil {
			return nil
		}
		if err != io.EOF {
			f.errs = append(f.errs, err)
		}
		f.shut(r)
	}
}

// open opens the next source; nil if that failed.
func (f *Files) open() *Reader {
	name := f.names[0]
	f.names = f.names[1:]
	f.starts = append(f.starts, f.number)
	r, err := open(name, f.OnRead)
	if err != nil {
		f.errs = append(f.errs, err)
		return nil
	}
	r.OnSecrets, r.number, r.plain.lend = f.OnSecrets, f.number, f.Lend
	f.now.Store(r)
	if f.closed.Load() { // meanwhile
		r.Close()
	}
	return r
}

// shut goes on from a source that is at its end.
func (f *Files) shut(r *Reader) {
	f.number = r.number
	f.lost += r.Dropped()
	f.done.Add(r.stored.Load())
	f.now.Store(nil)
	r.Close()
}

// Progress gives the bytes read so far and in all, both as stored; all is 0 where it is not known.
// It may be called from any goroutine.
func (f *Files) Progress() (done, all int64) {
	done = f.done.Load()
	if r := f.now.Load(); r != nil {
		done += r.stored.Load()
	}
	return done, f.all
}

// Regular says that all sources are regular files.
func (f *Files) Regular() bool { return f.all > 0 }

// Starts gives, for each source that was opened or tried, how many packets were read before it. Call it when all is read.
func (f *Files) Starts() []uint64 { return f.starts }

// Dropped gives the packets that the capturing system says it lost, as far as was read.
func (f *Files) Dropped() uint64 {
	if r := f.now.Load(); r != nil {
		return f.lost + r.Dropped()
	}
	return f.lost
}

// InterfaceName is that of Reader, for the source of the last packet.
func (f *Files) InterfaceName(iface int) string {
	if r := f.now.Load(); r != nil {
		return r.InterfaceName(iface)
	}
	return ""
}

// Close closes the source that is open. It may be called from any goroutine; Next gives os.ErrClosed
// or an *Error after it.
func (f *Files) Close() error {
	f.closed.Store(true)
	if r := f.now.Load(); r != nil {
		return r.Close()
	}
	return nil
}
