package metrics

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	otlp "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/proto"

	"ksniff/decode"
	"ksniff/decode/schema"
	"ksniff/reassembly"
	"ksniff/reassembly/session"
	"ksniff/report"
)

// exchange is a Produce request for a topic with one batch of n messages in 100 bytes, and its response 3 ms later.
func exchange(topic, client string, n int64, errorCode int16) (request, response *session.Frame) {
	t, c := &session.Topic{Name: topic}, &session.Client{ID: client}
	q := &session.Request{Key: 0, Version: 9, Generation: session.Modern, Client: c, Acks: -1, MaxWait: -1, MinBytes: -1, Replica: -1,
		Topics: []*session.Topic{t}, Time: 1e9}
	sets := session.Records{Bytes: 100, Batches: 1, Messages: n, Uncompressed: -1}
	frame := func(kind decode.Kind, at int64, part session.Part) *session.Frame {
		return &session.Frame{
			Frame:      reassembly.Frame{Length: 146, Last: reassembly.Moment{Time: at}},
			Generation: session.Modern, Kind: kind, API: schema.Lookup(0), Version: 9, HasHeader: true, Client: c, Request: q,
			Parts: []session.Part{part}, Throttle: -1,
		}
	}
	request = frame(decode.Request, 1e9, session.Part{Topic: t, Offset: -1, HighWatermark: -1, Sets: sets})
	return request, frame(decode.Response, 1e9+3e6, session.Part{Topic: t, Error: errorCode, Offset: -1, HighWatermark: -1})
}

func send(m *Metrics, topic, client string, n int64, errorCode int16) {
	q, a := exchange(topic, client, n, errorCode)
	m.Frame(q)
	m.Frame(a)
}

// value is that of the series with the given labels (name, value, name, value, …); -1 where there is none.
func value(t *testing.T, m *Metrics, name string, labels ...string) float64 {
	t.Helper()
	families, err := m.Gatherer().Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, one := range f.Metric {
			if f.GetName() == name && labelled(one, labels) {
				switch {
				case one.Counter != nil:
					return one.Counter.GetValue()
				case one.Histogram != nil:
					return float64(one.Histogram.GetSampleCount())
				}
				return one.Gauge.GetValue()
			}
		}
	}
	return -1
}

func labelled(one *dto.Metric, want []string) bool {
	has := map[string]string{}
	for _, l := range one.Label {
		has[l.GetName()] = l.GetValue()
	}
	for i := 0; i < len(want); i += 2 {
		if got, ok := has[want[i]]; !ok || got != want[i+1] {
			return false
		}
	}
	return true
}

func TestCounts(t *testing.T) {
	m := New(Config{})
	send(m, "orders", "app", 5, 0)
	send(m, "orders", "app", 7, 6)
	for _, c := range []struct {
		want   float64
		name   string
		labels []string
	}{
		{12, "ksniff_topic_messages_total", []string{"topic", "orders", "direction", "produce"}},
		{200, "ksniff_topic_bytes_total", []string{"topic", "orders", "direction", "produce"}},
		{2, "ksniff_topic_batches_total", []string{"topic", "orders", "direction", "produce"}},
		{2, "ksniff_topic_requests_total", []string{"topic", "orders", "direction", "produce"}},
		{1, "ksniff_topic_errors_total", []string{"topic", "orders", "error", "NOT_LEADER_OR_FOLLOWER"}},
		{2, "ksniff_topic_latency_seconds", []string{"topic", "orders", "direction", "produce"}},
		{12, "ksniff_client_messages_total", []string{"client_id", "app", "direction", "produce"}},
		{1, "ksniff_client_errors_total", []string{"client_id", "app", "error", "NOT_LEADER_OR_FOLLOWER"}},
		{2, "ksniff_api_requests_total", []string{"api", "Produce", "version", "9"}},
		{2, "ksniff_api_responses_total", []string{"api", "Produce"}},
		{300, "ksniff_api_frame_bytes_total", []string{"api", "Produce", "kind", "request"}},
		{1, "ksniff_api_errors_total", []string{"api", "Produce", "error", "NOT_LEADER_OR_FOLLOWER"}},
		{-1, "ksniff_topic_bytes_total", []string{"topic", "orders", "direction", "fetch"}},
		{1, "ksniff_build_info", nil},
	} {
		if got := value(t, m, c.name, c.labels...); got != c.want {
			t.Errorf("%s%v = %v, want %v", c.name, c.labels, got, c.want)
		}
	}
}

// The first two topics and clients have their own label values, all others share one, and nothing is lost.
func TestCap(t *testing.T) {
	m := New(Config{Most: 2})
	for i, name := range []string{"a", "b", "c", "d", "a", "c"} {
		send(m, name, "client-"+name, int64(i+1), 0)
	}
	for label, want := range map[string]float64{"a": 1 + 5, "b": 2, Other: 3 + 4 + 6, "c": -1} {
		if got := value(t, m, "ksniff_topic_messages_total", "topic", label); got != want {
			t.Errorf("topic %s: %v messages, want %v", label, got, want)
		}
		if label != Other {
			label = "client-" + label
		}
		if got := value(t, m, "ksniff_client_messages_total", "client_id", label); got != want {
			t.Errorf("client %s: %v messages, want %v", label, got, want)
		}
	}
}

func TestUnknownNumbersShareALabel(t *testing.T) {
	m := New(Config{})
	for code := int16(1000); code < 3000; code++ {
		send(m, "t", "c", 1, code)
	}
	if got := value(t, m, "ksniff_topic_errors_total", "topic", "t", "error", Other); got != 2000 {
		t.Errorf("%v unknown errors, want 2000", got)
	}
	q, _ := exchange("t", "c", 1, 0)
	q.Version = 999
	m.Frame(q)
	if got := value(t, m, "ksniff_api_requests_total", "api", "Produce", "version", Other); got != 1 {
		t.Errorf("%v requests of unknown versions, want 1", got)
	}
}

// A topic whose id has no name yet goes by its id, in Kafka's text form: 16 zero bytes but the last, which is 1.
func TestTopicID(t *testing.T) {
	m := New(Config{})
	q, _ := exchange("", "c", 4, 0)
	q.Parts[0].Topic.ID[15] = 1
	m.Frame(q)
	if got := value(t, m, "ksniff_topic_messages_total", "topic", "AAAAAAAAAAAAAAAAAAAAAQ"); got != 4 {
		t.Errorf("%v messages by id, want 4", got)
	}
	m.Overflow(q.Parts[0].Topic)
	m.Frame(q)
	if got := value(t, m, "ksniff_topic_messages_total", "topic", Other); got != 4 {
		t.Errorf("%v messages of topics that the session could not keep apart, want 4", got)
	}
}

// Counts stay where they were when the name is learnt: no series jumps, none goes back, and the sum is true.
func TestTopicIDThatGetsAName(t *testing.T) {
	m := New(Config{})
	q, _ := exchange("", "c", 4, 0)
	topic := q.Parts[0].Topic
	topic.ID[15] = 1
	const id = "AAAAAAAAAAAAAAAAAAAAAQ"
	m.Frame(q)
	if got := value(t, m, "ksniff_topic_id_info", "topic", id); got != -1 {
		t.Errorf("the name of an id is told before it was learnt: %v", got)
	}
	topic.Name = "orders"
	m.Frame(q)
	m.Frame(q)
	for name, want := range map[string]float64{id: 4, "orders": 8} {
		if got := value(t, m, "ksniff_topic_messages_total", "topic", name); got != want {
			t.Errorf("%v messages of %s, want %v", got, name, want)
		}
	}
	if got := value(t, m, "ksniff_topic_id_info", "topic", id, "name", "orders"); got != 1 {
		t.Errorf("the id's name is told %v times", got)
	}
}

func TestLabelsFromTheWire(t *testing.T) {
	hostile := []string{"\xff\xfe", "a\nb\"}\\", "\x1b[2J", strings.Repeat("long", 9000), "other", "\u202eevil", ""}
	m := New(Config{})
	for _, name := range hostile {
		send(m, name, name, 1, 0)
	}
	body := scrape(t, m)
	if !utf8.ValidString(body) {
		t.Error("the exposition is not UTF-8")
	}
	for _, bad := range []string{"\x1b", "\u202e", strings.Repeat("long", 60)} {
		if strings.Contains(body, bad) {
			t.Errorf("the exposition has %q", bad)
		}
	}
	if got := value(t, m, "ksniff_topic_messages_total", "topic", `\other`); got != 1 {
		t.Error("a topic that is called other is not told from what the cap left out")
	}
	if got := value(t, m, "ksniff_topic_messages_total", "topic", `\xff\xfe`); got != 1 {
		t.Error("a name that is no UTF-8 is not there")
	}
}

func scrape(t *testing.T, m *Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != 200 {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	return w.Body.String()
}

// Names and types follow Prometheus' conventions.
func TestLint(t *testing.T) {
	m := New(Config{})
	send(m, "t", "c", 1, 6)
	q, _ := exchange("t", "c", 1, 0)
	m.Unanswered(nil, q.Request, session.Lost)
	m.Tell(&Health{Up: true, Live: true})
	problems, err := promlint.New(bytes.NewBufferString(scrape(t, m))).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

func TestHealth(t *testing.T) {
	m := New(Config{})
	get := func() (int, string) {
		w := httptest.NewRecorder()
		m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/healthz", nil))
		return w.Code, w.Body.String()
	}
	if code, _ := get(); code != http.StatusServiceUnavailable {
		t.Errorf("before the capture: %d", code)
	}
	h := &Health{Up: true, Live: true, Received: 10, Dropped: 3, Capture: report.Capture{Strained: 7}, Ledger: report.Ledger{TCPPayload: 100, Decoded: 80, Skipped: 20, Gap: 60, Completeness: .5}}
	m.Tell(h)
	if code, body := get(); code != 200 || body != "ok\n" {
		t.Errorf("while capturing: %d %q", code, body)
	}
	for name, want := range map[string]float64{"capture_received_packets_total": 10, "capture_dropped_packets_total": 3, "capture_strained_packets_total": 7, "gap_bytes_total": 60,
		"completeness_ratio": .5, "capture_up": 1} {
		if got := value(t, m, "ksniff_"+name); got != want {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
	if got := value(t, m, "ksniff_payload_bytes_total", "fate", "skipped"); got != 20 {
		t.Errorf("skipped = %v, want 20", got)
	}
	m.Tell(&Health{})
	if code, body := get(); code != 200 || !strings.Contains(body, "ended") {
		t.Errorf("after the capture: %d %q", code, body)
	}
}

// What OTLP carries is what Prometheus scrapes.
func TestOTLP(t *testing.T) {
	var got otlp.MetricsData
	var header http.Header
	var path string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		header, path = r.Header, r.URL.Path
		if err := proto.Unmarshal(body, &got); err != nil {
			w.WriteHeader(http.StatusBadRequest)
		}
	}))
	defer server.Close()
	m := New(Config{})
	send(m, "orders", "app", 5, 0)
	send(m, "orders", "app", 7, 0)
	e, err := NewExporter(m.Gatherer(), server.URL, "authorization=Basic%20eA, x-tenant=one")
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Push(context.Background()); err != nil {
		t.Fatal(err)
	}
	if path != "/v1/metrics" || header.Get("Content-Type") != "application/x-protobuf" || header.Get("Authorization") != "Basic eA" || header.Get("X-Tenant") != "one" {
		t.Errorf("%s %v", path, header)
	}
	seen := 0
	for _, metric := range got.ResourceMetrics[0].ScopeMetrics[0].Metrics {
		switch metric.Name {
		case "ksniff_topic_messages_total":
			p := metric.GetSum().DataPoints[0]
			if p.GetAsDouble() != 12 || !metric.GetSum().IsMonotonic || p.StartTimeUnixNano == 0 || p.TimeUnixNano < p.StartTimeUnixNano {
				t.Errorf("messages: %v", metric)
			}
			seen++
		case "ksniff_topic_latency_seconds": // 3 ms twice: the fourth bucket, up to 5 ms
			p := metric.GetHistogram().DataPoints[0]
			if p.Count != 2 || len(p.BucketCounts) != len(p.ExplicitBounds)+1 || p.BucketCounts[3] != 2 || p.ExplicitBounds[3] != .005 || metric.Unit != "s" {
				t.Errorf("latency: %v", metric)
			}
			seen++
		}
	}
	if seen != 2 {
		t.Errorf("%d of 2 metrics arrived", seen)
	}
	server.Config.Handler = http.NotFoundHandler()
	if err := e.Push(context.Background()); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("a refused push: %v", err)
	}
	for _, bad := range []string{"", "localhost:4318", "ftp://x", "http://"} {
		if _, err := NewExporter(m.Gatherer(), bad, ""); err == nil {
			t.Errorf("%q was taken for a URL", bad)
		}
	}
}

// Scrapes run beside the capture (go test -race looks for conflicts), and see whole numbers.
func TestScrapeWhileCounting(t *testing.T) {
	m := New(Config{Most: 10})
	done := make(chan struct{})
	var scraping sync.WaitGroup
	scraping.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				scrape(t, m)
			}
		}
	})
	for i := range 2000 {
		send(m, "t"+string(rune('a'+i%26)), "c", 1, int16(i%3))
		m.Tell(&Health{Up: true})
	}
	close(done)
	scraping.Wait()
	if got := value(t, m, "ksniff_client_messages_total", "client_id", "c"); got != 2000 {
		t.Errorf("%v messages, want 2000", got)
	}
}

func TestNoAllocationPerFrame(t *testing.T) {
	m := New(Config{Most: 1})
	q, a := exchange("t", "c", 1, 6)
	beyond, _ := exchange("too many", "too many", 1, 0)
	frames := func() { m.Frame(q); m.Frame(a); m.Frame(beyond) }
	frames()
	if n := testing.AllocsPerRun(100, frames); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkFrame(b *testing.B) {
	m := New(Config{})
	q, a := exchange("t", "c", 1, 0)
	for b.Loop() {
		m.Frame(q)
		m.Frame(a)
	}
}
