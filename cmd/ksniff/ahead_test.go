package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"ksniff/reassembly/session"
)

// repeated makes a capture of the packets of another, again and again, of at least size bytes.
func repeated(t *testing.T, name string, size int) string {
	t.Helper()
	b, err := os.ReadFile(pcap(name))
	if err != nil {
		t.Fatal(err)
	}
	const head = 24
	out := bytes.NewBuffer(b[:head:head])
	for out.Len() < size {
		out.Write(b[head:])
	}
	file := filepath.Join(t.TempDir(), name+".pcap")
	if err := os.WriteFile(file, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Files that are read ahead give the same output as those that are not.
func TestReadAhead(t *testing.T) {
	files := []string{repeated(t, "fetch-sessions", 3*bufferSize), pcap("legacy"), repeated(t, "errors", bufferSize), pcap("kafka-0.8")}
	cut, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	short := filepath.Join(t.TempDir(), "short.pcap")
	if err := os.WriteFile(short, cut[:len(cut)-7], 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		code int
		args []string
	}{
		{0, append([]string{"report", "-o", "json"}, files...)},
		{0, append([]string{"frames", "-o", "json"}, files...)},
		{0, append([]string{"frames", "-f", "src port 9092"}, files...)},
		{exitIO, []string{"report", "-o", "json", short, files[1]}},
	} {
		before := runtime.GOMAXPROCS(2)
		ahead, aheadErrs := ksniff(t, c.code, c.args...)
		runtime.GOMAXPROCS(1)
		plain, plainErrs := ksniff(t, c.code, c.args...)
		runtime.GOMAXPROCS(before)
		if ahead != plain || aheadErrs != plainErrs {
			t.Errorf("%v: the output is another one (%d and %d bytes, %q and %q)", c.args[:2], len(ahead), len(plain), aheadErrs, plainErrs)
		}
		if len(plain) < 1000 {
			t.Errorf("%v: only %d bytes", c.args[:2], len(plain))
		}
	}
}

// What is interrupted ends, though the goroutine that reads ahead has more.
func TestReadAheadEnds(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	in := input{memory: defaultMemory}
	p, err := in.open(context.Background(), []string{repeated(t, "errors", 20*bufferSize)}, session.Config{}, nothing{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	p.beat = stop
	ended := make(chan error)
	go func() { ended <- p.run(ctx) }()
	select {
	case err := <-ended:
		if err != nil || p.seen.packets == 0 {
			t.Errorf("%v after %d packets", err, p.seen.packets)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("does not end")
	}
	p.source.Close()
}
