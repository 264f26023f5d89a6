package frames

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// packets are those of JSON lines.
func packets(t *testing.T, out string) (list []uint64) {
	t.Helper()
	for text := range strings.Lines(out) {
		var l struct{ Packet uint64 }
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		list = append(list, l.Packet)
	}
	return list
}

// Frames that come late get their place while it has not been written; none is lost, none doubled.
func TestLinesAreOrdered(t *testing.T) {
	var out bytes.Buffer
	p := New(&out, Options{Format: JSON, Ordered: true})
	f := produce()
	f.Client.ID = strings.Repeat("c", 2000)
	const n = 12_000 // 28 MB of lines: more than the window three times
	var want []uint64
	for i := range uint64(n) {
		f.Last.Packet = 10 + i
		if i%100 == 99 {
			f.Last.Packet -= 57 // late, but within the window
		}
		want = append(want, f.Last.Packet)
		p.Frame(f)
	}
	if out.Len() == 0 {
		t.Error("nothing is written before the end")
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(want)
	if got := packets(t, out.String()); !slices.Equal(got, want) {
		t.Errorf("%d lines, %d frames; in order: %v", len(got), n, slices.IsSorted(got))
	}
}

// Flush writes what waits, in order.
func TestFlushWritesTheWindow(t *testing.T) {
	var out bytes.Buffer
	p := New(&out, Options{Format: CSV, Ordered: true})
	f := produce()
	for _, packet := range []uint64{5, 3, 9, 3} {
		f.Last.Packet = packet
		p.Frame(f)
	}
	p.Flush()
	f.Last.Packet = 4 // too late: the rest is out
	p.Frame(f)
	p.Close()
	var got []string
	for text := range strings.Lines(out.String()) {
		got = append(got, text[:strings.IndexByte(text, ',')])
	}
	if want := []string{"packet", "3", "3", "5", "9", "4"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
