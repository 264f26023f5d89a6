package reassembly

import "testing"

// TestNothingGoneIsNear ends flows in all ways and looks whether one is still found by its ports alone.
func TestNothingGoneIsNear(t *testing.T) {
	for a := range 300 {
		for _, b := range []uint16{0, 1, 255, 256, 9092, 65535} {
			if nearBy(uint16(a*217), b) != nearBy(b, uint16(a*217)) {
				t.Fatalf("ports %d and %d: another place for each direction", a*217, b)
			}
		}
	}
	a := New(quiet{}, Config{Memory: 64 * flowCost})
	for i := range uint64(1000) {
		s := Segment{Packet: i + 1, SrcPort: uint16(1000 + i%300), DstPort: 9092, Flags: flagACK, Seq: uint32(i), Wire: 1, Payload: []byte{1}}
		switch i % 5 {
		case 1:
			s.SrcPort, s.DstPort = s.DstPort, s.SrcPort
		case 2:
			s.Flags, s.Wire, s.Payload = flagSYN, 0, nil
		case 3:
			s.Flags, s.Wire, s.Payload = flagRST|flagACK, 0, nil
		}
		a.Segment(&s)
		for _, f := range a.near {
			if f != nil && f.ends[1].Port == 0 {
				t.Fatalf("segment %d: a flow that is gone is near", i)
			}
		}
	}
	a.Flush()
	for _, f := range a.near {
		if f != nil {
			t.Fatal("a flow is near after the end")
		}
	}
}

// quiet takes streams and does nothing.
type quiet struct{}

func (quiet) Open(*Conn)                          {}
func (quiet) Start(*Conn, int)                    {}
func (quiet) Data(*Conn, int, Moment, []byte)     {}
func (quiet) Gap(*Conn, int, Moment, int64, bool) {}
func (quiet) End(*Conn, int, Moment, Ending)      {}
