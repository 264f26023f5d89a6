package capture

import (
	"bytes"
	"io"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
)

// Close from another goroutine wakes a Next that waits for input, however the source comes.
func TestCloseWakesNext(t *testing.T) {
	good := pcapFile(1, three...)
	var flushed bytes.Buffer
	z := gzip.NewWriter(&flushed)
	z.Write(good)
	z.Flush()
	for name, start := range map[string][]byte{"plain": good, "gzip": flushed.Bytes(), "zstd": append(zstded(good), 0x28, 0xb5, 0x2f)} {
		for _, piped := range []bool{true, false} {
			in, out := io.Pipe()
			read := io.Reader(in)
			closer := io.Closer(in)
			if piped { // as standard input: closing it does not end a read
				p := newPump(onlyRead{in})
				read, closer = p, p
			}
			go out.Write(start)
			r, err := NewReader(read, name)
			if err != nil {
				t.Fatal(name, err)
			}
			r.file = closer
			got := make(chan error)
			go func() {
				for {
					var p Packet
					if err := r.Next(&p); err != nil {
						got <- err
						return
					}
				}
			}()
			time.Sleep(10 * time.Millisecond)
			if err := r.Close(); err != nil {
				t.Error(name, err)
			}
			select {
			case err := <-got:
				if err == io.EOF {
					t.Errorf("%s: a clean end", name)
				}
			case <-time.After(5 * time.Second):
				t.Fatalf("%s: Next still waits", name)
			}
			out.Close()
		}
	}
}

type onlyRead struct{ io.Reader }

func TestFilesClose(t *testing.T) {
	name := t.TempDir() + "/f"
	if err := os.WriteFile(name, pcapFile(1, three...), 0o600); err != nil {
		t.Fatal(err)
	}
	f := OpenAll(name, name)
	var p Packet
	if err := f.Next(&p); err != nil {
		t.Fatal(err)
	}
	f.Close()
	for range 20 { // what is in memory may still come
		if f.Next(&p) == os.ErrClosed {
			return
		}
	}
	t.Error("packets after Close")
}

func TestPump(t *testing.T) {
	want := make([]byte, 1_000_003)
	for i := range want {
		want[i] = byte(i * 7 >> 3)
	}
	got, err := io.ReadAll(newPump(bytes.NewReader(want)))
	if err != nil || !bytes.Equal(got, want) {
		t.Fatal(len(got), err)
	}
}

// OnRead is called by the goroutine that calls Next, compressed or not.
func TestOnRead(t *testing.T) {
	big := pcapFile(1, slices.Repeat(three, 20000)...)
	for _, b := range [][]byte{big, gzipped(big), zstded(big)} {
		r := mustRead(t, b)
		calls := 0 // the race detector sees who counts
		r.OnRead = func() { calls++ }
		if got, err := readAll(t, r); err != nil || len(got) != 60000 || calls < 2 {
			t.Error(len(got), calls, err)
		}
	}
}
