package main

import (
	"bufio"
	"encoding/binary"
	"io"
)

const (
	mss        = 1448
	brokerPort = 9092
	headers    = 14 + 20 + 32 // Ethernet, IPv4, TCP with a timestamp option
	flagsSYN   = 0x02
	flagsACK   = 0x10
	flagsPush  = 0x18
	packetGap  = 1000 // ns of capture time between packets
)

// writer writes a pcap file of TCP connections to one broker, each packet 1 µs after the one before.
type writer struct {
	out     *bufio.Writer
	now     int64 // ns
	packets int
	bytes   int64
	scratch [16 + headers + mss]byte
}

func newWriter(out io.Writer) (*writer, error) {
	w := &writer{out: bufio.NewWriterSize(out, 1<<20), now: 1_700_000_000_000_000_000}
	le := binary.LittleEndian
	head := le.AppendUint32(nil, 0xa1b23c4d) // nanoseconds
	head = le.AppendUint16(head, 2)
	head = le.AppendUint16(head, 4)
	head = le.AppendUint64(head, 0)
	head = le.AppendUint32(head, 262144)
	head = le.AppendUint32(head, 1)
	_, err := w.out.Write(head)
	w.bytes = int64(len(head))
	return w, err
}

// connection is one client's connection; seq[0] counts what the client sent, seq[1] the broker.
type connection struct {
	id          int // gives the client's address and port
	client      string
	seq         [2]uint32
	correlation int32
}

// open writes the handshake.
func (w *writer) open(c *connection) {
	w.packet(c, 0, flagsSYN, nil)
	c.seq[0]++
	w.packet(c, 1, flagsSYN|flagsACK, nil)
	c.seq[1]++
	w.packet(c, 0, flagsACK, nil)
}

// send writes a frame as segments of at most mss bytes.
func (w *writer) send(c *connection, side int, frame []byte) {
	for len(frame) > 0 {
		n := min(mss, len(frame))
		w.packet(c, side, flagsPush, frame[:n])
		c.seq[side] += uint32(n)
		frame = frame[n:]
	}
}

// packet writes one packet; errors stay in the bufio.Writer until Flush.
func (w *writer) packet(c *connection, side int, flags byte, payload []byte) {
	b := w.scratch[:16+headers]
	clear(b)
	w.now += packetGap
	size := uint32(headers + len(payload))
	le := binary.LittleEndian
	le.PutUint32(b, uint32(w.now/1e9))
	le.PutUint32(b[4:], uint32(w.now%1e9))
	le.PutUint32(b[8:], size)
	le.PutUint32(b[12:], size)
	ether := b[16:]
	be.PutUint16(ether[12:], 0x0800)
	ip := ether[14:]
	ip[0] = 0x45
	be.PutUint16(ip[2:], uint16(20+32+len(payload)))
	ip[8], ip[9] = 64, 6
	ends := [2][4]byte{{10, byte(c.id >> 16), byte(c.id >> 8), byte(c.id)}, {10, 255, 0, 1}}
	ports := [2]uint16{uint16(20000 + c.id%40000), brokerPort}
	copy(ip[12:], ends[side][:])
	copy(ip[16:], ends[1-side][:])
	tcp := ip[20:]
	be.PutUint16(tcp, ports[side])
	be.PutUint16(tcp[2:], ports[1-side])
	be.PutUint32(tcp[4:], c.seq[side])
	if flags&flagsACK != 0 {
		be.PutUint32(tcp[8:], c.seq[1-side])
	}
	tcp[12], tcp[13] = 0x80, flags
	be.PutUint16(tcp[14:], 65535)
	copy(tcp[20:], []byte{1, 1, 8, 10})
	w.out.Write(b)
	w.out.Write(payload)
	w.packets++
	w.bytes += int64(len(b) + len(payload))
}
