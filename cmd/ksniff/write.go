package main

import (
	"os"
	"time"

	"github.com/spf13/pflag"

	"ksniff/capture"
	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

// heldPackets bounds what --only kafka holds back, in bytes, of connections that have not proved yet
// what they speak; the oldest go first.
const heldPackets = 16 << 20

// writeFlags are the flags for writing packets while they are analysed.
type writeFlags struct {
	file  string
	only  string
	size  int64 // millions of bytes, as tcpdump's -C
	every int   // seconds
	files int
	mask  string
	alone bool // nothing else goes to standard output, so packets may
}

func (w *writeFlags) flags(f *pflag.FlagSet) {
	f.StringVarP(&w.file, "write", "w", "", "also write all packets (-f selects, -Y does not) to this pcapng file")
	f.StringVar(&w.only, "only", "", "kafka: write only connections that prove to speak Kafka")
	f.Int64VarP(&w.size, "file-size", "C", 0, "begin another file after so many million bytes")
	f.IntVarP(&w.every, "rotate-seconds", "G", 0, "begin another file after so many seconds; its name may have %Y%m%d%H%M%S")
	f.StringVar(&w.mask, "mask", "", "payload: write the packets without keys, values and secrets (docs/mask.md)")
	f.IntVarP(&w.files, "file-count", "W", 0, "keep at most so many files")
}

// open makes the recorder that the flags ask for, nil where they do not; names are the files that are read.
func (w *writeFlags) open(names []string) (*recorder, error) {
	if w.only != "" && w.only != "kafka" {
		return nil, usage("--only %s: there is kafka", w.only)
	}
	if w.mask != "" && w.mask != "payload" {
		return nil, usage("--mask %s: there is payload", w.mask)
	}
	if w.file == "" {
		if w.only != "" || w.mask != "" || w.size != 0 || w.every != 0 || w.files != 0 {
			return nil, usage("--only, --mask, -C, -G and -W go with -w")
		}
		return nil, nil
	}
	if err := w.check(names); err != nil {
		return nil, err
	}
	r := &recorder{create: func() (*capture.Writer, error) {
		return capture.Create(w.file, capture.Rotation{Size: w.size * 1e6, Every: time.Duration(w.every) * time.Second, Files: w.files})
	}}
	if w.only != "" {
		r.found = map[flow]bool{}
	}
	return r, nil
}

// check refuses what can't be meant: another format's numbers, or a file that is also read.
func (w *writeFlags) check(names []string) error {
	switch {
	case w.file == "-" && !w.alone:
		return usage("-w -: standard output is for the results; name a file")
	case w.size < 0 || w.every < 0 || w.files < 0:
		return usage("-C, -G and -W cannot be negative")
	case w.files > 0 && w.size == 0 && w.every == 0:
		return usage("-W goes with -C or -G")
	}
	out, err := os.Stat(w.file)
	if err != nil || !out.Mode().IsRegular() {
		return nil // not there yet, or a device
	}
	for _, name := range names {
		in, err := os.Stat(name)
		if name == "-" {
			in, err = os.Stdin.Stat()
		}
		if err == nil && os.SameFile(in, out) {
			return usage("-w %s would overwrite what is read", w.file)
		}
	}
	return nil
}

// flow is a connection whichever way a packet goes: the smaller end first.
type flow struct {
	a, b reassembly.Endpoint
}

func flowOf(a, b reassembly.Endpoint) flow {
	if a.Port > b.Port || (a.Port == b.Port && string(a.Addr[:]) > string(b.Addr[:])) {
		a, b = b, a
	}
	return flow{a, b}
}

// recorder writes packets as they pass. With found it holds back those of connections that are not
// proved to be Kafka; they come out when the proof does, after packets that were captured later.
type recorder struct {
	create func() (*capture.Writer, error)
	out    *capture.Writer // made with the first packet, so that a mistake elsewhere leaves an old file alone
	found  map[flow]bool   // connections that speak Kafka; nil: write all
	held   []heldPacket
	bytes  int
	err    error // the first one; nothing is written after it

	wrote bool // a packet, on this interface
	iface int
	link  capture.LinkType
}

type heldPacket struct {
	packet capture.Packet
	flow   flow
}

// take takes the next packet, and its segment where it is TCP.
func (r *recorder) take(p *capture.Packet, segment *capture.Segment, tcp bool) {
	switch {
	case r.err != nil:
	case r.found == nil:
		r.write(p)
	case tcp:
		f := flowOf(reassembly.Endpoint{Addr: segment.Src, Port: segment.SrcPort}, reassembly.Endpoint{Addr: segment.Dst, Port: segment.DstPort})
		if r.found[f] {
			r.write(p)
			return
		}
		kept := *p
		kept.Data = append([]byte(nil), p.Data...)
		r.held = append(r.held, heldPacket{kept, f})
		r.bytes += len(kept.Data)
		for r.bytes > heldPackets {
			r.bytes -= len(r.held[0].packet.Data)
			r.held = r.held[1:]
		}
	}
}

// begin makes the file.
func (r *recorder) begin() {
	if r.err == nil && r.out == nil {
		r.out, r.err = r.create()
	}
}

func (r *recorder) write(p *capture.Packet) {
	r.begin()
	if r.err == nil {
		r.err = r.out.Write(p)
		r.wrote, r.iface, r.link = true, p.Iface, p.Link
	}
}

// losses writes what the capture lost, so that readers of the file know.
func (r *recorder) losses(received, dropped uint64) {
	if r.wrote && r.err == nil {
		r.err = r.out.Statistics(r.iface, r.link, received, dropped)
	}
}

// kafka says that a connection speaks Kafka.
func (r *recorder) kafka(c *reassembly.Conn) {
	if r.found == nil {
		return
	}
	f := flowOf(c.Ends[0], c.Ends[1])
	if r.found[f] {
		return
	}
	r.found[f] = true
	rest := r.held[:0]
	for _, one := range r.held {
		if one.flow != f {
			rest = append(rest, one)
			continue
		}
		r.bytes -= len(one.packet.Data)
		r.write(&one.packet)
	}
	clear(r.held[len(rest):])
	r.held = rest
}

// flush brings what is written so far to the file.
func (r *recorder) flush() {
	if r.err == nil && r.out != nil {
		r.err = r.out.Flush()
	}
}

// close ends the file; one without packets is a capture too.
func (r *recorder) close() error {
	r.begin()
	if r.out == nil {
		return r.err
	}
	if err := r.out.Close(); r.err == nil {
		r.err = err
	}
	return r.err
}

// recording tells the recorder which connections speak Kafka.
type recording struct {
	session.Sink
	recorder *recorder
}

func (r recording) Frame(f *session.Frame) {
	r.recorder.kafka(f.Conn)
	r.Sink.Frame(f)
}
