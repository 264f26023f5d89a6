package session

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// plainAsked and plainAnswer are the same as nextAsked and nextAnswer, place by place.
func plainAsked(b []byte, p, end int) int {
	for ; p < end; p++ {
		if b[p+4] == 0 && binary.BigEndian.Uint32(b[p:])|binary.BigEndian.Uint32(b[p+4:]) != 0 {
			return p
		}
	}
	return end
}

func plainAnswer(b []byte, p int, low, high int32) int {
	for ; p+8 <= len(b); p++ {
		if id := int32(be32(b[p+4:])); int32(be32(b[p:])) >= 4 && id >= low && id <= high {
			return p
		}
	}
	return len(b)
}

// lengthAt says whether a length at p may be one that is searched: 0 never is.
func lengthAt(b []byte, p int) bool { return be32(b[p:]) != 0 }

// passes compares what is passed with what a look at each place passes.
func passes(t *testing.T, b []byte, low, high int32) {
	t.Helper()
	for _, tail := range []int{8, 10, 12} {
		end := max(0, len(b)-tail+1)
		at, plain := 0, 0
		for at < end || plain < end {
			for at = nextAsked(b, at, end); at < end && !lengthAt(b, at); at = nextAsked(b, at+1, end) {
			}
			for plain = plainAsked(b, plain, end); plain < end && !lengthAt(b, plain); plain = plainAsked(b, plain+1, end) {
			}
			if at != plain {
				t.Fatalf("request at %d, want %d, before %d in % x", at, plain, end, b[:min(len(b), 200)])
			}
			at, plain = at+1, plain+1
		}
	}
	for p := 0; p < len(b); p++ {
		at, plain := nextAnswer(b, p, low, high), plainAnswer(b, p, low, high)
		if at != plain {
			t.Fatalf("answer at %d, want %d, from %d, ids %d to %d in % x", at, plain, p, low, high, b[:min(len(b), 200)])
		}
		p = at
	}
}

// Nothing that may begin a frame is passed.
func TestPassedOverLikePlaceByPlace(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		b := make([]byte, r.IntN(80))
		dense := r.IntN(8)
		for i := range b {
			if r.IntN(8) < dense {
				b[i] = byte(r.IntN(4))
			}
			if r.IntN(40) == 0 {
				b[i] = byte(r.Uint32())
			}
		}
		low := int32(r.Uint32()) >> r.IntN(32)
		passes(t, b, low, low+int32(r.IntN(1000)))
		passes(t, b, 0, 3)
		passes(t, b, -5, 1<<30)
	}
}

// A search behind a gap looked eight times at each of the latest 16 KiB, whatever they were: 16 s for 125 MB of noise.
func BenchmarkPassing(b *testing.B) {
	noise := make([]byte, 1<<20)
	for i := range noise {
		noise[i] = byte(rand.Uint32())
	}
	for _, full := range []struct {
		name string
		of   []byte
	}{{"zeros", make([]byte, 1<<20)}, {"noise", noise}} {
		b.Run(full.name, func(b *testing.B) {
			b.SetBytes(int64(len(full.of)))
			for b.Loop() {
				for p := 0; p < len(full.of); p++ {
					p = nextAnswer(full.of, p, 5, 100)
				}
			}
		})
	}
}

// What cannot be a request was counted as if all of it had been read: among large lengths that begin none, a search had
// soon spent what it may, and what came behind them was skipped.
func TestWhatIsNoRequestCostsWhatWasRead(t *testing.T) {
	s := New(Config{}, nil)
	b := make([]byte, 64<<10)
	copy(b, []byte{0, 0, 0, 3, 0, 0, 0, 9, 0, 0, 0xff, 0xff, 0, 1, 0, 0, 3, 0xe8, 0xff, 0xff, 0xff, 0xfe}) // Produce 3 of -2 topics
	if g := s.grade(b, len(b)); g != not || s.graded > 1<<10 {
		t.Errorf("grade %d cost %d", g, s.graded)
	}
	metadata := []byte{0, 3, 0, 1, 0, 0, 0, 1, 0, 2, 'm', 'e', 0, 0, 0, 0}
	if g := s.grade(metadata, len(metadata)); g != sure || s.graded != len(metadata) {
		t.Errorf("grade %d cost %d", g, s.graded)
	}
}
