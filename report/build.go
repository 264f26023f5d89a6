package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"ksniff/reassembly/session"
)

// Result gives the sums so far. Ledger, connections and capture come from those who know them. The
// Report may go on afterwards.
func (r *Report) Result(ledger Ledger, connections Connections, capture Capture) *Result {
	if capture.Sources == nil {
		capture.Sources = []string{}
	}
	b := builder{r: r, seconds: capture.Seconds}
	res := &Result{
		Schema: Schema, Capture: capture, Ledger: ledger, Connections: connections,
		Frames: Frames{r.frames.requests, r.frames.responses, r.frames.unmatched, r.frames.unanswered, r.frames.inferred, map[string]int64{}},
		Totals: b.totals(), APIs: b.apis(), Clients: b.clients(), By: r.cfg.By,
	}
	for code, n := range r.faults {
		res.Frames.Faults[code.String()] += n
	}
	merged := b.merged()
	res.Topics = b.topics(merged)
	if r.rows.dims != 0 {
		res.Rows = b.rows()
	}
	if r.series.on && r.series.slots > 0 {
		res.Series = b.series(merged)
	}
	res.Other = b.other()
	return res
}

type builder struct {
	r       *Report
	seconds float64
}

func (b *builder) flow(f *flow) Flow { return Flow{b.produce(&f.produce), b.fetch(&f.fetch)} }

func (b *builder) totals() Flow {
	sum := b.r.total
	add := func(f *flow) {
		sum.produce.moved(&f.produce)
		sum.fetch.moved(&f.fetch)
	}
	sum.produce.errors, sum.fetch.errors = tally{}, tally{}
	for _, t := range b.r.topics.byTopic {
		add(&t.flow)
	}
	add(&b.r.topics.other.flow)
	return b.flow(&sum)
}

func (b *builder) produce(o *ops) Produce {
	p := Produce{
		Requests: o.requests, Batches: o.batches, Messages: o.messages, Bytes: o.bytes, Uncompressed: b.opened(o),
		PerSecond: b.rate(o.messages), BytesPerSec: b.rate(o.bytes), Codecs: codecs(o), Acks: map[string]int64{},
		Errors: named(&o.errors, errorName), Latency: latencyOf(o.prompt), Control: o.control,
	}
	for i, name := range []string{"-1", "0", "1", "other"} {
		if o.acks[i] != 0 {
			p.Acks[name] = o.acks[i]
		}
	}
	return p
}

func (b *builder) fetch(o *ops) Fetch {
	return Fetch{
		Requests: o.requests, Batches: o.batches, Messages: o.messages, Bytes: o.bytes, Uncompressed: b.opened(o),
		PerSecond: b.rate(o.messages), BytesPerSec: b.rate(o.bytes), Codecs: codecs(o),
		Errors: named(&o.errors, errorName), Latency: latencyOf(o.prompt), LongPoll: latencyOf(o.poll), Control: o.control,
		ReplicaRequests: o.replicaRequests, ReplicaMessages: o.replicaMessages, ReplicaBytes: o.replicaBytes,
	}
}

func (b *builder) opened(o *ops) *int64 {
	if !b.r.cfg.Deep || o.opaque > 0 {
		return nil
	}
	return &o.uncompressed
}

func (b *builder) rate(n int64) *float64 {
	if b.seconds <= 0 {
		return nil
	}
	rate := float64(n) / b.seconds
	return &rate
}

func codecs(o *ops) map[string]int64 {
	m := map[string]int64{}
	for i, n := range o.codecs {
		if n != 0 {
			m[codecNames[i]] = n
		}
	}
	return m
}

// latencyOf is empty where there is no value, or where memory was too short to keep them all.
func latencyOf(h *hist) Latency {
	if h == nil || h.n == 0 || h.lost > 0 {
		return Latency{}
	}
	ms := func(ns int64) float64 { return math.Round(float64(ns)/1e3) / 1e3 }
	return Latency{h.n, ms(h.quantile(.50)), ms(h.quantile(.95)), ms(h.quantile(.99)), ms(h.max)}
}

func (b *builder) apis() []API {
	list := []API{}
	for a := range b.r.apis.all {
		x := API{
			Generation: generationName(a.generation), Key: a.key, Requests: a.requests, Responses: a.responses,
			Versions: named(&a.versions, versionName), Errors: named(&a.errors, errorName),
			Latency: latencyOf(a.prompt), LongPoll: latencyOf(a.poll),
		}
		if name := a.name(); name != "" {
			x.API = &name
		}
		list = append(list, x)
	}
	return list
}

// topicSum is the aggregates of all Topics that turned out to have one name.
type topicSum struct {
	topic
	name string
	id   [16]byte
}

func (t *topicSum) idText() *string {
	if t.id == [16]byte{} {
		return nil
	}
	text := uuidText(t.id)
	return &text
}

// merged adds up topics by name (or by id, where there is no name), most bytes first.
func (b *builder) merged() []*topicSum {
	type key struct {
		name string
		id   [16]byte
	}
	sums := map[key]*topicSum{}
	for t, a := range b.r.topics.byTopic {
		k := key{}
		if t != nil {
			k = key{t.Name, t.ID}
		}
		if k.name != "" {
			k.id = [16]byte{}
		}
		s := sums[k]
		if s == nil {
			s = &topicSum{name: k.name, id: k.id}
			sums[k] = s
		}
		if t != nil && t.ID != [16]byte{} && (s.id == [16]byte{} || slices.Compare(t.ID[:], s.id[:]) > 0) {
			s.id = t.ID
		}
		s.merge(&a.flow)
		s.partitions.merge(&a.partitions)
		for i := range a.series {
			if i >= len(s.series) {
				s.series = append(s.series, cells{})
			}
			s.series[i].merge(&a.series[i])
		}
	}
	list := make([]*topicSum, 0, len(sums))
	for _, s := range sums {
		list = append(list, s)
	}
	slices.SortFunc(list, func(x, y *topicSum) int {
		return cmp.Or(
			cmp.Compare(y.produce.bytes+y.fetch.bytes, x.produce.bytes+x.fetch.bytes),
			cmp.Compare(y.produce.requests+y.fetch.requests, x.produce.requests+x.fetch.requests),
			cmp.Compare(x.name, y.name), slices.Compare(x.id[:], y.id[:]))
	})
	return list
}

func (b *builder) topics(sums []*topicSum) []Topic {
	list := []Topic{}
	for _, s := range sums {
		list = append(list, Topic{s.name, s.idText(), s.partitions.count(), b.flow(&s.flow)})
	}
	return list
}

func (b *builder) clients() []Client {
	list := []Client{}
	for k, a := range b.r.clients.byClient {
		c := Client{ClientID: k.ID, Address: addrText(k.Addr), Software: k.Software, Requests: a.requests, Topics: []string{}}
		for t := range a.topics {
			name := topicLabel(t)
			if name != "" && !slices.Contains(c.Topics, name) {
				c.Topics = append(c.Topics, name)
			}
		}
		slices.Sort(c.Topics)
		list = append(list, c)
	}
	slices.SortFunc(list, func(x, y Client) int {
		return cmp.Or(cmp.Compare(y.Requests, x.Requests), cmp.Compare(x.ClientID, y.ClientID), cmp.Compare(x.Address, y.Address),
			cmp.Compare(x.Software, y.Software))
	})
	return list
}

// topicLabel is a topic's name or, where it has none, its id.
func topicLabel(t *session.Topic) string {
	switch {
	case t == nil:
		return ""
	case t.Name != "" || t.ID == [16]byte{}:
		return t.Name
	}
	return uuidText(t.ID)
}

func (b *builder) other() *Other {
	r := b.r
	o := &Other{Topics: r.topics.left.count(), Clients: r.clients.left.count(), Flow: b.flow(&r.topics.other.flow)}
	if r.rows.left > 0 {
		o.Rows = &OtherRows{Rows: r.rows.left, Flow: b.flow(&r.rows.other.flow)}
	}
	if o.Topics == 0 && o.Clients == 0 && o.Rows == nil {
		return nil
	}
	return o
}

func (b *builder) rows() []Row {
	type entry struct {
		key string
		row Row
		sum *row
	}
	rows := map[string]*entry{}
	for k, a := range b.r.rows.byKey {
		by := b.r.rows.values(k)
		key := ""
		for _, name := range b.r.cfg.By {
			key += anyText(by[name]) + "\x00"
			if name == "topic" {
				key += anyText(by["topic_id"]) + "\x00"
			}
		}
		e := rows[key]
		if e == nil {
			e = &entry{key: key, row: Row{By: by}, sum: &row{}}
			rows[key] = e
		}
		e.sum.merge(a)
	}
	entries := make([]*entry, 0, len(rows))
	for _, e := range rows {
		e.row.Requests, e.row.Errors = e.sum.requests, named(&e.sum.errors, errorName)
		e.row.Latency, e.row.LongPoll = latencyOf(e.sum.latencies.prompt), latencyOf(e.sum.latencies.poll)
		e.row.Flow = b.flow(&e.sum.flow)
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(x, y *entry) int {
		bytes := func(e *entry) int64 { return e.row.Produce.Bytes + e.row.Fetch.Bytes }
		return cmp.Or(cmp.Compare(bytes(y), bytes(x)), cmp.Compare(y.row.Requests, x.row.Requests), cmp.Compare(x.key, y.key))
	})
	list := []Row{}
	for _, e := range entries {
		list = append(list, e.row)
	}
	return list
}

func anyText(v any) string {
	switch v := v.(type) {
	case string:
		return "s" + v
	case int64:
		return strconv.FormatInt(v, 10)
	}
	return ""
}

func (b *builder) series(sums []*topicSum) *Series {
	s := &b.r.series
	out := &Series{Seconds: float64(s.width) / 1e9, First: Time(s.base), Total: points(s.total, s.slots)}
	for _, t := range sums {
		if len(t.series) > 0 {
			name := t.name
			out.Topics = append(out.Topics, TopicsPoints{&name, t.idText(), points(t.series, s.slots)})
		}
	}
	if rest := b.r.topics.other.series; len(rest) > 0 {
		out.Topics = append(out.Topics, TopicsPoints{Points: points(rest, s.slots)})
	}
	return out
}

func points(c []cells, n int) Points {
	p := Points{make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n)}
	for i := range c {
		p.ProduceBytes[i], p.ProduceMessages[i] = c[i].bytes[0], c[i].messages[0]
		p.FetchBytes[i], p.FetchMessages[i] = c[i].bytes[1], c[i].messages[1]
	}
	return p
}
