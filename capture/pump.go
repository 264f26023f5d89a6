package capture

import (
	"io"
	"os"
	"sync"
)

// pump reads standard input in a goroutine of its own: closing a pipe or a terminal that another
// program holds does not wake up who waits for it, but Close here does.
type pump struct {
	full, free chan []byte
	rest       []byte // of the buffer that is being handed out
	buf        []byte
	err        error // that ended the input; set before full is closed
	done       chan struct{}
	once       sync.Once
}

func newPump(in io.Reader) *pump {
	p := &pump{full: make(chan []byte), free: make(chan []byte, 2), done: make(chan struct{})}
	p.free <- make([]byte, 64<<10)
	p.free <- make([]byte, 64<<10)
	go p.run(in)
	return p
}

func (p *pump) run(in io.Reader) {
	defer close(p.full)
	for {
		select {
		case b := <-p.free:
			n, err := in.Read(b)
			if n > 0 {
				select {
				case p.full <- b[:n]:
				case <-p.done:
					return
				}
			}
			if err != nil {
				p.err = err
				return
			}
		case <-p.done:
			return
		}
	}
}

func (p *pump) Read(b []byte) (int, error) {
	if len(p.rest) == 0 {
		if p.buf != nil {
			p.free <- p.buf[:cap(p.buf)]
			p.buf = nil
		}
		select {
		case got, ok := <-p.full:
			if !ok {
				if p.err == nil {
					return 0, os.ErrClosed
				}
				return 0, p.err
			}
			p.rest, p.buf = got, got
		case <-p.done:
			return 0, os.ErrClosed
		}
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

func (p *pump) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}
