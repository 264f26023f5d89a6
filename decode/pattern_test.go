package decode

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
)

// onePartition writes a message of a version about one partition, and says where it begins.
func onePartition(key, version int16, kind Kind) (body []byte, offset int) {
	body = make([]byte, 11)
	body[1], body[3], body[8], body[9] = byte(key), byte(version), 0xff, 0xff
	at := map[[2]int16]int{{0, 1}: 10, {0, 2}: 11, {1, 0}: 4, {1, 1}: 5}[[2]int16{int16(kind), headerVersion(key, version, kind)}]
	if kind == Response {
		body[4] = 0
	}
	return plainMessage(viewPlan(key, version, kind), 0, body[:at], 1), at
}

// comparePattern checks that what a Pattern reads a Straight reads alike.
func comparePattern(t *testing.T, x *Pattern, key, version int16, kind Kind, body []byte, offset int) bool {
	t.Helper()
	var piece Piece
	if !x.Read(body, &piece) {
		return false
	}
	var s Straight
	if kind == Request && (int16(binary.BigEndian.Uint16(body)) != key || int16(binary.BigEndian.Uint16(body[2:])) != version) {
		t.Fatalf("%d v%d %s: read, but it is of another API", key, version, kind)
	}
	if !s.Read(key, version, kind, body, offset) || len(s.Parts) != 1 || len(s.Drops) > 0 || s.Facts != x.Facts {
		t.Fatalf("%d v%d %s: %x was read by its pattern %+v, straight it is %+v %+v", key, version, kind, body, x.Facts, s.Facts, s.Parts)
	}
	piece.Topic, piece.Size = s.Parts[0].Topic, s.Parts[0].Size
	if piece != s.Parts[0] {
		t.Fatalf("%d v%d %s: %+v by its pattern, straight %+v", key, version, kind, piece, s.Parts[0])
	}
	return true
}

// TestPattern changes each byte of a message in turn, cuts it and adds to it: what is still read by the pattern of the
// message must be read the same way without it, and all values of the partition must be open to change.
func TestPattern(t *testing.T) {
	for key, last := range map[int16]int16{0: 13, 1: 18} {
		for version := range last + 1 {
			for _, kind := range []Kind{Request, Response} {
				body, at := onePartition(key, version, kind)
				var s Straight
				var x Pattern
				if !s.Read(key, version, kind, body, at) || len(s.Parts) != 1 || !x.Learn(&s, body) {
					t.Fatalf("%d v%d %s: not learnt: %x", key, version, kind, body)
				}
				if !comparePattern(t, &x, key, version, kind, body, at) {
					t.Fatalf("%d v%d %s: not like itself", key, version, kind)
				}
				open := 0
				for i := range body {
					for _, flip := range []byte{1, 0x7f, 0x80, 0xff} {
						other := slices.Clone(body)
						other[i] ^= flip
						if comparePattern(t, &x, key, version, kind, other, at) && flip == 1 {
							open++
						}
					}
				}
				if least := s.layout.fixed + 4; open < least || !s.layout.sets() && open != least {
					t.Errorf("%d v%d %s: %d bytes may differ, want the %d of the partition and the correlation id", key, version, kind, open, least)
				}
				for n := range body {
					if comparePattern(t, &x, key, version, kind, body[:n], at) {
						t.Errorf("%d v%d %s: cut at %d it is like the whole", key, version, kind, n)
					}
				}
				comparePattern(t, &x, key, version, kind, append(slices.Clone(body), 0), at)
				for _, n := range []int{0, 1, 5, 126, 127, 128, 16382, 16383, 16384, 100_000} { // another size of records
					if !s.layout.sets() {
						break
					}
					end := len(body) - 200 - int(s.Parts[0].Records)
					other := body[: int(s.Parts[0].Records)-4 : int(s.Parts[0].Records)-4]
					if s.layout.flexible {
						other = binary.AppendUvarint(body[:int(s.Parts[0].Records)-2:int(s.Parts[0].Records)-2], uint64(n+1))
					} else {
						other = binary.BigEndian.AppendUint32(other, uint32(n))
					}
					other = append(other, make([]byte, n+end)...)
					if like := comparePattern(t, &x, key, version, kind, other, at); !like && n > 2 {
						t.Errorf("%d v%d %s: with %d bytes of records it is not like the pattern", key, version, kind, n)
					}
				}
				random := rand.New(rand.NewPCG(1, uint64(version)))
				for range 2000 { // a few bytes at once, and bytes that are taken out or put in
					other := slices.Clone(body)
					for range 1 + random.IntN(4) {
						switch i := random.IntN(len(other)); random.IntN(4) {
						case 0:
							other = slices.Delete(other, i, i+1)
						case 1:
							other = slices.Insert(other, i, byte(random.IntN(256)))
						default:
							other[i] = byte(random.IntN(256))
						}
					}
					comparePattern(t, &x, key, version, kind, other, at)
				}
			}
		}
	}
}

// TestPatternRefuses learns nothing from messages that are not about one partition, or whose ends are too long.
func TestPatternRefuses(t *testing.T) {
	var s Straight
	var x Pattern
	for _, shape := range [][2]int{{1, 2}, {2, 1}, {3, 3}} {
		body := produce20k(shape[0], shape[1])
		h, _, _ := ParseRequestHeader(body)
		if !s.Read(h.Key, h.Version, Request, body, h.Length) || x.Learn(&s, body) {
			t.Errorf("%d topics with %d partitions: learnt, or not read", shape[0], shape[1])
		}
	}
	if x.Read([]byte("12345678901234567890"), &Piece{}) {
		t.Error("a Pattern that knows nothing knows something")
	}
}

// FuzzPattern gives a Pattern that learnt one frame another one.
func FuzzPattern(f *testing.F) {
	for version := range int16(14) {
		for _, kind := range []Kind{Request, Response} {
			for key := range int16(2) {
				body, _ := onePartition(key, version, kind)
				f.Add(body, body, key, version, kind == Request)
			}
		}
	}
	f.Fuzz(func(t *testing.T, first, second []byte, key, version int16, request bool) {
		var s Straight
		var x Pattern
		kind, offset := Response, PlainResponseHeader(first, key, version)
		if request {
			kind = Request
			key, version, _, _, offset = PlainRequestHeader(first)
		}
		if offset == 0 || !s.Read(key, version, kind, first, offset) || !x.Learn(&s, first) {
			return
		}
		comparePattern(t, &x, key, version, kind, second, offset)
	})
}
