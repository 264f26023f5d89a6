package session_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ksniff/reassembly/session"
)

// marked writes down frames like kinds, with what they say about their pairing: `~` behind a guess, `=N` of an answer
// the packet of its request.
type marked struct{ kinds }

func (k *marked) Frame(f *session.Frame) {
	k.kinds.Frame(f)
	if f.Kind == 0 || f.Request == nil {
		return
	}
	last := &k.frames[len(k.frames)-1]
	*last = fmt.Sprintf("p=%d", f.Request.Packet)
	if f.Guessed != f.Request.Unseen {
		*last += "!"
	}
	if f.Guessed {
		*last += "~"
	}
}

// TestTurns: a legacy answer is paired by order, and after a loss it is known which request it answers only where the
// bytes leave no choice or the client waits for each answer. The first line is packet 1.
func TestTurns(t *testing.T) {
	ask, empty, more := "\n>"+legacyFetch, "\n<"+legacyEmpty, "\n<"+frame("0000 00000005 00 00000000")
	offsets := "\n>" + frame("0004 0001 74 00000000 ffffffffffffffff 00000001")
	lostAsk, lostAnswer := fmt.Sprintf("\n>?%d", len(legacyFetch)/2), fmt.Sprintf("\n<?%d", len(legacyEmpty)/2)
	lostTwo := fmt.Sprintf("\n<?%d", len(legacyEmpty))
	for _, c := range []struct{ name, text, want string }{
		{"nothing lost", ask + empty + ask + empty, "q p=2 q p=4"},
		{"nothing lost, asked ahead", ask + ask + empty + more, "q q p=2 p=3"},
		{"an answer lost: the one that follows is to the other request", ask + empty + ask + lostAnswer + ask + empty + ask + empty, "q p=2 q q p=6 q p=8"},
		{"bytes of one or two answers lost", ask + ask + ask + lostTwo + empty, "q q q p=4~"},
		{"two answers lost one by one, the client waits", ask + lostAnswer + ask + lostAnswer + ask + empty + ask + empty, "q q q p=6~ q p=8"},
		{"a request lost, then its answer", ask + lostAsk + empty + empty + ask + empty, "q p=2~ p? q p=6"},
		{"a request and another's answer lost", ask + lostAnswer + lostAsk + empty + ask + empty, "q p=2~ q p=6"},
		{"asked ahead: no end of the doubt", ask + ask + empty + empty + ask + ask + ask + lostTwo + empty + ask + empty, "q q p=2 p=3 q q q p=7~ q p=8~"},
		{"another form", ask + lostAsk + "\n<" + frame("0000 00000001 0000000000000007"), "q p?"},
		{"the same, expected", ask + empty + offsets + lostAsk + "\n<" + frame("0000 00000001 0000000000000007"), "q p=2 q p=4~"},
	} {
		n := &marked{}
		s := session.New(session.Config{}, n)
		played := script(t, "syn"+c.text)
		played.play(s)
		balanced(t, s, played)
		got := strings.NewReplacer("q1.-1", "q", "q4.-1", "q", "p-1.-1?", "p?").Replace(strings.Join(n.frames, " "))
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestTurnsOfOneID: before a second correlation id is seen, it is not known that the client gives each request another one.
func TestTurnsOfOneID(t *testing.T) {
	ask, answer := "\n>"+askMetadata, "\n<"+metadata
	askNext, next := "\n>"+frame("0003 0000 00000003 0002 6d65 00000000"), "\n<"+frame("00000003 00000000 00000000")
	lostAsk, lostAnswer := fmt.Sprintf("\n>?%d", len(askMetadata)/2), fmt.Sprintf("\n<?%d", len(metadata)/2)
	for _, c := range []struct{ name, text, want string }{
		{"the answer may be to the second", "syn" + ask + lostAnswer + lostAsk + answer + ask + answer, "p=2~ p=6"},
		{"ids differ", "syn" + ask + answer + askNext + lostAnswer + lostAsk + next, "p=2 p=4"},
		{"mid-stream", ask + answer + ask + answer, "p=1 p=3"},
		{"mid-stream, behind an answer that is skipped", "<" + frame("00000001 00000000 00000000") + ask + answer, "p=2~"},
	} {
		n := &marked{}
		s := session.New(session.Config{}, n)
		script(t, c.text).play(s)
		if got := strings.ReplaceAll(strings.Join(n.frames, " "), "q3.0 ", ""); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestTimesUnderLoss takes packets out of captures, or cuts them: each answer whose latency is told all the same has the
// one that it has in the whole capture.
func TestTimesUnderLoss(t *testing.T) {
	names, _ := filepath.Glob("../../pcaps/*.pcap")
	if shared := os.Getenv("KSNIFF_SHARED"); shared != "" && !testing.Short() {
		more, _ := filepath.Glob(shared + "/captures/legacy/*.pcap")
		names = append(names, more...)
	}
	for _, name := range names {
		segments := once(segmentsOf(t, name))
		whole, told, most := stamped(segments, 1<<30, nil), 0, 0
		for _, d := range []damage{{lost: 0.01}, {lost: 0.05}, {lost: 0.2}, {skip: 40, lost: 0.02}, {late: true, lost: 0.05}, {snap: 200, lost: 0.02}} {
			for seed := range uint64(3) {
				got := stamped(d.apply(segments, rand.New(rand.NewPCG(seed+100, 7))), 1<<30, nil)
				for frame, x := range got.by {
					want := whole.by[frame]
					if x.latency >= 0 {
						told++
					}
					if x.latency >= 0 && x.latency != want.latency {
						t.Errorf("%s, %+v, seed %d: %s is %+v, want %+v", filepath.Base(name), d, seed, frame, x, want)
					}
				}
				most += whole.pairs
			}
		}
		t.Logf("%s: %d of %d latencies told", filepath.Base(name), told, most)
		if told < most/3 {
			t.Errorf("%s: %d of %d latencies are told", name, told, most)
		}
	}
}
