package reassembly

import (
	"encoding/binary"
	"fmt"
	"testing"
)

// sink takes everything and keeps nothing.
type sink struct{ bytes int64 }

func (x *sink) Open(*Conn)                                    {}
func (x *sink) Start(*Conn, int)                              {}
func (x *sink) Data(_ *Conn, _ int, _ Moment, b []byte)       { x.bytes += int64(len(b)) }
func (x *sink) Gap(_ *Conn, _ int, _ Moment, _ int64, _ bool) {}
func (x *sink) End(_ *Conn, side int, at Moment, why Ending)  {}

// talk makes endless traffic of n connections in turns: a segment of size bytes each way.
type talk struct {
	segments []Segment
	packet   uint64
	next     int
}

func newTalk(n, size int) *talk {
	payload := make([]byte, size)
	x := &talk{}
	for i := range n {
		s := Segment{Src: client.addr.Addr, Dst: broker.addr.Addr, SrcPort: uint16(i), DstPort: 9092, Flags: psh, Wire: size, Payload: payload}
		binary.BigEndian.PutUint16(s.Src[12:], uint16(i>>16))
		s.Seq = uint32(i) * 77777
		r := s
		r.Src, r.Dst, r.SrcPort, r.DstPort, r.Seq, r.Ack = s.Dst, s.Src, s.DstPort, s.SrcPort, s.Ack, s.Seq+uint32(size)
		x.segments = append(x.segments, s, r)
	}
	return x
}

func (x *talk) segment() *Segment {
	if x.next == len(x.segments) {
		x.next = 0
	}
	s := &x.segments[x.next]
	x.next++
	x.packet++
	s.Packet, s.Time = x.packet, int64(x.packet)*1000
	return s
}

// advance makes s the next one of its stream.
func advance(s *Segment) {
	s.Seq += uint32(s.Wire)
	s.Ack += uint32(s.Wire)
}

func BenchmarkInOrder(b *testing.B) {
	for _, size := range []int{100, 1448} {
		for _, n := range []int{1, 10, 1000, 100000} {
			b.Run(fmt.Sprintf("%d bytes/%d connections", size, n), func(b *testing.B) {
				a, x := New(&sink{}, Config{Memory: 64 << 20}), newTalk(n, size)
				for range 2 * n {
					s := x.segment()
					a.Segment(s)
					advance(s)
				}
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for b.Loop() {
					s := x.segment()
					a.Segment(s)
					advance(s)
				}
				if a.stats.Repeated+a.stats.Waiting+a.stats.Evicted != 0 {
					b.Errorf("%+v", a.stats)
				}
			})
		}
	}
}

// Every fourth segment comes a place late.
func BenchmarkReordered(b *testing.B) {
	a, x := New(&sink{}, Config{}), newTalk(1, 1448)
	b.SetBytes(1448)
	b.ReportAllocs()
	var late *Segment
	var kept Segment
	for b.Loop() {
		s := x.segment()
		if s.Packet > 8 && s.Packet%8 == 1 && late == nil {
			kept = *s
			late = &kept
			advance(s)
			continue
		}
		a.Segment(s)
		advance(s)
		if late != nil && s.Packet%8 == 4 {
			late.Packet = s.Packet
			a.Segment(late)
			late = nil
		}
	}
}

func TestNoAllocations(t *testing.T) {
	a, x := New(&sink{}, Config{}), newTalk(20, 1448)
	step := func() {
		for range 400 {
			s := x.segment()
			if x.packet%7 != 0 { // lost now and then
				a.Segment(s)
			}
			advance(s)
		}
	}
	for range 200 {
		step()
	}
	if n := testing.AllocsPerRun(50, step); n > 0 {
		t.Errorf("%v allocations in 400 segments", n)
	}
	if a.stats.OutOfOrder == 0 || a.stats.Gaps == 0 {
		t.Errorf("nothing was lost: %+v", a.stats)
	}
}
