package main

import (
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
}

func (w *writeFlags) flags(f *pflag.FlagSet) {
	f.StringVarP(&w.file, "write", "w", "", "also write the packets to this pcapng file; - is standard output")
	f.StringVar(&w.only, "only", "", "kafka: write only connections that prove to speak Kafka")
	f.Int64VarP(&w.size, "file-size", "C", 0, "begin another file after so many million bytes")
	f.IntVarP(&w.every, "rotate-seconds", "G", 0, "begin another file after so many seconds; its name may have %Y%m%d%H%M%S")
	f.StringVar(&w.mask, "mask", "", "payload: write the packets without keys, values and secrets (docs/mask.md)")
	f.IntVarP(&w.files, "file-count", "W", 0, "keep at most so many files")
}

func (w *writeFlags) open() (*recorder, error) {
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
	out, err := capture.Create(w.file, capture.Rotation{Size: w.size * 1e6, Every: time.Duration(w.every) * time.Second, Files: w.files})
	if err != nil {
		return nil, failed(err)
	}
	r := &recorder{out: out}
	if w.only != "" {
		r.found = map[flow]bool{}
	}
	return r, nil
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
	out   *capture.Writer
	found map[flow]bool // connections that speak Kafka; nil: write all
	held  []heldPacket
	bytes int
	err   error // the first one; nothing is written after it

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

func (r *recorder) write(p *capture.Packet) {
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
	if r.err == nil {
		r.err = r.out.Flush()
	}
}

func (r *recorder) close() error {
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
