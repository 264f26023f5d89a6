package session_test

import (
	"testing"

	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

// silent is a Sink that does nothing.
type silent struct{}

func (silent) Frame(*session.Frame)                                       {}
func (silent) Unanswered(*reassembly.Conn, *session.Request, session.Why) {}

// exchanges gives a session and what plays one more exchange of small Produce and Fetch frames to it.
func exchanges(t testing.TB) (s *session.Session, next func()) {
	produce := frame("0000 0003 00000001 0002 6d65 ffff 0001 00000064 00000001 0001 74 00000001 00000000 00000000")
	stored := frame("00000001 00000001 0001 74 00000001 00000000 0000 0000000000000000 ffffffffffffffff 00000000")
	fetch := frame("0001 0004 00000001 0002 6d65 ffffffff 00000064 00000001 00100000 00 00000001 0001 74 00000001 00000000 0000000000000000 00100000")
	fetched := frame("00000001 00000000 00000001 0001 74 00000001 00000000 0000 0000000000000000 0000000000000000 00000000 00000000")
	s = session.New(session.Config{}, silent{})
	played := script(t, "syn\n>"+produce+"\n<"+stored+"\n>"+fetch+"\n<"+fetched+"\n>"+askMetadata+"\n<"+metadata)
	out, c := s.Streams(), &reassembly.Conn{ID: 1, Ends: played[0].ends}
	out.Open(c)
	out.Start(c, 0)
	out.Start(c, 1)
	return s, func() {
		for _, o := range played {
			if o.do == 'd' {
				out.Data(c, o.side, o.at, o.b)
			}
		}
	}
}

func TestNoAllocationPerFrame(t *testing.T) {
	s, next := exchanges(t)
	next()
	if n := testing.AllocsPerRun(100, next); n != 0 {
		t.Errorf("%v allocations for six frames", n)
	}
	if l := s.Ledger(); l.Decoded != l.Payload || l.Payload == 0 {
		t.Errorf("%+v", l)
	}
}

func BenchmarkFrames(b *testing.B) {
	_, next := exchanges(b)
	b.ReportAllocs()
	for b.Loop() {
		next()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/6, "ns/frame")
}
