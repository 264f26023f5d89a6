package session_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

// TestSmallPacketsOfCandidates sends streams in which a frame may begin every few bytes and goes on beyond all that is
// there, in packets of 20 bytes. Each packet once had the whole window decoded again, at 30 kB/s.
func TestSmallPacketsOfCandidates(t *testing.T) {
	const size, packet = 400_000, 20
	filled := func(unit []byte) []byte { return bytes.Repeat(unit, size/len(unit)) }
	be := func(values ...any) (b []byte) {
		for _, v := range values {
			b, _ = binary.Append(b, binary.BigEndian, v)
		}
		return b
	}
	asked := func(id int32) []byte { // Metadata v0, all topics
		return be(int32(17), int16(3), int16(0), id, int16(3), []byte("abc"), int32(0))
	}
	answer := be(int32(26), int32(1), int32(1), int32(1), int16(4), []byte("host"), int32(9092), int32(0))
	const waiting = 2<<16 | 'X'<<8 | 'Y' // a correlation id, and a string of two bytes
	for name, c := range map[string]struct {
		before, stream []byte // before: the broker's first bytes; then a gap, then stream
		syn            bool
		side           int
	}{
		"requests in mid-stream":     {stream: filled(be(int32(100_000), int16(3), int16(0), int32(77), int16(3), []byte("abc"), int32(100), int16(1), byte('a')))},
		"legacy requests":            {stream: filled(be(int32(100_000), int16(2), int16(1), byte('t'), int32(0), int64(0), int32(1000)))},
		"responses in mid-stream":    {stream: filled(be(int32(100_000), int32(77), int32(1), int32(1), int16(1), byte('h'))), side: 1},
		"a request that never ends":  {stream: append(be(int32(size*2), int16(0), int16(2), int32(5), int16(3), []byte("abc"), int16(1), int32(1000), int32(1), int16(1), byte('t'), int32(1), int32(0), int32(size)), filled([]byte{0})...), syn: true},
		"responses behind a gap":     {before: answer, stream: filled(be(int32(200_000), int16(2), []byte("XY"), int32(1<<16))), syn: true, side: 1},
		"small responses behind one": {before: answer, stream: filled(be(int32(40), int32(waiting), int32(1), int32(7))), syn: true, side: 1},
	} {
		s := session.New(session.Config{}, silent{})
		out, conn := s.Streams(), &reassembly.Conn{ID: 1}
		out.Open(conn)
		if c.syn {
			out.Start(conn, 0)
			out.Start(conn, 1)
		}
		at := reassembly.Moment{Packet: 1}
		data := func(side int, b []byte) {
			for piece := range slices.Chunk(b, packet) {
				at.Packet++
				out.Data(conn, side, at, bytes.Clone(piece))
			}
		}
		if c.before != nil {
			data(0, asked(1))
			data(1, c.before)
			for i := range int32(10) {
				data(0, asked(waiting-5+i))
			}
			out.Gap(conn, 1, at, 777, true)
		}
		data(c.side, c.stream)
		out.End(conn, 0, at, reassembly.EOF)
		out.End(conn, 1, at, reassembly.EOF)
		l := s.Ledger()
		if sum := l.Decoded + l.Undecodable + l.Skipped + l.Encrypted + l.Foreign + l.Pending; sum != l.Payload || l.Payload < int64(len(c.stream)) {
			t.Errorf("%s: %+v", name, l)
		}
		if most := 64*l.Payload + 1<<20; s.Spent() > most {
			t.Errorf("%s: %d bytes looked at, %d were sent", name, s.Spent(), l.Payload)
		}
	}
}
