package capture

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrFull is returned by Write when the last file that Rotation allows is full.
var ErrFull = errors.New("the last file is full")

// writeSize is how much is gathered for one write to the system.
const writeSize = 256 << 10

// Writer writes packets to pcapng files. Each write to the system is of whole blocks, so that what a
// killed process leaves behind can be read. It serves one goroutine.
type Writer struct {
	// InterfaceName, if set, gives the names of interfaces, by Packet.Iface.
	InterfaceName func(iface int) string

	files  fileNames
	out    io.Writer
	file   *os.File // nil for standard output
	buf    []byte
	ifaces map[seenOn]int // their numbers in this file
	last   seenOn         // of the packet before, whose number is id
	id     int
	size   int64 // bytes of this file, buf included
	begun  int64 // time that Every counts from
	time   int64 // of the last packet that had one
}

// seenOn is what becomes an interface of a pcapng file.
type seenOn struct {
	iface int
	link  LinkType
}

// Create makes the first file; "-" is standard output. With Rotation.Every the file is made with the
// first packet, since its name may contain the time.
func Create(name string, r Rotation) (*Writer, error) {
	w := &Writer{files: fileNames{Rotation: r, name: name}}
	if name == "-" {
		if r != (Rotation{}) {
			return nil, errors.New("files that follow one another need a name, not standard output")
		}
		w.begin(os.Stdout)
		return w, nil
	}
	if r.Every > 0 {
		return w, nil
	}
	return w, w.open(0)
}

// NewWriter writes one pcapng stream to out, which it does not close.
func NewWriter(out io.Writer) *Writer {
	w := &Writer{}
	w.begin(out)
	return w
}

// Write writes a packet. What is written reaches the file with Flush or Close, or when much has come together.
func (w *Writer) Write(p *Packet) error {
	if err := w.rotate(p.Time); err != nil {
		return err
	}
	id, err := w.number(seenOn{p.Iface, p.Link})
	if err != nil {
		return err
	}
	if p.Time != NoTime {
		w.time = p.Time
	}
	before, wire := len(w.buf), max(p.Wire, len(p.Data))
	if p.Time == NoTime && id == 0 && wire == len(p.Data) {
		w.buf = appendTimeless(w.buf, p.Data)
	} else {
		w.buf = appendPacket(w.buf, id, w.time, wire, p.Data)
	}
	return w.wrote(before)
}

// Statistics writes how many packets an interface saw and how many were lost, in the words of the kernel.
func (w *Writer) Statistics(iface int, link LinkType, received, dropped uint64) error {
	id, err := w.number(seenOn{iface, link})
	if err != nil {
		return err
	}
	before := len(w.buf)
	w.buf = appendStatistics(w.buf, id, w.time, received, dropped)
	return w.wrote(before)
}

// Flush writes all whole blocks to the system.
func (w *Writer) Flush() error {
	if len(w.buf) == 0 || w.out == nil {
		return nil
	}
	_, err := w.out.Write(w.buf)
	w.buf = w.buf[:0]
	return err
}

// Close ends the file. A file without packets is a valid capture too.
func (w *Writer) Close() error {
	if w.out == nil {
		return nil
	}
	var err error
	if len(w.ifaces) == 0 {
		_, err = w.number(seenOn{0, LinkEthernet})
	}
	err = errors.Join(err, w.Flush())
	if w.file != nil {
		err = errors.Join(err, w.file.Close())
	}
	w.out, w.file = nil, nil
	return err
}

// begin begins a file.
func (w *Writer) begin(out io.Writer) {
	w.out = out
	w.ifaces = make(map[seenOn]int)
	w.buf = appendSection(w.buf[:0])
	w.size = int64(len(w.buf))
}

// open makes the next file.
func (w *Writer) open(now int64) error {
	f, err := os.OpenFile(w.files.next(now), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600) // captures have secrets
	if err != nil {
		return err
	}
	w.begin(f)
	w.file, w.begun = f, now
	return nil
}

// rotate begins another file if it is time.
func (w *Writer) rotate(now int64) error {
	if now == NoTime {
		now = w.time
	}
	switch r := w.files.Rotation; {
	case w.out == nil && w.files.made == 0:
		return w.open(now)
	case w.out == nil:
		return os.ErrClosed
	case r.Every > 0 && now-w.begun >= int64(r.Every):
		w.files.later()
	case r.Size > 0 && w.size > r.Size:
		w.files.larger()
		now = w.begun // the name's time stays
	default:
		return nil
	}
	if w.files.full() {
		return ErrFull
	}
	if err := w.Close(); err != nil {
		return err
	}
	return w.open(now)
}

// number is the number of an interface in the file, which is told about it first.
func (w *Writer) number(s seenOn) (int, error) {
	if len(w.ifaces) > 0 && s == w.last {
		return w.id, nil
	}
	id, known := w.ifaces[s]
	if !known {
		if len(w.ifaces) >= maxInterfaces {
			return 0, fmt.Errorf("more than %d interfaces", maxInterfaces)
		}
		name, before := "", len(w.buf)
		if w.InterfaceName != nil {
			name = w.InterfaceName(s.iface)
		}
		id = len(w.ifaces)
		w.buf = appendInterface(w.buf, s.link, name)
		if err := w.wrote(before); err != nil {
			return 0, err
		}
		w.ifaces[s] = id
	}
	w.last, w.id = s, id
	return id, nil
}

// wrote accounts for a block that was appended behind the first bytes of buf.
func (w *Writer) wrote(before int) error {
	w.size += int64(len(w.buf) - before)
	if len(w.buf) >= writeSize {
		return w.Flush()
	}
	return nil
}
