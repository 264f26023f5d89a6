package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"ksniff/decode"
	"ksniff/decode/schema"
	"ksniff/reassembly/session"
	"ksniff/report"
)

const namespace = "ksniff"

// latencyBuckets are upper bounds in seconds, from a broker's page cache to request.timeout.ms.
var latencyBuckets = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}

// registrar makes metrics and registers them.
type registrar struct{ prometheus.Registerer }

func (r registrar) counter(name, help string, labels ...string) *prometheus.CounterVec {
	v := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
	r.MustRegister(v)
	return v
}

func (r registrar) gauge(name, help string, labels ...string) *prometheus.GaugeVec {
	v := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, labels)
	r.MustRegister(v)
	return v
}

func (r registrar) histogram(name, help string, labels ...string) *prometheus.HistogramVec {
	v := prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: latencyBuckets}, labels)
	r.MustRegister(v)
	return v
}

// subjects are the metrics of topics or of clients; both have the same.
type subjects struct {
	requests, bytes, messages, batches, errors *prometheus.CounterVec
	latency                                    *prometheus.HistogramVec
}

func (r registrar) subjects(of, label string) *subjects {
	return &subjects{
		requests: r.counter(of+"_requests_total", "Requests, by "+of+" and direction; one that names several topics counts for each.", label, "direction"),
		bytes:    r.counter(of+"_bytes_total", "Bytes of record sets on the wire, by "+of+" and direction.", label, "direction"),
		messages: r.counter(of+"_messages_total", "Records in whole batches, without control records, by "+of+" and direction.", label, "direction"),
		batches:  r.counter(of+"_batches_total", "Record batches, by "+of+" and direction.", label, "direction"),
		errors:   r.counter(of+"_errors_total", "Error codes in responses, by "+of+", direction and error.", label, "direction", "error"),
		latency: r.histogram(of+"_latency_seconds", "Time from request to response of Produce and Fetch as captured, long polls left out, by "+of+" and direction.",
			label, "direction"),
	}
}

// subject is one topic or client, or all those that have no label value of their own.
type subject struct {
	of    *subjects
	label string
	ways  [ways]*subjectWay
}

func (s *subjects) subject(label string) *subject { return &subject{of: s, label: label} }

// subjectWay are the series of a subject in one direction; there are none before there is something to count.
type subjectWay struct {
	requests, bytes, messages, batches prometheus.Counter
	latency                            prometheus.Observer
	errors                             counted
}

func (s *subject) way(w way) *subjectWay {
	if s.ways[w] == nil {
		s.ways[w] = s.begin(w)
	}
	return s.ways[w]
}

func (s *subject) begin(w way) *subjectWay {
	name := wayNames[w]
	sw := &subjectWay{
		requests: s.of.requests.WithLabelValues(s.label, name),
		errors:   counted{vec: s.of.errors, labels: []string{s.label, name}},
	}
	if w != neither { // others move no records, and take as long as what they wait for
		sw.bytes = s.of.bytes.WithLabelValues(s.label, name)
		sw.messages = s.of.messages.WithLabelValues(s.label, name)
		sw.batches = s.of.batches.WithLabelValues(s.label, name)
		sw.latency = s.of.latency.WithLabelValues(s.label, name)
	}
	return sw
}

func (s *subjectWay) records(r *session.Records) {
	s.bytes.Add(float64(r.Bytes))
	s.messages.Add(float64(r.Messages))
	s.batches.Add(float64(r.Batches))
}

func (s *subjectWay) error(g session.Generation, code int16) { s.errors.error(g, code) }

// apis are the metrics of APIs.
type apis struct {
	requests, responses, bytes, errors *prometheus.CounterVec
	latency, poll                      *prometheus.HistogramVec
}

func (r registrar) apis() *apis {
	return &apis{
		requests:  r.counter("api_requests_total", "Requests, by API and its version; legacy APIs are in capitals and have no version.", "api", "version"),
		responses: r.counter("api_responses_total", "Responses, by API.", "api"),
		bytes:     r.counter("api_frame_bytes_total", "Bytes of whole frames with their length words, by API and kind.", "api", "kind"),
		errors:    r.counter("api_errors_total", "Error codes in responses, by API and error.", "api", "error"),
		latency:   r.histogram("api_latency_seconds", "Time from request to response as captured, long polls left out, by API.", "api"),
		poll:      r.histogram("api_long_poll_seconds", "Time from request to response of Fetches that may have waited for data, by API.", "api"),
	}
}

// api are the series of one API.
type api struct {
	of              *apis
	label           string
	versions        counted
	responses       prometheus.Counter
	asked, answered prometheus.Counter // bytes
	errors          counted
	latency, poll   prometheus.Observer // made at the first value
}

func (a *apis) api(label string) *api {
	return &api{
		of: a, label: label,
		versions:  counted{vec: a.requests, labels: []string{label}},
		errors:    counted{vec: a.errors, labels: []string{label}},
		responses: a.responses.WithLabelValues(label),
		asked:     a.bytes.WithLabelValues(label, decode.Request.String()),
		answered:  a.bytes.WithLabelValues(label, decode.Response.String()),
	}
}

func (a *api) request(f *session.Frame) {
	version := f.Version
	a.versions.of(int32(version), func() string {
		switch {
		case f.Generation != session.Modern || version < 0:
			return ""
		case f.API == nil || !f.API.Versions().Has(version):
			return Other
		}
		return text(version)
	}).Inc()
	a.asked.Add(float64(4 + f.Length))
}

func (a *api) response(f *session.Frame, facts *report.Facts) {
	a.responses.Inc()
	a.answered.Add(float64(4 + f.Length))
	for _, code := range facts.Errors {
		a.errors.error(f.Generation, code)
	}
	if facts.Latency < 0 {
		return
	}
	seconds := float64(facts.Latency) / 1e9
	if facts.LongPoll {
		if a.poll == nil {
			a.poll = a.of.poll.WithLabelValues(a.label)
		}
		a.poll.Observe(seconds)
		return
	}
	if a.latency == nil {
		a.latency = a.of.latency.WithLabelValues(a.label)
	}
	a.latency.Observe(seconds)
}

// counted are counters that differ in their last label, found by a small number.
type counted struct {
	vec    *prometheus.CounterVec
	labels []string // those before the last
	byCode map[int32]prometheus.Counter
}

// of finds a counter; name gives the label value of a new one.
func (c *counted) of(code int32, name func() string) prometheus.Counter {
	if counter := c.byCode[code]; counter != nil {
		return counter
	}
	if c.byCode == nil {
		c.byCode = map[int32]prometheus.Counter{}
	}
	if len(c.byCode) >= mostCodes {
		return c.vec.WithLabelValues(append(c.labels[:len(c.labels):len(c.labels)], Other)...)
	}
	counter := c.vec.WithLabelValues(append(c.labels[:len(c.labels):len(c.labels)], name())...)
	c.byCode[code] = counter
	return counter
}

const mostCodes = 256

// legacyErrors sets legacy error codes, which mean other things, apart from those of Kafka.
const legacyErrors = 1 << 20

func (c *counted) error(g session.Generation, code int16) {
	known, key := schema.LookupError(code), int32(code)
	if g == session.Legacy {
		known, key = schema.LookupLegacyError(code), legacyErrors+int32(code)
	}
	if known == nil {
		key = legacyErrors * 2 // codes that no Kafka has share one
	}
	c.of(key, func() string {
		if known == nil {
			return Other
		}
		return known.Name
	}).Inc()
}
