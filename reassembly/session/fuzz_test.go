package session_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

// FuzzStreams gives a session streams of any bytes, with gaps and starts at any place. Each op is one
// byte (side, data or gap, start) and one of length; data comes from what follows all ops. The ledger
// must balance, and what is whole must lie within what was sent.
func FuzzStreams(f *testing.F) {
	for _, seed := range seedStreams(f) {
		f.Add(seed[0], seed[1], true)
		f.Add(seed[0], seed[1], false)
	}
	f.Fuzz(func(t *testing.T, ops, data []byte, syn bool) {
		if few := data[:min(len(data), 4<<10)]; len(ops) >= 2 {
			session.Passes(t, few, int32(ops[0])<<ops[1]/8, int32(ops[0])<<ops[1]/8+int32(ops[1]))
		}
		played := tape{{do: 'o', conn: 1}}
		if syn {
			played = append(played, op{do: 's', conn: 1}, op{do: 's', conn: 1, side: 1})
		}
		sent := [2]int64{}
		for i := 0; i+1 < len(ops); i += 2 {
			side, n := int(ops[i]&1), int(ops[i+1])
			at := reassembly.Moment{Packet: uint64(i), Time: int64(i) * 1e8}
			switch {
			case ops[i]&0x70 == 0x70:
				played = append(played, op{do: 'g', conn: 1, side: side, at: at, gap: int64(n) + 1})
				sent[side] += int64(n) + 1
			case n > 0 && len(data) > 0:
				n = min(n, len(data))
				played = append(played, op{do: 'd', conn: 1, side: side, at: at, b: data[:n]})
				data = data[n:]
				sent[side] += int64(n)
			}
		}
		played = append(played, op{do: 'e', conn: 1, why: reassembly.EOF}, op{do: 'e', conn: 1, side: 1, why: reassembly.EOF})
		for _, cfg := range []session.Config{{}, {Whole: true, Keep: true, Memory: 1 << 16}} {
			s := session.New(cfg, within{t, &sent})
			played.play(s)
			balanced(t, s, played)
		}
		modelled(t, "fuzzed", played, session.Config{})
	})
}

// seedStreams are the ops and data of real captures: those of the repository, and all under KSNIFF_SHARED where
// that is set; the first 200 pieces of six connections, of each piece no more than its length fits into an op.
func seedStreams(t testing.TB) (seeds [][2][]byte) {
	for _, root := range []string{"../../pcaps", os.Getenv("KSNIFF_SHARED")} {
		filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.Contains(name, ".pcap") {
				return nil
			}
			if info, err := d.Info(); err != nil || info.Size() > 8<<20 {
				return nil // a tape of all that takes too long
			}
			var ops, data []byte
			played, _ := recordFile(name) // some of them are damaged
			for _, o := range played {
				if o.do == 'd' && o.conn < 6 && len(ops) < 400 {
					ops = append(ops, byte(o.side), byte(min(len(o.b), 255)))
					data = append(data, o.b[:min(len(o.b), 255)]...)
				}
			}
			if len(ops) > 0 {
				seeds = append(seeds, [2][]byte{ops, data})
			}
			return nil
		})
	}
	if len(seeds) < 10 {
		t.Fatalf("%d captures", len(seeds))
	}
	return seeds
}

// within checks that each frame lies in its stream.
type within struct {
	t    *testing.T
	sent *[2]int64
}

func (w within) Frame(f *session.Frame) {
	if f.Offset < 0 || f.Offset+4+int64(f.Length) > w.sent[f.Side] {
		w.t.Errorf("frame at %d of %d bytes, %d were sent", f.Offset, f.Length, w.sent[f.Side])
	}
	for _, run := range f.Runs {
		if run.Off < 0 || run.Off+len(run.Bytes) > f.Length {
			w.t.Errorf("run at %d of %d bytes in a frame of %d", run.Off, len(run.Bytes), f.Length)
		}
	}
}

func (w within) Unanswered(*reassembly.Conn, *session.Request, session.Why) {}
