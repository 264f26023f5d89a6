package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"ksniff/decode"
	"ksniff/decode/schema"
	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

const ms = int64(1e6)

var (
	produceAPI = &schema.API{Key: 0, Name: "Produce"}
	fetchAPI   = &schema.API{Key: 1, Name: "Fetch"}
)

func newReport(t testing.TB, cfg Config) *Report {
	t.Helper()
	r, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func part(t *session.Topic, partition int32, messages, bytes int64, codec int) session.Part {
	p := session.Part{Topic: t, Partition: partition, Offset: -1, HighWatermark: -1}
	p.Sets = session.Records{Bytes: bytes, Batches: 1, Messages: messages, Uncompressed: -1}
	p.Sets.Codecs[codec] = 1
	return p
}

// frame makes one at a time in milliseconds.
func frame(kind decode.Kind, api *schema.API, version int16, at int64, q *session.Request, parts ...session.Part) *session.Frame {
	f := &session.Frame{Generation: session.Modern, Kind: kind, API: api, Key: api.Key, Version: version, Request: q, Parts: parts, HasHeader: true}
	f.Conn = &reassembly.Conn{ID: 1}
	f.Last.Time = at * ms
	if q != nil {
		f.Client = q.Client
	}
	return f
}

func request(c *session.Client, at int64, acks int16, topics ...*session.Topic) *session.Request {
	return &session.Request{Client: c, Time: at * ms, Acks: acks, MaxWait: -1, MinBytes: -1, Replica: -1, Topics: topics}
}

func result(r *Report) *Result {
	c := Capture{Packets: 9, Bytes: 900}
	c.Span(0, 2e9)
	return r.Result(Ledger{Completeness: 1}, Connections{Total: 1, Modern: 1}, c)
}

// A producer sends 3 + 4 messages to a and 5 to b; one partition is refused; a consumer gets 7 of a.
func traffic(r *Report) {
	a, b := &session.Topic{Name: "a"}, &session.Topic{Name: "b", ID: [16]byte{1}}
	writer := &session.Client{ID: "writer", Addr: [16]byte{10: 0xff, 11: 0xff, 12: 10, 15: 1}}
	reader := &session.Client{ID: "reader", Software: "x/1", Addr: [16]byte{15: 1}}
	q := request(writer, 0, -1, a, b)
	r.Frame(frame(decode.Request, produceAPI, 9, 0, q, part(a, 0, 3, 300, 3), part(a, 1, 4, 400, 3), part(b, 0, 5, 500, 0)))
	refused := session.Part{Topic: b, Partition: 0, Error: 6}
	r.Frame(frame(decode.Response, produceAPI, 9, 10, q, session.Part{Topic: a}, session.Part{Topic: a, Partition: 1}, refused))
	q = request(reader, 20, noAcks, a)
	q.MaxWait, q.MinBytes = 500, 1
	r.Frame(frame(decode.Request, fetchAPI, 12, 20, q, session.Part{Topic: a})) // offset 0 of the 3 just produced
	r.Frame(frame(decode.Response, fetchAPI, 12, 24, q, part(a, 0, 7, 700, 3)))
	q = request(reader, 30, noAcks, a) // through a fetch session: no part names the topic
	q.MaxWait, q.MinBytes = 500, 1
	r.Frame(frame(decode.Request, fetchAPI, 12, 30, q))
	r.Frame(frame(decode.Response, fetchAPI, 12, 530, q))
	r.Unanswered(nil, q, session.EOF)
	r.Unanswered(nil, q, session.Silent)
}

func TestSums(t *testing.T) {
	r := newReport(t, Config{})
	traffic(r)
	res := result(r)
	if len(res.Topics) != 2 || res.Topics[0].Topic != "a" || res.Topics[1].Topic != "b" {
		t.Fatalf("topics: %+v", res.Topics)
	}
	a, b := res.Topics[0], res.Topics[1]
	check := func(what string, got, want any) {
		t.Helper()
		if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
			t.Errorf("%s: %s, want %s", what, g, w)
		}
	}
	check("a produced", []int64{a.Produce.Requests, a.Produce.Batches, a.Produce.Messages, a.Produce.Bytes}, []int64{1, 2, 3 + 4, 300 + 400})
	check("a rate", *a.Produce.PerSecond, float64(3+4)/2)
	check("a codecs", a.Produce.Codecs, map[string]int64{"lz4": 2})
	check("a acks", a.Produce.Acks, map[string]int64{"-1": 1})
	check("a partitions", a.Partitions, 2)
	check("a latency", []float64{float64(a.Produce.Latency.Count), a.Produce.Latency.P50, a.Produce.Latency.Max}, []float64{1, 10, 10})
	check("a fetched", []int64{a.Fetch.Requests, a.Fetch.Batches, a.Fetch.Messages, a.Fetch.Bytes}, []int64{2, 1, 7, 700})
	check("a fetch latency", []float64{a.Fetch.Latency.Max, a.Fetch.LongPoll.Max}, []float64{4, 500})
	check("a uncompressed", a.Produce.Uncompressed == nil, true)
	check("b produced", []int64{b.Produce.Requests, b.Produce.Messages, b.Produce.Bytes}, []int64{1, 5, 500})
	check("b errors", b.Produce.Errors, map[string]int64{"NOT_LEADER_OR_FOLLOWER": 1})
	check("b id", *b.TopicID, "AQAAAAAAAAAAAAAAAAAAAA")
	check("totals", []int64{res.Totals.Produce.Requests, res.Totals.Produce.Messages, res.Totals.Fetch.Messages}, []int64{1, 3 + 4 + 5, 7})
	check("frames", []int64{res.Frames.Requests, res.Frames.Responses, res.Frames.Unanswered, res.Frames.Unmatched}, []int64{3, 3, 1, 0})
	check("clients", len(res.Clients), 2)
	check("reader", res.Clients[0], Client{"reader", "::1", "x/1", 2, []string{"a"}, false, false})
	check("writer", res.Clients[1].Address, "10.0.0.1")
	if res.Other != nil {
		t.Errorf("other: %+v", res.Other)
	}
}

// A name that comes late joins what came under its id.
func TestMergeByName(t *testing.T) {
	r := newReport(t, Config{})
	byID, byName := &session.Topic{ID: [16]byte{7}}, &session.Topic{Name: "a"}
	r.Frame(frame(decode.Request, produceAPI, 13, 0, nil, part(byID, 0, 2, 20, 0)))
	r.Frame(frame(decode.Request, produceAPI, 9, 0, nil, part(byName, 0, 3, 30, 0)))
	if res := result(r); len(res.Topics) != 2 || res.Topics[1].Topic != "" {
		t.Errorf("before: %+v", res.Topics)
	}
	byID.Name = "a"
	res := result(r)
	if len(res.Topics) != 1 || res.Topics[0].Produce.Messages != 2+3 || res.Topics[0].Partitions != 1 || res.Topics[0].TopicID == nil {
		t.Errorf("after: %+v", res.Topics)
	}
}

// Whatever the bound, the sums of all topics (or rows) and of other are the total.
func TestOther(t *testing.T) {
	for _, memory := range []int64{1, 5_000, 20_000, 1 << 20} {
		r := newReport(t, Config{Memory: memory, By: []string{"topic", "partition"}})
		var bytes int64
		for i := range 50 {
			topic := &session.Topic{Name: fmt.Sprint("topic-", i), Number: i + 1}
			c := &session.Client{ID: fmt.Sprint(i)}
			for p := range int32(3) {
				n := int64(i+1) * int64(p+1)
				bytes += n
				r.Frame(frame(decode.Request, produceAPI, 9, int64(i), request(c, 0, 1, topic), part(topic, p, 1, n, 0)))
			}
		}
		res := result(r)
		var topics, rows Produce
		for _, x := range res.Topics {
			topics.Bytes += x.Produce.Bytes
			topics.Messages += x.Produce.Messages
		}
		for _, x := range res.Rows {
			rows.Bytes += x.Produce.Bytes
		}
		if o := res.Other; o != nil {
			topics.Bytes += o.Produce.Bytes
			topics.Messages += o.Produce.Messages
			if int(o.Topics)+len(res.Topics) < 48 || int(o.Topics)+len(res.Topics) > 52 {
				t.Errorf("%d bytes: %d topics and %d others, not about 50", memory, len(res.Topics), o.Topics)
			}
			if o.Rows != nil {
				if n := int(o.Rows.Rows) + len(res.Rows); n < 145 || n > 155 {
					t.Errorf("%d bytes: %d rows and %d others, not about 150", memory, len(res.Rows), o.Rows.Rows)
				}
				rows.Bytes += o.Rows.Produce.Bytes
			}
		} else if memory < 1<<20 {
			t.Errorf("%d bytes: nothing left out", memory)
		}
		if topics.Bytes != bytes || rows.Bytes != bytes || topics.Messages != 150 || res.Totals.Produce.Bytes != bytes {
			t.Errorf("%d bytes: topics %d, rows %d, total %d, want %d", memory, topics.Bytes, rows.Bytes, res.Totals.Produce.Bytes, bytes)
		}
	}
}

func TestJSONNulls(t *testing.T) {
	var b bytes.Buffer
	r := newReport(t, Config{})
	r.Frame(frame(decode.Request, produceAPI, 9, 0, nil, part(&session.Topic{Name: "a\u009b\u202e<\x1b"}, 0, 1, 1, 0)))
	if err := JSON(&b, r.Result(Ledger{Completeness: 1}, Connections{}, Capture{})); err != nil {
		t.Fatal(err)
	}
	for _, c := range []string{"\x1b", "\u009b", "\u202e"} {
		if bytes.Contains(b.Bytes(), []byte(c)) {
			t.Errorf("%q in the output", c)
		}
	}
	var doc struct {
		Capture struct{ First, Last any }
		Topics  []struct {
			Topic   string
			ID      any `json:"topic_id"`
			Produce map[string]any
		}
	}
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	p := doc.Topics[0].Produce
	if doc.Topics[0].Topic != "a\u009b\u202e<\x1b" || doc.Topics[0].ID != nil || p["uncompressed_bytes"] != nil || p["messages_per_second"] != nil || doc.Capture.First != nil {
		t.Errorf("%s", b.Bytes())
	}
	if l, ok := p["latency_ms"].(map[string]any); !ok || len(l) != 0 {
		t.Errorf("latency_ms: %v", p["latency_ms"])
	}
}

func TestNoAllocations(t *testing.T) {
	for _, cfg := range []Config{{}, {By: Dimensions}, {Auto: true}} {
		r := newReport(t, cfg)
		in, out := steady()
		like := [2]session.Like{}
		one, answered := frame(decode.Request, produceAPI, 9, 0, in.Request, part(in.Parts[0].Topic, 1, 10, 1000, 1)), frame(decode.Response, produceAPI, 9, 1, in.Request, session.Part{Topic: in.Parts[0].Topic})
		one.Request = request(in.Client, 0, 1, in.Parts[0].Topic)
		answered.Request, one.Like, answered.Like = one.Request, &like[0], &like[1]
		n := testing.AllocsPerRun(100, func() {
			r.Frame(in)
			r.Frame(out)
			r.Frame(one)
			r.Frame(answered)
		})
		if n != 0 {
			t.Errorf("%+v: %v allocations per exchange", cfg, n)
		}
	}
}

// steady is an exchange of ten partitions of two topics.
func steady() (in, out *session.Frame) {
	a, b := &session.Topic{Name: "a"}, &session.Topic{Name: "b"}
	q := request(&session.Client{ID: "c"}, 0, noAcks, a, b)
	in, out = frame(decode.Request, fetchAPI, 12, 0, q), frame(decode.Response, fetchAPI, 12, 1, q)
	for i := range int32(10) {
		topic := a
		if i >= 5 {
			topic = b
		}
		in.Parts = append(in.Parts, session.Part{Topic: topic, Partition: i})
		out.Parts = append(out.Parts, part(topic, i, 10, 1000, 1))
	}
	return in, out
}

func BenchmarkPart(b *testing.B) {
	for _, cfg := range []Config{{}, {By: []string{"topic", "partition"}}, {Auto: true}} {
		b.Run(fmt.Sprint(cfg.By, cfg.Auto), func(b *testing.B) {
			r := newReport(b, cfg)
			_, out := steady()
			b.ReportAllocs()
			for b.Loop() {
				r.Frame(out)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(out.Parts)), "ns/part")
		})
	}
}

// A Result stands while the Report goes on, and two runs give the same.
func TestResultStands(t *testing.T) {
	doc := func(res *Result) string {
		var b bytes.Buffer
		if err := JSON(&b, res); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	cfg := Config{By: []string{"topic", "client"}, Auto: true, Deep: true}
	r, other := newReport(t, cfg), newReport(t, cfg)
	traffic(r)
	traffic(other)
	res := result(r)
	before := doc(res)
	if again := doc(result(other)); again != before {
		t.Error("two runs differ")
	}
	traffic(r)
	hostile(r)
	if doc(res) != before {
		t.Error("a result changed while the report went on")
	}
}
