package capture

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

var three = [][]byte{ether(0x0800, ip4(6, tcpBytes("one"))), {}, ether(0x86dd, ip6(6, tcpBytes("three")))}

// swapped turns a little-endian pcap file into a big-endian one.
func swapped(b []byte) []byte {
	b = slices.Clone(b)
	flip := func(at, n int) { slices.Reverse(b[at : at+n]) }
	for _, f := range [][2]int{{0, 4}, {4, 2}, {6, 2}, {8, 4}, {12, 4}, {16, 4}, {20, 4}} {
		flip(f[0], f[1])
	}
	for at := 24; at < len(b); {
		n := int(b[at+8]) | int(b[at+9])<<8
		for i := range 4 {
			flip(at+4*i, 4)
		}
		at += 16 + n
	}
	return b
}

func nanoseconds(b []byte) []byte {
	b = slices.Clone(b)
	copy(b, "\x4d\x3c\xb2\xa1")
	return b
}

func gzipped(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(b)
	w.Close()
	return out.Bytes()
}

func zstded(b []byte) []byte {
	w, _ := zstd.NewWriter(nil)
	return w.EncodeAll(b, nil)
}

func TestReaders(t *testing.T) {
	good := pcapFile(1, three...)
	for _, c := range []struct {
		name string
		file []byte
		nsec int64
	}{
		{"little", good, 5000}, {"big", swapped(good), 5000},
		{"little nanoseconds", nanoseconds(good), 5}, {"big nanoseconds", swapped(nanoseconds(good)), 5},
		{"gzip", gzipped(good), 5000}, {"gzip members", append(gzipped(good[:50]), gzipped(good[50:])...), 5000},
		{"zstd", zstded(good), 5000}, {"zstd frames", append(zstded(good[:50]), zstded(good[50:])...), 5000},
		{"zstd skippable", append([]byte("\x50\x2a\x4d\x18\x02\x00\x00\x00ab"), zstded(good)...), 5000},
	} {
		for _, in := range []io.Reader{bytes.NewReader(c.file), iotest.OneByteReader(bytes.NewReader(c.file)), iotest.DataErrReader(bytes.NewReader(c.file))} {
			r, err := NewReader(in, c.name)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			got, err := readAll(t, r)
			if err != nil || len(got) != len(three) {
				t.Errorf("%s: %d packets, %v", c.name, len(got), err)
				continue
			}
			for i, p := range got {
				if p.Number != uint64(i+1) || p.Time != int64(1000+i)*1e9+c.nsec || p.Link != LinkEthernet || p.Wire != len(three[i]) || !bytes.Equal(p.Data, three[i]) {
					t.Errorf("%s: packet %d: %+v", c.name, i, p)
				}
			}
			if done, all := r.Progress(); done != int64(len(c.file)) || all != 0 {
				t.Errorf("%s: progress %d of %d", c.name, done, all)
			}
			r.Close()
		}
	}
}

// A file that ends anywhere gives the packets before that point, and the right reason.
// Captures put together with cat: each header begins another one, whatever its byte order and units.
func TestCapturesPutTogetherWithCatAreAllRead(t *testing.T) {
	good := pcapFile(1, three...)
	for name, file := range map[string][]byte{
		"twice":      slices.Concat(good, good),
		"big after":  slices.Concat(good, swapped(good)),
		"nano after": slices.Concat(swapped(good), nanoseconds(good)),
		"no packets": slices.Concat(good, bytes.Repeat(good[:pcapHeader], 100_000), good),
	} {
		r, err := NewReader(bytes.NewReader(file), name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := readAll(t, r)
		if err != nil || len(got) != 2*len(three) {
			t.Errorf("%s: %d packets, want %d: %v", name, len(got), 2*len(three), err)
			continue
		}
		for i, p := range got {
			if !bytes.Equal(p.Data, three[i%len(three)]) || p.Time > 2e18 {
				t.Errorf("%s: packet %d is %+v", name, i+1, p)
			}
		}
	}
}

func TestCutFile(t *testing.T) {
	good := pcapFile(1, three...)
	ends := []int{24, 24 + 16 + len(three[0]), 24 + 32 + len(three[0]), len(good)}
	for n := range len(good) + 1 {
		r, err := NewReader(bytes.NewReader(good[:n]), "f")
		var got []Packet
		if err == nil {
			got, err = readAll(t, r)
		}
		whole := 0
		for _, end := range ends[1:] {
			if end <= n {
				whole++
			}
		}
		if len(got) != whole {
			t.Fatalf("%d bytes: %d packets, want %d", n, len(got), whole)
		}
		var e *Error
		switch {
		case n < 24:
			if !errors.As(err, &e) || e.Reason != Unreadable || e.Packet != 0 {
				t.Fatalf("%d bytes: %v", n, err)
			}
		case slices.Contains(ends, n):
			if err != nil {
				t.Fatalf("%d bytes: %v", n, err)
			}
		default:
			if !errors.As(err, &e) || e.Reason != Cut || e.Packet != uint64(whole+1) || e.Offset != int64(ends[whole]) {
				t.Fatalf("%d bytes: %v", n, err)
			}
		}
	}
	for _, b := range [][]byte{gzipped(good), zstded(good)} {
		r, err := NewReader(bytes.NewReader(b[:len(b)-6]), "f")
		if err == nil {
			_, err = readAll(t, r)
		}
		var e *Error
		if !errors.As(err, &e) || e.Reason != Cut && e.Reason != Unreadable {
			t.Errorf("cut %s: %v", b[:2], err)
		}
	}
}

func TestErrorsSayWhat(t *testing.T) {
	good := pcapFile(1, three...)
	change := func(at int, v ...byte) []byte {
		b := slices.Clone(good)
		copy(b[at:], v)
		return b
	}
	for _, c := range []struct {
		name   string
		file   []byte
		reason Reason
		words  string
	}{
		{"empty", nil, Unreadable, "empty"},
		{"text", []byte("hello world"), Unreadable, `not a capture: starts with 68 65 6c 6c 6f 20 77 6f ("hello wo")`},
		{"two bytes", []byte("hi"), Unreadable, `not a capture: starts with 68 69 ("hi")`},
		{"xz", []byte("\xfd7zXZ\x00\x00"), Unreadable, "xz -dc"},
		{"twice", gzipped(gzipped(good)), Unreadable, "compressed twice"},
		{"empty gzip", gzipped(nil), Unreadable, "empty"},
		// A frame header with window descriptor 0xa8 (2 GB), and a raw block of 4 bytes.
		{"zstd window", []byte("\x28\xb5\x2f\xfd\x00\xa8\x21\x00\x00abcd"), Unsupported, "more than 128 MB; give it as: zstd"},
		{"link type", change(20, 0x0f, 0x27), Unsupported, "unsupported link type 9999"},
		{"packet of 4 GB", change(32, 0xff, 0xff, 0xff, 0xff), Damaged, "4294967295 captured bytes"},
		{"packet of 300 kB", change(32, 0, 0, 4, 0), Cut, "of 262160 bytes"},
	} {
		r, err := NewReader(bytes.NewReader(c.file), "name")
		if err == nil {
			_, err = readAll(t, r)
		}
		var e *Error
		if !errors.As(err, &e) || e.Reason != c.reason || !strings.Contains(err.Error(), c.words) || !strings.HasPrefix(err.Error(), "name: ") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestWireLength(t *testing.T) {
	packet := three[0]
	file := func(link, wire uint32) []byte {
		b := pcapFile(link, packet)
		b[24+12], b[24+13], b[24+14], b[24+15] = byte(wire), byte(wire>>8), byte(wire>>16), byte(wire>>24)
		return b
	}
	n := len(packet)
	for _, c := range []struct {
		link, wire     uint32
		captured, want int
	}{
		{1, uint32(n), n, n}, {1, uint32(n) + 100, n, n + 100}, {1, 10, n, n}, {1, 0xffffffff, n, n},
		{0x24000001, uint32(n), n - 4, n - 4}, {0x24000001, uint32(n) + 2, n - 2, n - 2}, {0x24000001, uint32(n) + 50, n, n + 46},
		{0x20000001, uint32(n), n, n},
	} {
		got, err := readAll(t, mustRead(t, file(c.link, c.wire)))
		if err != nil || len(got) != 1 || len(got[0].Data) != c.captured || got[0].Wire != c.want {
			t.Errorf("link %#x, %d bytes: %+v, %v", c.link, c.wire, got, err)
		}
	}
}

// Nothing that has arrived is kept waiting for more.
func TestPipe(t *testing.T) {
	file := pcapFile(1, three...)
	in, out := io.Pipe()
	next := make(chan int)
	go func() {
		for at := 0; at < len(file); {
			n := 24
			if at > 0 {
				n = 16 + int(file[at+8])
				next <- at
			}
			out.Write(file[at : at+n])
			at += n
		}
		out.Close()
	}()
	r, err := NewReader(in, "pipe")
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	r.OnRead = func() { asked++ }
	var p Packet
	for i := range three {
		<-next // the packet is written only now
		if err := r.Next(&p); err != nil || int(p.Number) != i+1 {
			t.Fatal(p.Number, err)
		}
	}
	if err := r.Next(&p); err != io.EOF || asked < 3 {
		t.Fatal(err, asked)
	}
}

func TestOpenAll(t *testing.T) {
	dir := t.TempDir()
	put := func(name string, b []byte) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	good := pcapFile(1, three...)
	a, b := put("a", good), put("b.gz", gzipped(good))
	cut, none := put("cut", good[:len(good)-1]), filepath.Join(dir, "none")

	f := OpenAll(a, b)
	got, err := readAll(t, f)
	if err != nil || len(got) != 6 || got[5].Number != 6 {
		t.Fatalf("%d packets, %v", len(got), err)
	}
	if done, all := f.Progress(); done != all || all != int64(len(good)+len(gzipped(good))) {
		t.Errorf("progress %d of %d", done, all)
	}

	f = OpenAll(cut, none, a)
	got, err = readAll(t, f)
	var e *Error
	if len(got) != 5 || got[4].Number != 5 || !errors.As(err, &e) || e.Reason != Cut || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%d packets, %v", len(got), err)
	}
	if !strings.Contains(err.Error(), none+": no such file") {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

func TestReadAllocatesNothing(t *testing.T) {
	packets := slices.Repeat([][]byte{three[0]}, 5000)
	r := mustRead(t, pcapFile(1, packets...))
	var p Packet
	if n := testing.AllocsPerRun(4000, func() {
		if err := r.Next(&p); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkReadPcap(b *testing.B) {
	for _, size := range []int{60, 1514, 65000} {
		file := pcapFile(1, slices.Repeat([][]byte{make([]byte, size)}, 64<<20/size)...)
		b.Run(map[int]string{60: "60", 1514: "1514", 65000: "65000"}[size], func(b *testing.B) {
			b.SetBytes(int64(len(file)))
			b.ReportAllocs()
			for b.Loop() {
				r := mustRead(b, file)
				var p Packet
				for r.Next(&p) == nil {
				}
			}
		})
	}
}
