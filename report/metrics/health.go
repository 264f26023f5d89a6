package metrics

import (
	"runtime"
	"runtime/debug"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"ksniff/report"
)

// Health is how the capture goes: what those know who read, order and cut it. All counts begin with
// the capture.
type Health struct {
	Up          bool   // packets are still read
	Live        bool   // from an interface: Received, Dropped and Downs are known
	Received    uint64 // packets that passed the filter in the kernel, dropped ones included
	Dropped     uint64 // packets that the kernel dropped
	Downs       uint64 // times the interface went down and the capture went on
	Capture     report.Capture
	Ledger      report.Ledger
	Connections report.Connections
	Limits      report.Limits
}

// health is a collector of the last Health that was told.
type health struct{ now atomic.Pointer[Health] }

// Tell publishes how the capture goes. h must not be changed afterwards.
func (m *Metrics) Tell(h *Health) { m.health.now.Store(h) }

// Health is what Tell was last told, nil before.
func (m *Metrics) Health() *Health { return m.health.now.Load() }

// measure is one metric of Health: its values by the value of its label ("" where it has none).
type measure struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(h *Health, yield func(label string, value float64))
}

func one(get func(h *Health) float64) func(*Health, func(string, float64)) {
	return func(h *Health, yield func(string, float64)) { yield("", get(h)) }
}

func newMeasure(kind prometheus.ValueType, name, label, help string, value func(*Health, func(string, float64))) measure {
	var labels []string
	if label != "" {
		labels = []string{label}
	}
	return measure{prometheus.NewDesc(namespace+"_"+name, help, labels, nil), kind, value}
}

var measures = []measure{
	newMeasure(prometheus.GaugeValue, "capture_up", "", "1 while packets are read, 0 after the input ended.",
		one(func(h *Health) float64 { return number(h.Up) })),
	newMeasure(prometheus.CounterValue, "capture_packets_total", "", "Packets read.",
		one(func(h *Health) float64 { return float64(h.Capture.Packets) })),
	newMeasure(prometheus.CounterValue, "capture_bytes_total", "", "Captured bytes of all packets.",
		one(func(h *Health) float64 { return float64(h.Capture.Bytes) })),
	newMeasure(prometheus.CounterValue, "capture_cut_packets_total", "", "Packets that the snap length made shorter.",
		one(func(h *Health) float64 { return float64(h.Capture.Cut) })),
	newMeasure(prometheus.CounterValue, "capture_received_packets_total", "",
		"Packets that passed the filter in the kernel, dropped ones included; live captures only.",
		func(h *Health, yield func(string, float64)) {
			if h.Live {
				yield("", float64(h.Received))
			}
		}),
	newMeasure(prometheus.CounterValue, "capture_dropped_packets_total", "",
		"Packets that were lost while capturing, because the ring buffer was full: by the kernel or, of a capture file, as the file says.",
		one(func(h *Health) float64 { return float64(max(h.Dropped, uint64(h.Capture.Dropped))) })),
	newMeasure(prometheus.CounterValue, "capture_strained_packets_total", "",
		"Packets that were counted without looking into record sets, because ksniff could not keep up; live captures only.",
		func(h *Health, yield func(string, float64)) {
			if h.Live {
				yield("", float64(h.Capture.Strained))
			}
		}),
	newMeasure(prometheus.CounterValue, "capture_interface_downs_total", "", "Times that the interface went down; live captures only.",
		func(h *Health, yield func(string, float64)) {
			if h.Live {
				yield("", float64(h.Downs))
			}
		}),
	newMeasure(prometheus.CounterValue, "given_up_total", "what", "What ksniff itself gave up for its bound on memory (--memory).",
		func(h *Health, yield func(string, float64)) {
			l := &h.Limits
			yield("connections", float64(l.Connections))
			yield("gaps", float64(l.Gaps))
			yield("frames", float64(l.Unfinished))
			yield("requests", float64(l.Requests))
			yield("responses", float64(l.Responses))
			yield("topic_names", float64(l.Topics))
			yield("client_names", float64(l.Clients))
			yield("partitions", float64(l.Partitions))
		}),
	newMeasure(prometheus.CounterValue, "payload_bytes_total", "fate", "TCP payload, each stream byte once, by what became of it.",
		func(h *Health, yield func(string, float64)) {
			l := &h.Ledger
			yield("decoded", float64(l.Decoded))
			yield("undecodable", float64(l.Undecodable))
			yield("skipped", float64(l.Skipped))
			yield("encrypted", float64(l.Encrypted))
			yield("foreign", float64(l.Foreign))
			yield("pending", float64(l.Pending))
		}),
	newMeasure(prometheus.CounterValue, "gap_bytes_total", "", "Stream bytes that the capture lacks.",
		one(func(h *Health) float64 { return float64(h.Ledger.Gap) })),
	newMeasure(prometheus.CounterValue, "retransmitted_bytes_total", "", "Stream bytes that were captured again.",
		one(func(h *Health) float64 { return float64(h.Ledger.Retransmitted) })),
	newMeasure(prometheus.GaugeValue, "completeness_ratio", "",
		"Decoded share of what Kafka sent since the capture began: decoded / (payload - foreign - encrypted + gap).",
		one(func(h *Health) float64 { return h.Ledger.Completeness })),
	newMeasure(prometheus.CounterValue, "connections_total", "", "TCP connections with at least one byte of payload.",
		one(func(h *Health) float64 { return float64(h.Connections.Total) })),
	newMeasure(prometheus.CounterValue, "recognised_connections_total", "protocol", "TCP connections by what their bytes proved them to speak.",
		func(h *Health, yield func(string, float64)) {
			c := &h.Connections
			yield("modern", float64(c.Modern))
			yield("legacy", float64(c.Legacy))
			yield("tls", float64(c.TLS))
			yield("zookeeper", float64(c.ZooKeeper))
			yield("foreign", float64(c.Foreign))
		}),
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Describe implements prometheus.Collector.
func (*health) Describe(to chan<- *prometheus.Desc) {
	for i := range measures {
		to <- measures[i].desc
	}
}

// Collect implements prometheus.Collector.
func (c *health) Collect(to chan<- prometheus.Metric) {
	h := c.now.Load()
	if h == nil {
		return
	}
	for i := range measures {
		m := &measures[i]
		m.value(h, func(label string, value float64) {
			var labels []string
			if label != "" {
				labels = []string{label}
			}
			to <- prometheus.MustNewConstMetric(m.desc, m.kind, value, labels...)
		})
	}
}

// buildInfo is the usual metric with the value 1 that says which build runs.
func buildInfo() prometheus.Collector {
	version, revision := "unknown", "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.Main.Version
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = s.Value
			}
		}
	}
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: namespace, Name: "build_info", Help: "1, with the build in the labels.",
		ConstLabels: prometheus.Labels{"version": version, "revision": revision, "goversion": runtime.Version()},
	}, func() float64 { return 1 })
}
