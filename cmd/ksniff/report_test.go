package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// What brokers and clients counted themselves (pcaps/README.md).
func TestReportCounts(t *testing.T) {
	for _, c := range []struct {
		capture, topic           string
		produced, bytes, fetched int64 // -1: not known
	}{
		{"legacy", "ga", 240, -1, 480},
		{"legacy", "gb", 240, -1, 480},
		{"kafka-0.8", "old-none", 50, -1, -1},
		{"kafka-0.8", "gzip", 60, -1, -1},
		{"kafka-0.8", "none", 90, -1, -1},
		{"fetch-sessions", "few", 10, -1, -1},
		{"fetch-sessions", "many", 85, -1, -1},
		{"group", "group-kip848-java", 553, 132659, 553},
		{"sasl", "sasl-v0", 123, 29538, -1},
		{"transactions", "tx-a", 217, -1, -1},
		{"transactions", "tx-b", 119, -1, -1},
		{"transactions", "tx-out", 240, -1, -1},
		{"errors", "err-ok", 55, -1, -1},
	} {
		found := false
		for _, topic := range reported(t, "--deep", pcap(c.capture)).Topics {
			if topic.Topic != c.topic {
				continue
			}
			found = true
			p, f := topic.Produce, topic.Fetch
			if p.Messages != c.produced || c.bytes >= 0 && p.Bytes != c.bytes || c.fetched >= 0 && f.Messages != c.fetched {
				t.Errorf("%s %s: produced %d messages, %d bytes, fetched %d; want %d, %d, %d", c.capture, c.topic,
					p.Messages, p.Bytes, f.Messages, c.produced, c.bytes, c.fetched)
			}
			if p.Uncompressed == nil {
				t.Errorf("%s %s: no uncompressed size in spite of --deep", c.capture, c.topic)
			}
		}
		if !found {
			t.Errorf("%s: no topic %s", c.capture, c.topic)
		}
	}
	for _, topic := range reported(t, pcap("quickstart")).Topics {
		if !strings.HasPrefix(topic.Topic, "__") && topic.Produce.Messages != 25 {
			t.Errorf("quickstart %s: %d messages, 25 were sent", topic.Topic, topic.Produce.Messages)
		}
	}
}

// Every byte has one fate, and topics, rows and what --top left out add up to the totals.
func TestReportAddsUp(t *testing.T) {
	files, err := os.ReadDir("../../pcaps")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name, ok := strings.CutSuffix(file.Name(), ".pcap")
		if !ok {
			continue
		}
		for _, by := range []string{"topic", "topic,partition", "client,api", "group", "connection", "error,topic", "client", "api", "error"} {
			r := reported(t, "--top", "2", "--by", by, pcap(name))
			l := r.Ledger
			if sum := l.Decoded + l.Undecodable + l.Skipped + l.Encrypted + l.Foreign + l.Pending; sum != l.Payload {
				t.Errorf("%s: fates add up to %d of %d bytes", name, sum, l.Payload)
			}
			var topics, rows [4]int64
			var asked, want asking
			add := func(to *[4]int64, f flowJSON) {
				for i, n := range []int64{f.Produce.Messages, f.Produce.Bytes, f.Fetch.Messages, f.Fetch.Bytes} {
					to[i] += n
				}
			}
			for _, x := range r.Topics {
				add(&topics, x.flowJSON)
			}
			for _, x := range r.Rows {
				add(&rows, x.flowJSON)
				asked.row(x.rowJSON)
			}
			if r.Other != nil {
				add(&topics, r.Other.flowJSON)
				if r.Other.Rows != nil {
					add(&rows, r.Other.Rows.flowJSON)
					asked.row(*r.Other.Rows)
				}
			}
			var total [4]int64
			add(&total, r.Totals)
			if topics != total || rows != total {
				t.Errorf("%s --by %s: topics %v, rows %v, total %v", name, by, topics, rows, total)
			}
			if strings.Contains(by, "topic") { // a request counts for each topic; errors are those of topics
				want.requests = asked.requests
				want.flow(r.Totals)
			} else {
				for _, a := range r.APIs {
					want.requests += a.Requests
					want.errors += values(a.Errors)
				}
				if n := r.Frames.Requests - r.Frames.TokenRequests; n != want.requests {
					t.Errorf("%s: APIs have %d requests of %d", name, want.requests, n)
				}
			}
			if asked != want {
				t.Errorf("%s --by %s: rows have requests and errors %v, total %v", name, by, asked, want)
			}
		}
	}
}

// asking counts what was asked and what failed.
type asking struct{ requests, errors int64 }

func (a *asking) row(r rowJSON) {
	a.requests += r.Requests
	a.errors += values(r.Errors)
}

func (a *asking) flow(f flowJSON) { a.errors += values(f.Produce.Errors) + values(f.Fetch.Errors) }

func values(m map[string]int64) (n int64) {
	for _, x := range m {
		n += x
	}
	return n
}

// All error codes of an answer count, whatever their field is called, each once, with the topics that they are
// about. As tshark and the clients' own logs have them.
func TestReportAllErrorsOnce(t *testing.T) {
	for _, c := range []struct {
		capture, api, name string
		n                  int64
		topics             string
	}{
		{"transactions", "AddPartitionsToTxn", "CONCURRENT_TRANSACTIONS", 2, "[tx-a]"}, // PartitionErrorCode
		{"legacy-errors", "FETCH", "WRONG_PARTITION", 2, "[]"},                         // the head's is the partition's
		{"legacy-errors", "FETCH", "OFFSET_OUT_OF_RANGE", 2, "[]"},
		{"errors", "Metadata", "INVALID_TOPIC_EXCEPTION", 1, "[bad topic!]"},
		{"errors", "Metadata", "UNKNOWN_TOPIC_OR_PARTITION", 23, "[no-such-topic no-such-topic-2]"},
	} {
		for _, a := range reported(t, pcap(c.capture)).APIs {
			if a.API == c.api && (a.Errors[c.name] != c.n || fmt.Sprint(a.ErrorTopics[c.name]) != c.topics) {
				t.Errorf("%s: %d × %s of %v, want %d of %s", c.capture, a.Errors[c.name], c.name, a.ErrorTopics[c.name], c.n, c.topics)
			}
		}
	}
}

// Raw tokens answer each other: none of them is an answer to nothing.
func TestReportTokensAreNoLostAnswers(t *testing.T) {
	f := reported(t, pcap("sasl")).Frames
	if f.Requests != 40 || f.Responses != 40 || f.TokenRequests != 4 || f.TokenResponses != 4 || f.Unmatched != 0 || f.Unanswered != 0 {
		t.Errorf("%+v", f)
	}
}

// Tables fit their terminal: 80, 100, 200 columns are tested in package report. A pipe gets whole names, and COLUMNS
// chooses columns.
func TestReportInAPipe(t *testing.T) {
	t.Setenv("COLUMNS", "")
	out, _ := ksniff(t, 0, "report", pcap("quickstart"))
	for _, must := range []string{"confluent-kafka-python/2.3.0-rdkafka-2.3.0", "  RATE", "sar-gzip sar-lz4 sar-none sar-snappy sar-zstd", "Left out: PARTS,"} {
		if !strings.Contains(out, must) || strings.ContainsAny(out, "\x1b…") {
			t.Errorf("no %s, or something is cut:\n%s", must, out)
		}
	}
	if wide, _ := ksniff(t, 0, "report", "--wide", pcap("quickstart")); strings.Contains(wide, "Left out") || !strings.Contains(wide, "  BATCHES") {
		t.Errorf("--wide leaves something out:\n%s", wide)
	}
	for _, width := range []int{80, 100, 160} {
		t.Setenv("COLUMNS", strconv.Itoa(width))
		out, _ := ksniff(t, 0, "report", pcap("quickstart"))
		for _, line := range strings.Split(out, "\n") {
			if utf8.RuneCountInString(line) > width {
				t.Errorf("%d of %d columns: %s", utf8.RuneCountInString(line), width, line)
			}
		}
		if strings.Contains(out, " PARTS ") != (width == 160) {
			t.Errorf("%d columns:\n%s", width, out)
		}
	}
}

func TestReportCSV(t *testing.T) {
	for _, args := range [][]string{{}, {"--by", "client,topic"}, {"--interval", "1s"}, {"--against", pcap("group")}} {
		out, _ := ksniff(t, 0, append([]string{"report", "-o", "csv", pcap("transactions")}, args...)...)
		lines, err := csv.NewReader(strings.NewReader(out)).ReadAll() // refuses lines of unequal length
		if err != nil || len(lines) < 3 {
			t.Errorf("%v: %d lines, %v", args, len(lines), err)
		}
	}
}

// What the page needs is in it.
func TestReportHTML(t *testing.T) {
	out, _ := ksniff(t, 0, "report", "-o", "html", pcap("transactions"))
	for _, bad := range []string{"<script src", "<link", "@import", "url("} {
		if strings.Contains(out, bad) {
			t.Errorf("the page loads something: %s", bad)
		}
	}
	for _, must := range []string{"uPlot", "tx-out", "const series = {", "prefers-color-scheme"} {
		if !strings.Contains(out, must) {
			t.Errorf("the page has no %s", must)
		}
	}
}

// The page draws its three charts in a real browser, if there is one.
func TestReportHTMLInABrowser(t *testing.T) {
	browser, err := exec.LookPath("chromium")
	if err != nil || testing.Short() {
		t.Skip("needs chromium, and some seconds")
	}
	for _, args := range [][]string{{pcap("transactions")}, {pcap("legacy")}, {pcap("quickstart"), "--by", "client,topic", "--top", "3"}} {
		out, _ := ksniff(t, 0, append([]string{"report", "-o", "html"}, args...)...)
		page := t.TempDir() + "/report.html"
		if err := os.WriteFile(page, []byte(out), 0o600); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		dom, err := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(), "--dump-dom", "file://"+page).Output()
		if err != nil {
			t.Skipf("the browser does not run here: %v", err)
		}
		if n := strings.Count(string(dom), "<canvas"); n != 3 {
			t.Errorf("%v: %d charts, want 3", args, n)
		}
	}
}

func TestReportAgainst(t *testing.T) {
	out, _ := ksniff(t, 0, "report", "-o", "json", pcap("transactions"), "--against", pcap("group"))
	var c struct {
		Schema string
		Topics []struct {
			Topic, State string
			Produce      struct{ Messages [2]int64 }
		}
	}
	if err := json.Unmarshal([]byte(out), &c); err != nil {
		t.Fatal(err)
	}
	got := map[string][2]int64{}
	for _, x := range c.Topics {
		got[x.State+" "+x.Topic] = x.Produce.Messages
	}
	want := map[string][2]int64{"gone group-kip848-java": {553, 0}, "new tx-a": {0, 217}}
	for k, w := range want {
		if got[k] != w || c.Schema != "ksniff.comparison.v1" {
			t.Errorf("%s: %v, want %v", k, got[k], w)
		}
	}
}

func TestReportUsage(t *testing.T) {
	for _, args := range [][]string{{"-o", "xml"}, {"--by", "colour"}, {"--by", "client,client"}, {"--sort", "colour"}, {"--top", "-1"}, {"--interval", "-1s"}} {
		if _, errs := ksniff(t, 2, append([]string{"report", pcap("group")}, args...)...); errs == "" {
			t.Errorf("%v: no word", args)
		}
	}
	if out, errs := ksniff(t, 3, "report", "no/such.pcap"); out != "" || !strings.Contains(errs, "no/such.pcap") {
		t.Errorf("missing file: %q, %q", out, errs)
	}
}

func TestReportGolden(t *testing.T) {
	for file, args := range map[string][]string{
		"report-quickstart.txt":   {pcap("quickstart")},
		"report-errors.txt":       {pcap("errors"), "--by", "client,error", "--sort", "errors"},
		"report-groups.txt":       {pcap("group"), "--by", "group,topic,partition", "--interval", "1s"},
		"report-transactions.md":  {pcap("transactions"), "-o", "md"},
		"report-legacy.csv":       {pcap("legacy"), "-o", "csv"},
		"report-transactions.txt": {pcap("transactions"), "--against", pcap("group")},
	} {
		golden(t, file, append([]string{"report"}, args...)...)
	}
}
