package reassembly

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"
)

// toy is a Judge of a toy protocol: a body begins with its number and 0x7e; all bodies are wanted whole.
type toy struct {
	frames []string
	lost   int
}

func (t *toy) Open(*Conn) {}
func (t *toy) Prove(c *Conn, w *[2]Window, last bool) Proof {
	for i := range w {
		if len(w[i].Bytes) >= 6 {
			if w[i].Start || bytes.IndexByte(w[i].Bytes, 0x7e) >= 0 {
				return Proof{Speaks: Frames}
			}
		}
	}
	return Proof{}
}
func (t *toy) Plausible(_ *Conn, _ int, n int32) bool { return n >= 2 && n < 1<<20 }
func (t *toy) Whole(f *Frame) Fate {
	if f.Runs[0].Bytes[1] != 0x7e {
		return Undecodable
	}
	t.frames = append(t.frames, fmt.Sprintf("%d:%d@%d", f.Side, f.Length, f.Offset))
	return Decoded
}
func (t *toy) Begin(f *Frame) Step                     { return Step{Need: f.Length} }
func (t *toy) Feed(f *Frame, off int, b []byte) Step   { return Step{Next: f.Length} }
func (t *toy) Lose(f *Frame, off, n int) Step          { return Step{Next: f.Length} }
func (t *toy) Presume(*Conn, int, *Window) (int, bool) { return 0, false }
func (t *toy) Forget(*Frame)                           {}
func (t *toy) Done(f *Frame) Fate                      { return Pending }
func (t *toy) Lost(*Conn, int, Moment)                 { t.lost++ }
func (t *toy) End(*Conn, int, Moment, Ending)          {}
func (t *toy) Close(*Conn)                             {}
func (t *toy) Find(c *Conn, side int, w *Window, last bool) (int, bool) {
	for p := w.Searched; p+6 <= len(w.Bytes); p++ {
		n := int(int32(binary.BigEndian.Uint32(w.Bytes[p:])))
		if n >= 2 && n < 1<<20 && w.Bytes[p+5] == 0x7e && w.Bytes[p+4] < 100 && p+4+n <= len(w.Bytes) {
			return p, true
		}
	}
	return max(0, len(w.Bytes)-5), false
}

// toyStream has n frames of growing length; the bytes of bodies never look like a frame.
func toyStream(n int) (stream []byte, bounds []int) {
	for i := range n {
		body := bytes.Repeat([]byte{0xff}, 2+i*7%50)
		body[0], body[1] = byte(i), 0x7e
		bounds = append(bounds, len(stream))
		stream = append(binary.BigEndian.AppendUint32(stream, uint32(len(body))), body...)
	}
	return stream, bounds
}

func (l *Ledger) sum() int64 {
	return l.Decoded + l.Undecodable + l.Skipped + l.Encrypted + l.Foreign + l.Pending
}

// TestCutAnyway cuts one stream in pieces of every size: the frames are the same, and the ledger balances.
func TestCutAnyway(t *testing.T) {
	stream, bounds := toyStream(40)
	var want []string
	for i, b := range bounds {
		want = append(want, fmt.Sprintf("1:%d@%d", 2+i*7%50, b))
	}
	for size := 1; size <= 120; size++ {
		judge := &toy{}
		cut := NewCutter(judge, 0)
		c := &Conn{ID: 1}
		cut.Open(c)
		cut.Start(c, 1)
		for i := 0; i < len(stream); i += size {
			cut.Data(c, 1, Moment{Packet: uint64(i + 1)}, append([]byte(nil), stream[i:min(i+size, len(stream))]...))
		}
		cut.End(c, 0, Moment{}, Fin)
		cut.End(c, 1, Moment{}, Fin)
		if fmt.Sprint(judge.frames) != fmt.Sprint(want) {
			t.Fatalf("size %d: %v, want %v", size, judge.frames, want)
		}
		if l := cut.Ledger; l.Payload != int64(len(stream)) || l.Decoded != l.Payload || l.sum() != l.Payload {
			t.Fatalf("size %d: %+v", size, l)
		}
	}
}

// TestCutGap puts a gap of every length at every place: all frames that are whole around it are found
// again, no other, and the ledger balances.
func TestCutGap(t *testing.T) {
	stream, bounds := toyStream(12)
	for at := 0; at < len(stream); at += 3 {
		for n := 1; at+n < len(stream) && n < 90; n += 4 {
			for _, start := range []bool{true, false} {
				judge := &toy{}
				cut := NewCutter(judge, 0)
				c := &Conn{ID: 1}
				cut.Open(c)
				if start {
					cut.Start(c, 0)
				}
				for i := 0; i < at; i += 11 {
					cut.Data(c, 0, Moment{Packet: 1}, stream[i:min(i+11, at)])
				}
				cut.Gap(c, 0, Moment{Packet: 2}, int64(n), false)
				for i := at + n; i < len(stream); i += 13 {
					cut.Data(c, 0, Moment{Packet: 3}, stream[i:min(i+13, len(stream))])
				}
				cut.End(c, 0, Moment{}, EOF)
				cut.End(c, 1, Moment{}, EOF)
				var want []string
				for i, b := range bounds {
					end := b + 4 + 2 + i*7%50
					if end <= at || b >= at+n {
						want = append(want, fmt.Sprintf("0:%d@%d", 2+i*7%50, b))
					}
				}
				if fmt.Sprint(judge.frames) != fmt.Sprint(want) {
					t.Fatalf("gap %d+%d: %v, want %v", at, n, judge.frames, want)
				}
				l := cut.Ledger
				if l.Payload != int64(len(stream)-n) || l.sum() != l.Payload || l.Gap != int64(n) {
					t.Fatalf("gap %d+%d: %+v", at, n, l)
				}
			}
		}
	}
}

// TestCutEvicts holds the memory limit over many connections that announce much and stall.
func TestCutEvicts(t *testing.T) {
	judge := &toy{}
	cut := NewCutter(judge, 1<<20)
	conns := make([]*Conn, 400)
	for i := range conns {
		conns[i] = &Conn{ID: i + 1}
		cut.Open(conns[i])
		cut.Start(conns[i], 0)
		cut.Data(conns[i], 0, Moment{}, append([]byte{0, 0x0f, 0, 0, 1, 0x7e}, make([]byte, 9000)...))
		if cut.held > 1<<20+32<<10 {
			t.Fatalf("%d bytes are held", cut.held)
		}
	}
	if cut.Evictions == 0 {
		t.Fatal("nothing was evicted")
	}
	for _, c := range conns {
		cut.End(c, 0, Moment{}, EOF)
		cut.End(c, 1, Moment{}, EOF)
	}
	if l := cut.Ledger; l.Pending != 400*9006 || l.sum() != l.Payload || cut.held != 0 {
		t.Fatalf("%+v, held %d", l, cut.held)
	}
}
