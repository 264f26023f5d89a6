package session_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ksniff/reassembly/session"
)

// lose takes out pieces of the data at random, as a capture that drops packets, and gives how many.
func lose(played tape, share float64, random *rand.Rand) (out tape, lost int) {
	for _, o := range played {
		if o.do == 'd' && random.Float64() < share {
			o.do, o.gap, o.b = 'g', int64(len(o.b)), nil
			lost++
		}
		out = append(out, o)
	}
	return out, lost
}

// TestLoss drops packets of segments of Ethernet's size: no frame appears that was not sent, the ledger
// balances, and most of the frames are still found.
func TestLoss(t *testing.T) {
	for _, name := range []string{"quickstart.pcap", "group.pcap", "kafka-0.8.pcap", "fetch-sessions.pcap", "share.pcap", "admin.pcap"} {
		played := recut(record(t, name), 1448)
		all, _ := run(t, played, session.Config{})
		for _, share := range []float64{0.01, 0.05, 0.3} {
			if name == "kafka-0.8.pcap" && share > 0.1 {
				continue // its clients give all requests one id: so much lost, whose answer a response is cannot be known
			}
			found, lost := 0, 0
			for seed := range uint64(4) {
				damaged, n := lose(played, share, rand.New(rand.NewPCG(seed, 1)))
				got, _ := run(t, damaged, session.Config{})
				lost += n
				found += got.whole
				for id := range got.named {
					if !all.named[id] && !damagedFrame(id) {
						t.Errorf("%s, %v lost: %s was never sent", name, share, id)
					}
				}
			}
			// Each lost segment damages at most the frames that lie in it: a few.
			if least := 4*len(all.frames) - 12*lost; found < least {
				t.Errorf("%s, %v lost: %d of %d frames found, at least %d are whole", name, share, found, 4*len(all.frames), least)
			}
		}
	}
}

// damagedFrame says that a frame could not be named, for its request is lost.
func damagedFrame(id string) bool { return strings.Contains(id, " -1 v-1 ") }

// TestMidstream begins captures anywhere: what is found was sent, and most is found.
func TestMidstream(t *testing.T) {
	for _, name := range []string{"quickstart.pcap", "group.pcap", "legacy.pcap"} {
		played := recut(record(t, name), 1448)
		all, _ := run(t, played, session.Config{})
		for skip := 100; skip < len(played); skip += len(played) / 7 {
			tail := tape{}
			for i, o := range played {
				if i >= skip || o.do == 'o' || o.do == 'e' {
					tail = append(tail, o)
				}
			}
			got, _ := run(t, tail, session.Config{})
			known := map[string]int{}
			for id := range all.named {
				known[shape(id)]++
			}
			for id := range got.named {
				if known[shape(id)] == 0 && !damagedFrame(id) {
					t.Errorf("%s from %d on: %s was never sent", name, skip, id)
				}
			}
		}
	}
}

// shape is the identity of a frame without its offset, which begins anew.
func shape(id string) string {
	return id[:strings.IndexByte(id, '@')] + id[strings.IndexByte(id, '+'):]
}

// TestAnswerBehindRecords: after a loss in a large Fetch response, its records are full of zeros that could be
// ids. They used up what a search may cost before the next response was reached.
func TestAnswerBehindRecords(t *testing.T) {
	ask := func(id int) string {
		return ">" + frame(fmt.Sprintf("0001 0000 %08x 0002 6d65 ffffffff 000001f4 00000001 00000001 0001 74 00000001 00000000 0000000000000000 00100000", id))
	}
	said := func(id int) string {
		return "<" + frame(fmt.Sprintf("%08x 00000001 0001 74 00000001 00000000 0000 0000000000000009 00000000", id))
	}
	record := "657475720000000000000013 00000042 d7eb5548 0000 00000000 00000031" + strings.Repeat("6f", 40)
	text := "syn\n" + ask(0) + "\n<?5000\n<" + strings.Repeat(record, 60) + "\n" + ask(1) + "\n" + said(1) + "\n" + ask(2) + "\n" + said(2)
	n := &kinds{}
	s := session.New(session.Config{}, n)
	script(t, text).play(s)
	if got := strings.Join(n.frames, " "); got != "q1.0 q1.0 p1.0 q1.0 p1.0" {
		t.Errorf("frames %q, %+v", got, s.Ledger())
	}
}

// TestAnswerInPiecesToLostRequest: a response that comes in pieces has the id of a Fetch that waits, but does not fit
// it: it answers a request that was lost. It was read as the Fetch's answer without a request, and that ended the program.
func TestAnswerInPiecesToLostRequest(t *testing.T) {
	fetch := frame("0001 0000 00000005 0002 6d65 ffffffff 000001f4 00000001 00000001 0001 74 00000001 00000000 0000000000000000 00100000")
	n := &kinds{}
	s := session.New(session.Config{}, n)
	script(t, "syn\n>"+askVersions+"\n<"+versions+"\n>?30\n>"+fetch+"\n<00002000 00000005 fffffff0"+strings.Repeat("7f", 1000)+"\n<"+strings.Repeat("7f", 0x2000-1008)).play(s)
	if got := strings.Join(n.frames, " "); got != "q18.0 p18.0 q1.0 p-1.-1?" {
		t.Errorf("frames %q, %+v", got, s.Ledger())
	}
	if l := s.Ledger(); l.Decoded+l.Undecodable+l.Skipped+l.Foreign+l.Pending != l.Payload {
		t.Errorf("%+v", l)
	}
}

// TestStoredRequestsBehindAGap: records may hold requests of another client, one behind the other. Behind a gap they were
// taken for this client's: they begin and end within packets, and have its name nowhere.
func TestStoredRequestsBehindAGap(t *testing.T) {
	metadata := func(id int, client string) string {
		return frame(fmt.Sprintf("0003 0001 %08x %04x %x 00000000", id, len(client), client))
	}
	said := func(id int) string { return "<" + frame(fmt.Sprintf("%08x 00000000 ffffffff 00000000", id)) }
	stored := ""
	for i := range 20 {
		stored += metadata(100+i, "other")
	}
	text := "syn\n>" + metadata(1, "me") + "\n" + said(1) + "\n>?5000\n>1234567890" + stored + "\n>" + stored + "1234567890\n>" + metadata(2, "me") + "\n" + said(2)
	n := &kinds{}
	s := session.New(session.Config{}, n)
	script(t, text).play(s)
	if got := strings.Join(n.frames, " "); got != "q3.1 p3.1 q3.1 p3.1" {
		t.Errorf("frames %q, %+v", got, s.Ledger())
	}
}
