package capture

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// What is written is read again the same, by us and by tshark.
func TestWrite(t *testing.T) {
	data := three[0]
	want := []Packet{
		{1, 1_700_000_000_123_456_789, LinkEthernet, 0, len(data), data},
		{2, 1_700_000_000_123_456_790, LinkRaw, 1, len(data) + 100, data[14:]},
		{3, 1_700_000_001_000_000_000, LinkEthernet, 2, len(data), data},
		{4, 1_700_000_002_000_000_000, LinkEthernet, 0, 0, []byte{}},
	}
	name := filepath.Join(t.TempDir(), "out.pcapng")
	w, err := Create(name, Rotation{})
	if err != nil {
		t.Fatal(err)
	}
	w.InterfaceName = func(i int) string { return []string{"eth0", "tun0", "eth1"}[i] }
	for i := range want {
		if err := w.Write(&want[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Statistics(1, LinkRaw, 10, 3); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(&want[0]); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	r, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got, err := readAll(t, r)
	if err != nil || len(got) != len(want) || r.Dropped() != 3 {
		t.Fatalf("%d packets, %d dropped, %v", len(got), r.Dropped(), err)
	}
	for i, g := range got {
		same := bytes.Equal(g.Data, want[i].Data)
		if g.Data, want[i].Data = nil, nil; !same || g.Number != want[i].Number || g.Time != want[i].Time || g.Link != want[i].Link || g.Iface != want[i].Iface || g.Wire != want[i].Wire {
			t.Errorf("got  %+v\nwant %+v", g, want[i])
		}
	}
	if _, err := exec.LookPath("tshark"); err != nil {
		t.Skip("no tshark here")
	}
	out, err := exec.Command("tshark", "-n", "-r", name, "-T", "fields", "-e", "frame.time_epoch", "-e", "frame.len", "-e", "frame.interface_name").CombinedOutput()
	if s := string(out); err != nil || !strings.Contains(s, "1700000000.123456789\t57\teth0\n1700000000.123456790\t157\ttun0\n1700000001.000000000\t57\teth1\n") {
		t.Errorf("%v\n%s", err, s)
	}
}

// wholeBlocks fails the test if a write does not end at the end of a block.
type wholeBlocks struct {
	t *testing.T
	bytes.Buffer
	writes int
}

func (w *wholeBlocks) Write(b []byte) (int, error) {
	w.writes++
	w.Buffer.Write(b)
	if _, err := readAll(w.t, mustRead(w.t, w.Bytes())); err != nil {
		w.t.Errorf("after write %d: %v", w.writes, err)
	}
	return len(b), nil
}

func TestWholeBlocks(t *testing.T) {
	out := &wholeBlocks{t: t}
	w := NewWriter(out)
	for i := range 700 {
		if err := w.Write(&Packet{Time: int64(i), Link: LinkRaw, Data: make([]byte, 1+i*3)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil || out.writes < 3 {
		t.Fatal(out.writes, err)
	}
	if got, err := readAll(t, mustRead(t, out.Bytes())); len(got) != 700 || err != nil {
		t.Fatal(len(got), err)
	}
}

func TestEmptyOutput(t *testing.T) {
	var b bytes.Buffer
	if err := NewWriter(&b).Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := readAll(t, mustRead(t, b.Bytes())); len(got) != 0 || err != nil {
		t.Fatal(got, err)
	}
}

// Names and numbers of files are those of tcpdump(1).
func TestRotation(t *testing.T) {
	for _, c := range []struct {
		name     string
		file     string
		rotation Rotation
		packets  int // of 1000 bytes, a second apart
		want     string
		full     bool
	}{
		{"one file", "f", Rotation{}, 9, "f:9", false},
		{"size", "f", Rotation{Size: 2500}, 8, "f:3 f1:3 f2:2", false},
		{"size, ring of 2", "f", Rotation{Size: 2500, Files: 2}, 11, "f0:3 f1:2", false},
		{"size, ring of 1", "f", Rotation{Size: 2500, Files: 1}, 7, "f:1", false},
		{"size, ring of 12", "f", Rotation{Size: 2500, Files: 12}, 4, "f00:3 f01:1", false},
		{"time", "f%S", Rotation{Every: 3 * time.Second}, 8, "f40:3 f43:3 f46:2", false},
		{"time without verb", "f", Rotation{Every: 3 * time.Second}, 8, "f:2", false},
		{"time, 2 files", "f%S", Rotation{Every: 3 * time.Second, Files: 2}, 8, "f40:3 f43:3", true},
		{"time and size", "f%S", Rotation{Size: 1500, Every: 3 * time.Second}, 7, "f40:2 f401:1 f43:2 f431:1 f46:1", false},
	} {
		dir := t.TempDir()
		w, err := Create(filepath.Join(dir, c.file), c.rotation)
		if err != nil {
			t.Fatal(err)
		}
		for i := range c.packets {
			err = w.Write(&Packet{Time: 1_600_000_000e9 + int64(i)*1e9, Link: LinkRaw, Data: make([]byte, 1000)}) // …:40
			if err != nil {
				break
			}
		}
		if (err == ErrFull) != c.full || err != nil && err != ErrFull {
			t.Errorf("%s: %v", c.name, err)
		}
		if err := w.Close(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		var got []string
		files, _ := filepath.Glob(filepath.Join(dir, "*"))
		slices.Sort(files)
		for _, f := range files {
			r, err := Open(f)
			if err != nil {
				t.Fatal(err)
			}
			packets, err := readAll(t, r)
			if err != nil {
				t.Errorf("%s: %v", f, err)
			}
			r.Close()
			got = append(got, filepath.Base(f)+":"+string(rune('0'+len(packets))))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %s, want %s", c.name, s, c.want)
		}
	}
	if _, err := Create("-", Rotation{Size: 1}); err == nil {
		t.Error("standard output cannot rotate")
	}
}

func TestStrftime(t *testing.T) {
	at := time.Date(2026, 3, 4, 15, 6, 7, 0, time.UTC)
	for in, want := range map[string]string{
		"k-%Y%m%d-%H%M%S.pcapng": "k-20260304-150607.pcapng", "%F_%T": "2026-03-04_15:06:07", "%j %s %%": "063 1772636767 %", "100%": "100%", "%q%": "%q%",
	} {
		if got := strftime(in, at); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

// A packet without time keeps having none, and does not take the time of the one before it.
func TestPacketWithoutTimeGetsNone(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out)
	for _, at := range []int64{1_700_000_000_000_000_000, NoTime} {
		if err := w.Write(&Packet{Time: at, Link: LinkRaw, Wire: 3, Data: []byte{1, 2, 3}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := NewReader(&out, "written")
	if err != nil {
		t.Fatal(err)
	}
	got, err := readAll(t, r)
	if err != nil || len(got) != 2 || got[0].Time != 1_700_000_000_000_000_000 || got[1].Time != NoTime || !bytes.Equal(got[1].Data, []byte{1, 2, 3}) {
		t.Errorf("%v: %+v", err, got)
	}
}

func TestWriteAllocatesLittle(t *testing.T) {
	w := NewWriter(discard{})
	p := Packet{Time: 1, Link: LinkRaw, Data: make([]byte, 1000)}
	for range 1000 {
		w.Write(&p)
	}
	if n := testing.AllocsPerRun(10000, func() { w.Write(&p) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }
