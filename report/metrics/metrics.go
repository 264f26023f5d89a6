// Package metrics keeps what the frames of a capture say as Prometheus metrics, with a bounded number
// of label values, and hands them out by HTTP (Prometheus, OpenMetrics) and OTLP.
//
// A Metrics is updated by the goroutine that captures and may be read at any time by others: its
// counters are atomic, so a scrape never stops the capture.
package metrics

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"ksniff/decode"
	"ksniff/reassembly"
	"ksniff/reassembly/session"
	"ksniff/report"
)

// Config bounds a Metrics.
type Config struct {
	// Most is how many topics, and how many clients, have label values of their own; 0 is 200.
	Most int
	// Memory bounds what is remembered between frames, in bytes; 0 is 8 MiB.
	Memory int64
}

// Metrics is a session.Sink.
type Metrics struct {
	registry   *prometheus.Registry
	follow     *report.Follower
	topics     *table[subject]
	clients    *table[subject]
	apis       *table[api]
	most       int
	ids        map[[16]byte]*topicID // of topics that were counted while they had no name
	names      *prometheus.GaugeVec
	overflow   *session.Topic
	lastTopic  *session.Topic // the parts of a frame name one topic many times over
	last       *subject
	faults     counted
	unmatched  prometheus.Counter
	inferred   prometheus.Counter
	unanswered *prometheus.CounterVec
	health     health
}

// New makes an empty Metrics with a registry of its own.
func New(cfg Config) *Metrics {
	if cfg.Most <= 0 {
		cfg.Most = 200
	}
	m := &Metrics{registry: prometheus.NewRegistry(), follow: report.NewFollower(cfg.Memory), most: cfg.Most, ids: map[[16]byte]*topicID{}}
	r := registrar{m.registry}
	topics, clients, apis := r.subjects("topic", "topic"), r.subjects("client", "client_id"), r.apis()
	m.topics = newTable(cfg.Most, topics.subject)
	m.clients = newTable(cfg.Most, clients.subject)
	m.apis = newTable(mostAPIs, apis.api)
	m.names = r.gauge("topic_id_info", "1, with the name of a topic that was counted by its id before a response told the name.", "topic", "name")
	m.faults = counted{vec: r.counter("faults_total", "Faults of frames and of the record sets in them, by code (see ksniff report).", "code")}
	m.unmatched = r.counter("unmatched_responses_total", "Responses whose request was not seen.").WithLabelValues()
	m.inferred = r.counter("inferred_responses_total", "Responses without request whose bytes prove what they are.").WithLabelValues()
	m.unanswered = r.counter("unanswered_requests_total", "Requests that should have had a response but got none, by reason.", "reason")
	m.registry.MustRegister(&m.health, buildInfo())
	return m
}

const mostAPIs = 256 // more than there are; keys that no Kafka has share one

// Overflow tells the Topic that stands for all those that the session could not keep apart. Call it
// before the first frame.
func (m *Metrics) Overflow(t *session.Topic) { m.overflow = t }

// Gatherer gives all metrics, for any goroutine.
func (m *Metrics) Gatherer() prometheus.Gatherer { return m.registry }

// Frame counts a frame.
func (m *Metrics) Frame(f *session.Frame) {
	facts := m.follow.Frame(f)
	report.Faults(f, m.fault)
	m.lastTopic, m.last = nil, nil
	way := wayOf(f, &facts)
	if f.Kind == decode.Request {
		m.request(f, way)
	} else {
		m.response(f, way, &facts)
	}
	if way == produce && f.Kind == decode.Request || way != produce && f.Kind == decode.Response {
		m.records(f, way)
	}
}

// Unanswered counts a request that should have had a response.
func (m *Metrics) Unanswered(_ *reassembly.Conn, q *session.Request, why session.Why) {
	m.follow.Unanswered(q)
	if why != session.Silent && int(why) < len(reasons) {
		m.unanswered.WithLabelValues(reasons[why]).Inc()
	}
}

// Follow takes a frame that does not count, for what it tells of those that do.
func (m *Metrics) Follow(f *session.Frame) { m.follow.Frame(f) }

// Forget ends a request that does not count and gets no answer.
func (m *Metrics) Forget(q *session.Request) { m.follow.Unanswered(q) }

var reasons = [...]string{session.Closed: "closed", session.EOF: "eof", session.Lost: "lost", session.Full: "full"}

func (m *Metrics) fault(f *decode.Fault) { m.faults.of(int32(f.Code), f.Code.String).Inc() }

// way is which way a frame's API moves records.
type way uint8

const (
	produce way = iota
	fetch
	replicate // fetches of follower replicas: the same records once more
	neither
	ways
)

var wayNames = [ways]string{"produce", "fetch", "replicate", "other"}

func wayOf(f *session.Frame, facts *report.Facts) way {
	switch {
	case facts.Produces:
		return produce
	case facts.Fetches && f.Request != nil && f.Request.Replica >= 0:
		return replicate
	case facts.Fetches:
		return fetch
	}
	return neither
}

func (m *Metrics) request(f *session.Frame, w way) {
	if f.Token {
		return
	}
	a := m.api(f)
	a.request(f)
	m.client(f.Client).way(w).requests.Inc()
	if w == neither {
		return
	}
	if f.Request != nil {
		for _, t := range f.Request.Topics {
			m.topic(t).way(w).requests.Inc()
		}
		return
	}
	var last *session.Topic
	for i := range f.Parts {
		if t := f.Parts[i].Topic; t != last {
			m.topic(t).way(w).requests.Inc()
			last = t
		}
	}
}

func (m *Metrics) response(f *session.Frame, w way, facts *report.Facts) {
	switch {
	case f.Inferred:
		m.inferred.Inc()
	case f.Request == nil && !f.Token:
		m.unmatched.Inc()
	}
	if f.Token || f.Key < 0 {
		return
	}
	a := m.api(f)
	a.response(f, facts)
	q := f.Request
	var client *subjectWay
	if q != nil {
		client = m.client(q.Client).way(w)
		for _, code := range facts.Errors {
			client.error(f.Generation, code)
		}
	}
	if w == neither {
		return
	}
	if facts.Latency >= 0 && !facts.LongPoll {
		seconds := float64(facts.Latency) / 1e9
		client.latency.Observe(seconds)
		for _, t := range q.Topics {
			m.topic(t).way(w).latency.Observe(seconds)
		}
	}
	for i := range f.Parts {
		if p := &f.Parts[i]; p.Error != 0 {
			m.topic(p.Topic).way(w).error(f.Generation, p.Error)
		}
	}
}

// records counts the record sets of a frame.
func (m *Metrics) records(f *session.Frame, w way) {
	client := f.Client
	if client == nil && f.Request != nil {
		client = f.Request.Client
	}
	var sum session.Records
	for i := range f.Parts {
		sets := &f.Parts[i].Sets
		if sets.Bytes == 0 {
			continue
		}
		m.topic(f.Parts[i].Topic).way(w).records(sets)
		sum.Bytes += sets.Bytes
		sum.Batches += sets.Batches
		sum.Messages += sets.Messages
	}
	if sum.Bytes > 0 {
		m.client(client).way(w).records(&sum)
	}
}

func (m *Metrics) client(c *session.Client) *subject {
	if c == nil {
		return m.clients.of("")
	}
	return m.clients.of(c.ID)
}

func (m *Metrics) api(f *session.Frame) *api {
	name := report.APIName(f)
	if name == "" {
		name = "unknown"
	}
	return m.apis.of(name)
}

func text(n int16) string { return strconv.Itoa(int(n)) }

var _ session.Sink = (*Metrics)(nil)
