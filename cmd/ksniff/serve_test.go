//go:build unix

package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// spoken collects what a running command says.
type spoken struct {
	sync.Mutex
	bytes.Buffer
}

func (s *spoken) Write(b []byte) (int, error) {
	s.Lock()
	defer s.Unlock()
	return s.Buffer.Write(b)
}

func (s *spoken) String() string {
	s.Lock()
	defer s.Unlock()
	return s.Buffer.String()
}

// serving runs serve until stop is called, which gives its exit code. Signals go to the whole
// process, so only one may run.
func serving(t *testing.T, args ...string) (url string, stop func() int) {
	t.Helper()
	var errs spoken
	code := make(chan int, 1)
	go func() {
		code <- run(append([]string{"serve", "--listen", "127.0.0.1:0"}, args...), strings.NewReader(""), io.Discard, &errs)
	}()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if found := regexp.MustCompile(`http://[^/]+`).FindString(errs.String()); found != "" {
			url = found
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("serve does not begin: %s", errs.String())
		}
	}
	return url, func() int {
		syscall.Kill(os.Getpid(), syscall.SIGTERM)
		select {
		case c := <-code:
			if strings.Contains(errs.String(), "ksniff:") {
				t.Errorf("serve said %s", errs.String())
			}
			return c
		case <-time.After(20 * time.Second):
			t.Fatal("SIGTERM does not end serve")
			return -1
		}
	}
}

func get(t *testing.T, url string) (status int, body string) {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(text)
}

type families map[string]*dto.MetricFamily

// scraped gives the metrics once all of a file was read.
func scraped(t *testing.T, url string) families {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if status, body := get(t, url+"/healthz"); status == 200 && strings.Contains(body, "ended") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the file does not end")
		}
	}
	status, body := get(t, url+"/metrics")
	if status != 200 {
		t.Fatalf("status %d: %s", status, body)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	all, err := parser.TextToMetricFamilies(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// sum adds up the series of a metric whose labels have the given values (name, value, …).
func (f families) sum(name string, labels ...string) (sum float64) {
	for _, one := range f["ksniff_"+name].GetMetric() {
		has := map[string]string{}
		for _, l := range one.Label {
			has[l.GetName()] = l.GetValue()
		}
		match := true
		for i := 0; i < len(labels); i += 2 {
			match = match && has[labels[i]] == labels[i+1]
		}
		if match {
			sum += one.GetCounter().GetValue() + one.GetGauge().GetValue() + float64(one.GetHistogram().GetSampleCount())
		}
	}
	return sum
}

// What brokers and clients counted themselves (pcaps/README.md) is what the metrics say, and they
// agree with the report in what only the report is tested for.
func TestServe(t *testing.T) {
	truth := map[string]map[string]float64{
		"transactions": {"tx-a": 217, "tx-b": 119, "tx-out": 240},
		"group":        {"group-kip848-java": 553},
		"legacy":       {"ga": 240, "gb": 240},
		"errors":       {"err-ok": 55},
	}
	for _, capture := range captures(t) {
		url, stop := serving(t, pcap(capture))
		metrics := scraped(t, url)
		if code := stop(); code != exitDone {
			t.Errorf("%s: exit %d", capture, code)
		}
		for topic, want := range truth[capture] {
			if got := metrics.sum("topic_messages_total", "topic", topic, "direction", "produce"); got != want {
				t.Errorf("%s %s: %v messages produced, want %v", capture, topic, got, want)
			}
		}
		agree(t, capture, metrics)
	}
}

// captures are the names of those of the repository.
func captures(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob("../../pcaps/*.pcap")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d captures, %v", len(files), err)
	}
	for _, file := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(file), ".pcap"))
	}
	return names
}

func agree(t *testing.T, capture string, metrics families) {
	t.Helper()
	out, _ := ksniff(t, 0, "report", "-o", "json", pcap(capture))
	var r struct {
		Ledger struct {
			Decoded      float64 `json:"decoded_bytes"`
			Completeness float64
		}
		Frames struct {
			Unmatched  float64 `json:"unmatched_responses"`
			Unanswered float64 `json:"unanswered_requests"`
		}
		APIs []struct {
			API                 string
			Requests, Responses float64
			Errors              map[string]float64
			Latency             struct{ Count float64 } `json:"latency_ms"`
			LongPoll            struct{ Count float64 } `json:"long_poll_ms"`
		}
		Topics []struct {
			Topic          string
			TopicID        string `json:"topic_id"`
			Produce, Fetch struct{ Requests, Batches, Messages, Bytes float64 }
		}
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	check := func(what string, got, want float64) {
		if got != want {
			t.Errorf("%s: %s is %v, in the report %v", capture, what, got, want)
		}
	}
	check("decoded", metrics.sum("payload_bytes_total", "fate", "decoded"), r.Ledger.Decoded)
	check("completeness", metrics.sum("completeness_ratio"), r.Ledger.Completeness)
	check("unmatched", metrics.sum("unmatched_responses_total"), r.Frames.Unmatched)
	check("unanswered", metrics.sum("unanswered_requests_total"), r.Frames.Unanswered)
	for _, a := range r.APIs {
		check(a.API+" requests", metrics.sum("api_requests_total", "api", a.API), a.Requests)
		check(a.API+" responses", metrics.sum("api_responses_total", "api", a.API), a.Responses)
		check(a.API+" latency", metrics.sum("api_latency_seconds", "api", a.API), a.Latency.Count)
		check(a.API+" long polls", metrics.sum("api_long_poll_seconds", "api", a.API), a.LongPoll.Count)
		for name, n := range a.Errors {
			check(a.API+" "+name, metrics.sum("api_errors_total", "api", a.API, "error", name), n)
		}
	}
	for _, x := range r.Topics {
		x.Topic = cmp.Or(x.Topic, x.TopicID)
		check(x.Topic+" produced", metrics.sum("topic_bytes_total", "topic", x.Topic, "direction", "produce"), x.Produce.Bytes)
		both := metrics.sum("topic_bytes_total", "topic", x.Topic, "direction", "fetch") + metrics.sum("topic_bytes_total", "topic", x.Topic, "direction", "replicate")
		check(x.Topic+" fetched", both, x.Fetch.Bytes)
		check(x.Topic+" messages", metrics.sum("topic_messages_total", "topic", x.Topic), x.Produce.Messages+x.Fetch.Messages)
		check(x.Topic+" batches", metrics.sum("topic_batches_total", "topic", x.Topic), x.Produce.Batches+x.Fetch.Batches)
		check(x.Topic+" requests", metrics.sum("topic_requests_total", "topic", x.Topic), x.Produce.Requests+x.Fetch.Requests)
	}
}

// A pipe that has nothing more to say for now: what came is counted, and a signal ends it well.
func TestServePipe(t *testing.T) {
	capture, err := os.ReadFile(pcap("group"))
	if err != nil {
		t.Fatal(err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdin := os.Stdin
	os.Stdin = read
	defer func() { os.Stdin = stdin; write.Close() }()
	url, stop := serving(t, "-r", "-")
	go write.Write(capture)
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if _, body := get(t, url+"/metrics"); strings.Contains(body, "\nksniff_capture_packets_total 526\n") { // as capinfos counts
			break
		} else if time.Now().After(deadline) {
			t.Fatal(body)
		}
	}
	if status, body := get(t, url+"/healthz"); status != 200 || body != "ok\n" {
		t.Errorf("%d %q", status, body)
	}
	if code := stop(); code != exitDone {
		t.Errorf("exit %d", code)
	}
}

// Every metric that the dashboard asks for exists.
func TestDashboard(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "deploy", "grafana.json"))
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
		Templating struct{ List []struct{ Definition string } }
	}
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	url, stop := serving(t, pcap("errors"), pcap("transactions"))
	metrics := scraped(t, url)
	stop()
	for name := range regexpSet(`ksniff_\w+`, string(text)) {
		family := regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, "")
		if metrics[name] == nil && (metrics[family] == nil || metrics[family].GetType() != dto.MetricType_HISTOGRAM) {
			if name != "ksniff_faults_total" && name != "ksniff_unanswered_requests_total" { // there are none in these captures
				t.Errorf("no metric %s", name)
			}
		}
	}
	asked := 0
	for _, p := range board.Panels {
		for _, q := range p.Targets {
			if !strings.Contains(q.Expr, "ksniff_") || strings.Count(q.Expr, "(") != strings.Count(q.Expr, ")") || strings.Count(q.Expr, "{") != strings.Count(q.Expr, "}") {
				t.Errorf("%s: %s", p.Title, q.Expr)
			}
			asked++
		}
	}
	if asked < 20 {
		t.Errorf("only %d queries", asked)
	}
}

func regexpSet(pattern, text string) map[string]bool {
	set := map[string]bool{}
	for _, found := range regexp.MustCompile(pattern).FindAllString(text, -1) {
		set[found] = true
	}
	return set
}

func TestServeUsage(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	for _, c := range []struct {
		code int
		args []string
	}{
		{exitUsage, []string{"--most", "0", pcap("group")}},
		{exitUsage, []string{"--otlp", "localhost:4318", pcap("group")}},
		{exitUsage, nil},
		{exitIO, []string{"--listen", busy.Addr().String(), pcap("group")}},
		{exitIO, []string{"--listen", "127.0.0.1:0", "no/such.pcap"}},
	} {
		if _, errs := ksniff(t, c.code, append([]string{"serve"}, c.args...)...); errs == "" {
			t.Errorf("%v: no word", c.args)
		}
	}
}
