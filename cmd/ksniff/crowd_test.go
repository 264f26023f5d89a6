package main

import (
	"bufio"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// crowd writes captures that are large in one way each: raw IPv4 packets of clients that all speak to one broker.
type crowd struct {
	w    *bufio.Writer
	time uint32
	seq  map[int][2]uint32 // by client: what both sides send next
}

// crowded writes a capture.
func crowded(t *testing.T, name string, write func(*crowd)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name+".pcap")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	c := &crowd{w: bufio.NewWriter(file), seq: map[int][2]uint32{}}
	head := binary.LittleEndian.AppendUint32(nil, 0xa1b2c3d4)
	head = append(head, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 101, 0, 0, 0)
	c.w.Write(head)
	write(c)
	if err := c.w.Flush(); err != nil {
		t.Fatal(err)
	}
	file.Close()
	return path
}

// opens writes the handshake of client i.
func (c *crowd) opens(i int) {
	c.seq[i] = [2]uint32{1, 1}
	c.packet(i, 0, 2, 0, nil)
	c.packet(i, 1, 2|16, 0, nil)
}

// sends writes the next bytes of a side of client i.
func (c *crowd) sends(i, side int, b []byte) { c.skips(i, side, 0, b) }

// skips does the same behind so many bytes that the capture lacks.
func (c *crowd) skips(i, side int, lost uint32, b []byte) {
	next := c.seq[i]
	next[side] += lost
	c.packet(i, side, 16, next[side], b)
	next[side] += uint32(len(b))
	c.seq[i] = next
}

func (c *crowd) packet(i, side int, flags byte, seq uint32, b []byte) {
	c.time++
	size := uint32(40 + len(b))
	le := binary.LittleEndian
	p := le.AppendUint32(le.AppendUint32(le.AppendUint32(le.AppendUint32(nil, 1_700_000_000+c.time/100_000), c.time%100_000*10), size), size)
	be := binary.BigEndian
	p = be.AppendUint16(append(p, 0x45, 0), uint16(size))
	p = append(p, 0, 0, 0, 0, 64, 6, 0, 0)
	client, broker := be.AppendUint32(nil, 0x0a000001+uint32(i/50_000)), []byte{10, 1, 0, 1}
	ports := [2]uint16{uint16(10_000 + i%50_000), 9092}
	if side == 1 {
		client, broker = broker, client
		ports[0], ports[1] = ports[1], ports[0]
	}
	p = append(append(p, client...), broker...)
	p = be.AppendUint32(be.AppendUint16(be.AppendUint16(p, ports[0]), ports[1]), seq)
	p = append(be.AppendUint32(p, c.seq[i][1-side]), 0x50, flags, 255, 255, 0, 0, 0, 0)
	c.w.Write(p)
	c.w.Write(b)
}

// numbers and texts on the wire.
func i16(n int) []byte       { return binary.BigEndian.AppendUint16(nil, uint16(n)) }
func i32(n int) []byte       { return binary.BigEndian.AppendUint32(nil, uint32(n)) }
func text(s string) []byte   { return append(i16(len(s)), s...) }
func all(p ...[]byte) []byte { return slices.Concat(p...) }

// framed puts the length in front of what a frame consists of.
func framed(p ...[]byte) []byte {
	body := all(p...)
	return append(i32(len(body)), body...)
}

// asks is the header of a request.
func asks(key, version, id int, client string) []byte {
	return all(i16(key), i16(version), i32(id), text(client))
}

// greets writes an exchange that proves a connection: ApiVersions v0.
func (c *crowd) greets(i int) {
	c.opens(i)
	c.sends(i, 0, framed(asks(18, 0, 1, "client")))
	c.sends(i, 1, framed(i32(1), i16(0), i32(1), i16(18), i16(0), i16(4)))
}
