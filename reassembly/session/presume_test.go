package session_test

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

// large is a Produce request of one message set with size bytes of records, as packets of at most so many bytes
// of which only the first keep are there.
func large(id, size, packet, keep int) string {
	records := hex.EncodeToString(noise(rand.New(rand.NewPCG(uint64(id), 7)), size))
	b := frame(fmt.Sprintf("0000 0001 %08x 0005 68656c6c6f 0001 00002710 00000001 0001 74 00000001 00000000 %08x", id, size) + records)
	var text strings.Builder
	for n := 2 * packet; len(b) > 0; b = b[min(n, len(b)):] {
		piece := b[:min(n, len(b))]
		whole := len(piece)
		piece = piece[:min(2*keep, whole)]
		fmt.Fprintf(&text, ">%s\n", piece)
		if whole > len(piece) {
			fmt.Fprintf(&text, ">?%d\n", (whole-len(piece))/2)
		}
	}
	return text.String()
}

// stored answers large.
func stored(id int) string {
	return "<" + frame(fmt.Sprintf("%08x 00000001 0001 74 00000001 00000000 0000 0000000000000009 00000000", id)) + "\n"
}

// cutID is a packet of a request of which 30 bytes are there, not all of its client id.
func cutID(id int) string {
	return fmt.Sprintf(">00000200 0000 0001 %08x 0028 %s\n>?486\n", id, hex.EncodeToString([]byte("app-StreamThread")))
}

// TestUnseenStartWithLargeRequest: the handshake is not in the capture, and the first request is larger than what
// is held of such a connection, or lacks bytes. What follows it proves it, and nothing else does.
func TestUnseenStartWithLargeRequest(t *testing.T) {
	const size, whole, cut = 300 << 10, 1 << 20, 62
	other := "<" + frame("00000009 00000001 0001 74 00000001 00000000 0000 0000000000000009 00000000") + "\n"
	for _, c := range []struct {
		name, text, want string
		decoded, missing bool // all of it, some of it
	}{
		{"answered", large(5, size, 1400, whole) + stored(5), "q0.1 p0.1", true, false},
		{"several, answered later", large(5, size, 1400, whole) + large(6, size, 1400, whole) + stored(5) + stored(6), "q0.1 q0.1 p0.1 p0.1", true, false},
		{"client only", large(5, size, 1400, whole), "q0.1", true, false},
		{"client only, several", large(5, size, 1400, whole) + large(6, size, 1400, whole), "q0.1 q0.1", true, false},
		{"of 17 MB", large(5, 17<<20, 60000, whole) + stored(5), "q0.1 p0.1", true, false},
		{"behind the rest of one before", ">" + hex.EncodeToString(noise(rand.New(rand.NewPCG(1, 1)), 70000)) + "\n" + large(5, size, 1400, whole) + stored(5), "q0.1 p0.1", false, false},
		{"with a hole", large(5, 5000, 1400, whole)[:2*1400+1] + "\n>?" + fmt.Sprint(5000+45-1400) + "\n" + stored(5), "q0.1 p0.1", false, true},
		{"shortened", large(5, 5000, 1400, cut) + stored(5), "q0.1 p0.1", false, true},
		{"shortened, client only", large(5, 5000, 1400, cut) + large(6, 5000, 1400, cut), "q0.1 q0.1", false, true},
		{"shortened within its client id", cutID(5) + cutID(6) + stored(5), "q0.1 q0.1 p0.1", false, true},
		{"shortened within its client id, client only", cutID(5) + cutID(6), "q0.1 q0.1", false, true},
		{"shortened and alone", large(5, 5000, 1400, cut), "", false, true},
		{"answered otherwise", large(5, size, 1400, whole)[:(2*1400+2)*200] + other, "", false, false},
		{"followed by an older one", large(5, 5000, 1400, cut) + large(3, 5000, 1400, cut), "", false, true},
		{"not delimited", large(5, size, 1400, whole) + ">" + strings.Repeat("ff00", 700) + "\n" + other, "q0.1", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			played := script(t, c.text)
			for _, cfg := range []session.Config{{}, {Whole: true}} {
				n := &kinds{}
				s := session.New(cfg, n)
				played.play(s)
				balanced(t, s, played)
				if got := strings.Join(n.frames, " "); got != c.want {
					t.Errorf("frames %q, want %q: %+v, %+v", got, c.want, s.Ledger(), s.Connections)
				}
				if l := s.Ledger(); c.decoded && l.Decoded != l.Payload || l.Gap > 0 != c.missing {
					t.Errorf("%+v", l)
				}
			}
		})
	}
}

// TestPresumedIsBounded: many connections begin, in mid-stream, with what seems to be a request of 90 MB.
func TestPresumedIsBounded(t *testing.T) {
	text := script(t, ">05500000 0000 0002 00000005 0005 68656c6c6f 0001 00002710 00000001 0001 74 00000001 00000000 054fffd8\n>"+
		strings.Repeat("ff", 60000)+"\n"+strings.Repeat(">"+strings.Repeat("ee", 60000)+"\n", 5))
	for _, cfg := range []session.Config{{Memory: 4 << 20}, {Memory: 4 << 20, Whole: true}} {
		n := &kinds{}
		s := session.New(cfg, n)
		out := s.Streams()
		for id := range 100 {
			c := &reassembly.Conn{ID: id + 1, Ends: text[0].ends}
			out.Open(c)
			for _, o := range text {
				if o.do == 'd' {
					out.Data(c, o.side, o.at, o.b)
				}
			}
		}
		// What is only counted takes no memory; where all of it is to be kept, the oldest are given up.
		if l := s.Ledger(); len(n.frames) > 0 || (s.Evictions() > 0) != cfg.Whole || (l.Pending > 0) != cfg.Whole {
			t.Errorf("%d evictions, %d frames, %+v", s.Evictions(), len(n.frames), l)
		}
	}
}

// TestAnswersLookLikeRequests: of connections that began before the capture only answers are in it. Their ids
// count up, like versions of Produce, and what follows reads as its fields.
func TestAnswersLookLikeRequests(t *testing.T) {
	synced := frame("00000002 00000000 0000 0000001c 0000 00000001 0008 6b70792d6e6f6e65 00000001 00000000 ffffffff")
	offsets := frame("00000003 00000001 0008 6b70792d6e6f6e65 00000001 00000000 ffffffffffffffff 0000 0000")
	fetched := func(id int) string {
		return frame(fmt.Sprintf("%08x 00000001 0003 746f70 00000001 00000000 0000 0000000000000000 00000000", id))
	}
	for name, text := range map[string]string{
		"SyncGroup v1, OffsetFetch v1": "<" + synced + "\n<" + offsets,
		"Fetch v0":                     "<" + fetched(1) + "\n<" + fetched(2) + "\n<" + fetched(3),
		"Fetch v0 in one packet":       "<" + fetched(1) + fetched(2) + fetched(3),
		"Fetch v0, one id for all":     "<" + fetched(1) + fetched(1) + "\n<" + fetched(1),
	} {
		played := script(t, text)
		n := &kinds{}
		s := session.New(session.Config{}, n)
		played.play(s)
		balanced(t, s, played)
		if got := strings.Join(n.frames, " "); strings.Contains(got, "q") {
			t.Errorf("%s: frames %q", name, got)
		}
	}
}

// TestTwoRequestsInOneCutPacket: the snap length took the second one's header; the third has little more than one.
func TestTwoRequestsInOneCutPacket(t *testing.T) {
	second := frame("0003 0000 00000002 0005 68656c6c6f 00000001 0006 746f70696373")
	text := "syn\n>" + frame("0012 0000 00000001 0005 68656c6c6f") + "\n<" + versions + "\n>" + second[:40] + fmt.Sprintf("\n>?%d\n", len(second)/2-20+60) +
		large(4, 5000, 1400, 30) + stored(4)
	played := script(t, text)
	n := &kinds{}
	s := session.New(session.Config{}, n)
	played.play(s)
	balanced(t, s, played)
	if got := strings.Join(n.frames, " "); got != "q18.0 p18.0 q3.0 q0.1 p0.1" {
		t.Errorf("frames %q, %+v", got, s.Ledger())
	}
}

// TestAnswersAloneInMidstream: of a connection that began before the capture only the broker's side is in it.
func TestAnswersAloneInMidstream(t *testing.T) {
	said := func(id int) string { return "<" + frame(fmt.Sprintf("%08x 00000000 00000000", id)) + "\n" }
	named := "<" + versionsLong + "\n"
	rest := "<" + hex.EncodeToString(noise(rand.New(rand.NewPCG(5, 5)), 3000)) + "\n"
	for name, c := range map[string][2]string{
		"at a boundary":           {named + said(2) + said(3), "p18.0? p-1.-1? p-1.-1?"},
		"within one before":       {rest + named + said(2) + said(3), "p18.0? p-1.-1? p-1.-1?"},
		"a loss between two":      {named + said(2) + said(3) + "<?100\n" + rest + said(6) + strings.Replace(named, "00000001", "00000007", 1) + said(8), "p18.0? p-1.-1? p-1.-1? p-1.-1? p18.0? p-1.-1?"},
		"ids that do not go on":   {named + said(200) + said(3), ""},
		"none that is one's only": {said(2) + said(3) + said(4), ""},
	} {
		played := script(t, c[0])
		n := &kinds{}
		s := session.New(session.Config{}, n)
		played.play(s)
		balanced(t, s, played)
		if got := strings.Join(n.frames, " "); got != c[1] {
			t.Errorf("%s: frames %q, want %q; %+v", name, got, c[1], s.Ledger())
		}
	}
}
