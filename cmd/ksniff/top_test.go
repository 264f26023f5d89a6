package main

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ksniff/capture"
	"ksniff/report/filter"
	"ksniff/report/top"
)

func TestTopNeedsATerminal(t *testing.T) {
	for _, args := range [][]string{{"top", pcap("group")}, {"top"}, {"top", "--speed", "-1", pcap("group")}} {
		if out, errs := ksniff(t, exitUsage, args...); out != "" || errs == "" {
			t.Errorf("%v: %q, %q", args, out, errs)
		}
	}
}

// watching reads captures for a view without a terminal, until stop is called.
func watching(t *testing.T, o *topFlags, args ...string) (tally *top.Tally, stop func() error) {
	t.Helper()
	o.in.memory = defaultMemory
	w := &watch{flags: o, args: args, tally: top.New(1 << 20), skip: capture.NoTime}
	ctx, cancel := context.WithCancel(context.Background())
	p, err := w.open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	w.rereadable(p.names)
	var broken error
	var reading sync.WaitGroup
	reading.Go(func() { broken = w.read(ctx, p) })
	return w.tally, func() error { cancel(); reading.Wait(); return broken }
}

// ended waits for the end of the captures and gives a table.
func ended(t *testing.T, tally *top.Tally, q top.Query, is func(top.Snapshot) bool) top.Snapshot {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if s := tally.Snapshot(q); s.Status.Ended && is(s) {
			return s
		}
	}
	t.Fatalf("the capture does not end: %+v", tally.Snapshot(q))
	return top.Snapshot{}
}

func messages(s top.Snapshot, name string) int64 {
	for _, r := range s.Rows {
		if r.Name == name {
			return r.Total.MessagesIn
		}
	}
	return -1
}

// The sums are those of the brokers (pcaps/README.md), before a filter and, since files are read again, after it.
func TestTopCountsAndFilters(t *testing.T) {
	tally, stop := watching(t, &topFlags{}, pcap("transactions"))
	all := func(s top.Snapshot) bool { return messages(s, "tx-out") == 240 }
	s := ended(t, tally, top.Query{}, all)
	if messages(s, "tx-a") != 217 || messages(s, "tx-b") != 119 || s.Status.Completeness != 1 || s.Status.Packets != 323 {
		t.Errorf("%+v", s)
	}
	only, err := filter.Compile("topic == tx-a")
	if err != nil {
		t.Fatal(err)
	}
	if !tally.Filter(only) {
		t.Error("a file is not read again")
	}
	s = ended(t, tally, top.Query{}, func(s top.Snapshot) bool { return messages(s, "tx-a") == 217 })
	if messages(s, "tx-out") != -1 {
		t.Errorf("topics that do not match: %+v", s.Rows)
	}
	tally.Filter(nil)
	ended(t, tally, top.Query{}, all)
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// The view agrees with the report about every capture.
func TestTopAgreesWithReport(t *testing.T) {
	files, err := filepath.Glob("../../pcaps/*.pcap")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d captures, %v", len(files), err)
	}
	for _, file := range files {
		out, _ := ksniff(t, 0, "report", "-o", "json", file)
		var r struct {
			Ledger struct{ Completeness float64 }
			APIs   []struct {
				API      string
				Requests int64
				Errors   map[string]int64
				Latency  struct{ Count int64 } `json:"latency_ms"`
			}
			Topics []struct {
				Topic          string
				TopicID        string `json:"topic_id"`
				Produce, Fetch struct {
					Requests, Messages, Bytes int64
					Errors                    map[string]int64
				}
			}
		}
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			t.Fatal(err)
		}
		tally, stop := watching(t, &topFlags{}, file)
		rows := func(table top.Table) map[string]top.Counts {
			all := map[string]top.Counts{}
			for _, row := range ended(t, tally, top.Query{Table: table}, func(top.Snapshot) bool { return true }).Rows {
				all[row.Name] = row.Total
			}
			return all
		}
		sum := func(errors ...map[string]int64) (n int64) {
			for _, m := range errors {
				for _, count := range m {
					n += count
				}
			}
			return n
		}
		topics, apis, errors := rows(top.Topics), rows(top.APIs), map[string]int64{}
		for _, want := range r.Topics {
			name := cmp.Or(want.Topic, want.TopicID, `""`)
			got := topics[name]
			p, f := want.Produce, want.Fetch
			if got.BytesIn != p.Bytes || got.BytesOut != f.Bytes || got.MessagesIn != p.Messages || got.MessagesOut != f.Messages ||
				got.Requests != p.Requests+f.Requests || got.Errors != sum(p.Errors, f.Errors) {
				t.Errorf("%s %s: %+v, in the report %+v %+v", file, name, got, p, f)
			}
		}
		for _, want := range r.APIs {
			if got := apis[want.API]; got.Requests != want.Requests || got.Errors != sum(want.Errors) || got.Answers != want.Latency.Count {
				t.Errorf("%s %s: %+v, in the report %+v", file, want.API, got, want)
			}
			for name, n := range want.Errors {
				errors[name] += n
			}
		}
		for name, got := range rows(top.Errors) {
			if got.Errors != errors[name] {
				t.Errorf("%s %s: %d, in the report %d", file, name, got.Errors, errors[name])
			}
		}
		if got := ended(t, tally, top.Query{}, func(top.Snapshot) bool { return true }).Status.Completeness; got != r.Ledger.Completeness {
			t.Errorf("%s: completeness %v, in the report %v", file, got, r.Ledger.Completeness)
		}
		if err := stop(); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// What breaks a capture off is told to the view and at the end.
func TestTopBrokenCapture(t *testing.T) {
	tally, stop := watching(t, &topFlags{}, "no/such.pcap")
	s := ended(t, tally, top.Query{}, func(top.Snapshot) bool { return true })
	if err := stop(); err == nil || !strings.Contains(s.Status.Trouble, "no/such.pcap") {
		t.Errorf("%v, %q", err, s.Status.Trouble)
	}
}

// paced are packets one second apart.
type paced struct{ given, all int64 }

func (p *paced) Next(packet *capture.Packet) error {
	if p.given == p.all {
		return io.EOF
	}
	*packet = capture.Packet{Time: 1e18 + p.given*1e9}
	p.given++
	return nil
}

func (*paced) Close() error { return nil }

// Six seconds of capture take 0.3 s at twenty times their speed; what the view has seen before comes at once.
// The clock is that of a synctest bubble, so the machine's speed decides nothing.
func TestPlayer(t *testing.T) { synctest.Test(t, testPlayer) }

func testPlayer(t *testing.T) {
	play := func(speed float64, skip int64, pause time.Duration) (took time.Duration, beats int) {
		var over atomic.Bool
		began := time.Now()
		p := &player{packetSource: &paced{all: 7}, ctx: context.Background(), speed: speed, over: &over, skip: skip,
			first: capture.NoTime, last: capture.NoTime,
			paused: func() bool { return time.Since(began) < pause },
			beat:   func(int64) { beats++ }}
		var packet capture.Packet
		last := int64(0)
		for {
			err := p.Next(&packet)
			if err == io.EOF {
				break
			}
			if err != nil || packet.Time <= last {
				t.Fatalf("packet at %d after %d: %v", packet.Time, last, err)
			}
			last = packet.Time
		}
		if p.last != 1e18+6e9 {
			t.Errorf("the last packet is at %d", p.last)
		}
		return time.Since(began), beats
	}
	if took, beats := play(20, capture.NoTime, 0); took != 300*time.Millisecond || beats < 6 {
		t.Errorf("at speed 20: %v, %d beats", took, beats)
	}
	if took, _ := play(0, capture.NoTime, 0); took != 0 {
		t.Errorf("as fast as possible: %v", took)
	}
	if took, _ := play(1, 1e18+6e9, 0); took != 0 {
		t.Errorf("already seen: %v", took)
	}
	if took, _ := play(0, capture.NoTime, 200*time.Millisecond); took < 200*time.Millisecond {
		t.Errorf("paused: %v", took)
	}
	over := atomic.Bool{}
	over.Store(true)
	p := &player{packetSource: &paced{all: 7}, ctx: context.Background(), over: &over}
	if err := p.Next(&capture.Packet{}); err != io.EOF {
		t.Errorf("out of date: %v", err)
	}
}
