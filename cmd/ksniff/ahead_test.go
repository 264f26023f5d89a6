package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
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

// Whether one goroutine does all or several share it, the output of all captures is the same.
func TestLanes(t *testing.T) {
	captures, _ := filepath.Glob(pcap("*"))
	if len(captures) < 10 {
		t.Fatalf("only %d captures", len(captures))
	}
	for _, args := range [][]string{
		{"report", "-o", "json"}, {"report", "-o", "json", "--by", "client,api,error,group"}, {"frames", "-o", "json"},
		{"frames"}, {"frames", "-o", "csv", "-Y", "response"}, {"frames", "-ttttt", "-o", "md"}, {"audit", "-o", "json"},
	} {
		for _, list := range [][]string{captures, captures[:1], captures[len(captures)-1:]} {
			run := func(processors int) string {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
				var out, errs bytes.Buffer
				run(append(args, list...), nil, &out, &errs)
				return out.String() + errs.String()
			}
			if one, two := run(1), run(2); one != two || len(one) < 500 {
				t.Errorf("%v of %d captures: %d bytes by one goroutine, %d by several", args, len(list), len(one), len(two))
			}
		}
	}
}

// Nobody takes the lines: all goroutines end, and not before the error is told.
func TestLanesBreak(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	var errs bytes.Buffer
	file := repeated(t, "errors", 20*bufferSize)
	if code := run([]string{"frames", "-o", "json", file}, nil, failing{}, &errs); code != exitIO || !strings.Contains(errs.String(), "no room") {
		t.Errorf("exit %d, %s", code, &errs)
	}
}

// failing is a disk that is full.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("no room") }

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

// Statistics that are asked for while a file is read ahead were of a batch that was being filled again: mostly 0.
func TestStatisticsOfABatchThatWasGivenBack(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	in := input{memory: leastMemory}
	p, err := in.open(context.Background(), []string{repeated(t, "errors", 20*bufferFor(size(in.state())))}, session.Config{}, nothing{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.source.Close()
	asked := 0
	p.asked = func() {
		time.Sleep(time.Millisecond) // time enough to fill it
		if asked++; p.batch == nil || p.batch.seen != p.seen || p.batch.tcp.Segments == 0 {
			t.Errorf("after batch %d: %+v, want %+v", asked, p.batch.seen, p.seen)
		}
	}
	if err := p.run(context.Background()); err != nil || asked < 10 {
		t.Errorf("%v, asked %d times", err, asked)
	}
}
