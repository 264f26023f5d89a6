package report

import (
	"bufio"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ksniff/report/escape"
)

// CSV writes one line a topic (or a row of --by, or a topic and interval where there are series):
// exact numbers, an empty cell for what is not known, no cell that a spreadsheet takes for a formula.
func CSV(w io.Writer, p Page) error {
	c := &csvWriter{w: bufio.NewWriter(w)}
	p.csv(c)
	return c.w.Flush()
}

func (r *Result) csv(c *csvWriter) {
	switch {
	case r.Series != nil:
		c.series(r)
	case r.By != nil:
		c.rows(r)
	default:
		c.topics(r)
	}
}

type csvWriter struct {
	w    *bufio.Writer
	line []byte
}

// text adds a cell of text, number one that needs no care.
func (c *csvWriter) text(s string) {
	c.line = append(escape.CSV(c.line, s), ',')
}

func (c *csvWriter) number(s string) { c.line = append(append(c.line, s...), ',') }

func (c *csvWriter) end() {
	c.line[len(c.line)-1] = '\n'
	c.w.Write(c.line)
	c.line = c.line[:0]
}

// csvFlow are the columns of a Flow.
var csvFlow = []struct {
	name string
	cell func(*Flow) string
}{
	{"produce_requests", func(f *Flow) string { return whole(f.Produce.Requests) }},
	{"produce_batches", func(f *Flow) string { return whole(f.Produce.Batches) }},
	{"produce_messages", func(f *Flow) string { return whole(f.Produce.Messages) }},
	{"produce_bytes", func(f *Flow) string { return whole(f.Produce.Bytes) }},
	{"produce_uncompressed_bytes", func(f *Flow) string { return maybe(f.Produce.Uncompressed) }},
	{"produce_messages_per_second", func(f *Flow) string { return real(f.Produce.PerSecond) }},
	{"produce_bytes_per_second", func(f *Flow) string { return real(f.Produce.BytesPerSec) }},
	{"produce_codecs", func(f *Flow) string { return pairs(f.Produce.Codecs) }},
	{"produce_acks", func(f *Flow) string { return pairs(acksNamed(f.Produce.Acks)) }},
	{"produce_errors", func(f *Flow) string { return pairs(f.Produce.Errors) }},
	{"produce_latency_p50_ms", func(f *Flow) string { return quantile(f.Produce.Latency, f.Produce.Latency.P50) }},
	{"produce_latency_p95_ms", func(f *Flow) string { return quantile(f.Produce.Latency, f.Produce.Latency.P95) }},
	{"produce_latency_p99_ms", func(f *Flow) string { return quantile(f.Produce.Latency, f.Produce.Latency.P99) }},
	{"produce_latency_max_ms", func(f *Flow) string { return quantile(f.Produce.Latency, f.Produce.Latency.Max) }},
	{"produce_control_records", func(f *Flow) string { return whole(f.Produce.Control) }},
	{"fetch_requests", func(f *Flow) string { return whole(f.Fetch.Requests) }},
	{"fetch_batches", func(f *Flow) string { return whole(f.Fetch.Batches) }},
	{"fetch_messages", func(f *Flow) string { return whole(f.Fetch.Messages) }},
	{"fetch_bytes", func(f *Flow) string { return whole(f.Fetch.Bytes) }},
	{"fetch_uncompressed_bytes", func(f *Flow) string { return maybe(f.Fetch.Uncompressed) }},
	{"fetch_messages_per_second", func(f *Flow) string { return real(f.Fetch.PerSecond) }},
	{"fetch_bytes_per_second", func(f *Flow) string { return real(f.Fetch.BytesPerSec) }},
	{"fetch_codecs", func(f *Flow) string { return pairs(f.Fetch.Codecs) }},
	{"fetch_errors", func(f *Flow) string { return pairs(f.Fetch.Errors) }},
	{"fetch_latency_p50_ms", func(f *Flow) string { return quantile(f.Fetch.Latency, f.Fetch.Latency.P50) }},
	{"fetch_latency_p95_ms", func(f *Flow) string { return quantile(f.Fetch.Latency, f.Fetch.Latency.P95) }},
	{"fetch_latency_p99_ms", func(f *Flow) string { return quantile(f.Fetch.Latency, f.Fetch.Latency.P99) }},
	{"fetch_latency_max_ms", func(f *Flow) string { return quantile(f.Fetch.Latency, f.Fetch.Latency.Max) }},
	{"fetch_long_poll_p50_ms", func(f *Flow) string { return quantile(f.Fetch.LongPoll, f.Fetch.LongPoll.P50) }},
	{"fetch_long_poll_max_ms", func(f *Flow) string { return quantile(f.Fetch.LongPoll, f.Fetch.LongPoll.Max) }},
	{"fetch_control_records", func(f *Flow) string { return whole(f.Fetch.Control) }},
	{"fetch_replica_messages", func(f *Flow) string { return whole(f.Fetch.ReplicaMessages) }},
	{"fetch_replica_bytes", func(f *Flow) string { return whole(f.Fetch.ReplicaBytes) }},
}

func (c *csvWriter) heads(first ...string) {
	for _, name := range first {
		c.text(name)
	}
	for _, f := range csvFlow {
		c.text(f.name)
	}
	c.end()
}

func (c *csvWriter) flow(f *Flow) {
	for _, x := range csvFlow {
		c.number(x.cell(f))
	}
	c.end()
}

func (c *csvWriter) topics(r *Result) {
	c.heads("topic", "topic_id", "partitions")
	for i := range r.Topics {
		t := &r.Topics[i]
		c.text(t.Topic)
		c.text(orEmpty(t.TopicID))
		c.number(whole(t.Partitions))
		c.flow(&t.Flow)
	}
	if r.Other != nil && r.Other.Topics > 0 {
		c.text("(other)")
		c.text("")
		c.text("")
		c.flow(&r.Other.Flow)
	}
}

func (c *csvWriter) rows(r *Result) {
	names := slices.Clone(r.By)
	if slices.Contains(names, "topic") {
		names = append(names, "topic_id")
	}
	c.heads(append(names, "requests", "errors")...)
	for i := range r.Rows {
		row := &r.Rows[i]
		for _, name := range names {
			switch v := row.By[name].(type) {
			case int64:
				c.number(whole(v))
			case string:
				c.text(v)
			default:
				c.text("")
			}
		}
		c.number(whole(row.Requests))
		c.text(pairs(row.Errors))
		c.flow(&row.Flow)
	}
	if r.Other != nil && r.Other.Rows != nil {
		c.text("(other)")
		for range len(names) - 1 {
			c.text("")
		}
		c.number(whole(r.Other.Rows.Requests))
		c.text(pairs(r.Other.Rows.Errors))
		c.flow(&r.Other.Rows.Flow)
	}
}

func (c *csvWriter) series(r *Result) {
	for _, name := range []string{"time", "topic", "topic_id", "produce_messages", "produce_bytes", "fetch_messages", "fetch_bytes"} {
		c.text(name)
	}
	c.end()
	s := r.Series
	for i := range s.Total.ProduceBytes {
		at := (s.First + Time(float64(i)*s.Seconds*1e9)).String()
		for _, t := range s.Topics {
			cells := [4]int64{t.ProduceMessages[i], t.ProduceBytes[i], t.FetchMessages[i], t.FetchBytes[i]}
			if cells == [4]int64{} {
				continue
			}
			c.number(at)
			name := "(other)"
			if t.Topic != nil {
				name = *t.Topic
			}
			c.text(name)
			c.text(orEmpty(t.TopicID))
			for _, n := range cells {
				c.number(whole(n))
			}
			c.end()
		}
	}
}

func whole(n int64) string { return strconv.FormatInt(n, 10) }

func maybe(n *int64) string {
	if n == nil {
		return ""
	}
	return whole(*n)
}

func real(f *float64) string {
	if f == nil {
		return ""
	}
	return strconv.FormatFloat(*f, 'f', -1, 64)
}

func quantile(l Latency, ms float64) string {
	if l.Count == 0 {
		return ""
	}
	return real(&ms)
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// pairs writes counts by name: lz4=2 none=1. The names are ours.
func pairs(m map[string]int64) string {
	var s []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		s = append(s, name+"="+whole(m[name]))
	}
	return strings.Join(s, " ")
}
