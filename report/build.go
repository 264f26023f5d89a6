package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"ksniff/decode/records"
	"ksniff/reassembly/session"
)

// Result gives the sums so far. Ledger, connections and capture come from those who know them. The
// Report may go on afterwards.
func (r *Report) Result(ledger Ledger, connections Connections, capture Capture) *Result {
	r.settle()
	if capture.Sources == nil {
		capture.Sources = []string{}
	}
	b := builder{r: r, seconds: capture.Seconds}
	res := &Result{
		Schema: Schema, Capture: capture, Ledger: ledger, Connections: connections,
		Frames: Frames{Requests: r.frames.requests, Responses: r.frames.responses, Unmatched: r.frames.unmatched, Unanswered: r.frames.unanswered,
			Inferred: r.frames.inferred, TokenRequests: r.frames.tokenRequests, TokenResponses: r.frames.tokenResponses, Faults: map[string]int64{}, Faulty: map[string]int64{}},
		Totals: b.totals(), APIs: b.apis(), By: r.cfg.By, Aborted: r.aborted,
		Silences: slices.Clone(r.silences), sort: r.cfg.Sort,
	}
	slices.SortStableFunc(res.Silences, func(x, y Silence) int { return cmp.Compare(x.Packet, y.Packet) })
	for code, n := range r.faults {
		res.Frames.Faults[code.String()] += n
	}
	for code, n := range r.faulty {
		res.Frames.Faulty[code.String()] += n
	}
	b.left = r.topics.other.flow.clone()
	merged, rest := cut(b.merged(), r.cfg.Top)
	for _, t := range rest {
		b.left.merge(&t.flow)
	}
	b.leftTopics, b.leftClients = r.topics.left.count()+int64(len(rest)), r.clients.left.count()
	res.Topics = b.topics(merged)
	res.Clients = b.clients()
	if r.rows.dims != 0 {
		res.Rows = b.rows()
	}
	if r.series.on && r.series.slots > 0 {
		res.Series = b.series(merged, rest)
	}
	res.Other = b.other()
	return res
}

// builder holds what Result gathers on its way.
type builder struct {
	r           *Report
	seconds     float64
	left        flow // of topics that are not shown
	leftTopics  int64
	leftClients int64
	leftRows    *OtherRows
}

// cut gives the first n of a list (all where n is 0) and the rest.
func cut[T any](list []T, n int) (first, rest []T) {
	if n <= 0 || n >= len(list) {
		return list, nil
	}
	return list[:n], list[n:]
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
		Errors: named(&o.errors, errorName), Latency: latencyOf(o.prompt), Control: o.control, Incomplete: Incomplete{o.cutSets, o.cutFrames},
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
		Incomplete:      Incomplete{o.cutSets, o.cutFrames},
		ReplicaRequests: o.replicaRequests, ReplicaMessages: o.replicaMessages, ReplicaBytes: o.replicaBytes,
	}
}

func (b *builder) opened(o *ops) *int64 {
	if !b.r.cfg.Deep || o.opaque > 0 {
		return nil
	}
	n := o.uncompressed
	return &n
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
			m[records.Codec(i).String()] = n
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
	names := map[string]string{}
	for t := range b.r.topics.byTopic {
		if t != nil && t.Name != "" && t.ID != [16]byte{} {
			names[uuidText(t.ID)] = t.Name
		}
	}
	for a := range b.r.apis.all {
		x := API{
			Generation: generationName(a.generation), Key: a.key, Requests: a.requests, Responses: a.responses,
			Versions: named(&a.versions, versionName), Errors: named(&a.errors, errorName),
			ErrorTopics: a.failing.byError(names), Latency: latencyOf(a.prompt), LongPoll: latencyOf(a.poll),
		}
		if name := a.name(); name != "" {
			x.API = &name
		}
		list = append(list, x)
	}
	return list
}

func (b *builder) clients() []Client {
	list := []Client{}
	for k, a := range b.r.clients.byClient {
		c := Client{ClientID: k.ID, Address: addrText(k.Addr), Software: k.Software, Requests: a.requests, Topics: []string{}, More: a.lost, null: k.NullID}
		for t := range a.topics {
			if name := topicLabel(t); name != "" {
				c.Topics = append(c.Topics, name)
			}
		}
		slices.Sort(c.Topics)
		c.Topics = slices.Compact(c.Topics) // two Topics may have turned out to have one name
		list = append(list, c)
	}
	slices.SortFunc(list, func(x, y Client) int {
		if b.r.cfg.Sort == "name" {
			return cmp.Or(cmp.Compare(x.ClientID, y.ClientID), cmp.Compare(x.Address, y.Address), cmp.Compare(x.Software, y.Software),
				nullFirst(x.null, y.null))
		}
		return cmp.Or(cmp.Compare(y.Requests, x.Requests), cmp.Compare(x.ClientID, y.ClientID), cmp.Compare(x.Address, y.Address),
			cmp.Compare(x.Software, y.Software), nullFirst(x.null, y.null))
	})
	list, rest := cut(list, b.r.cfg.Top)
	b.leftClients += int64(len(rest))
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
	if b.leftTopics == 0 && b.leftClients == 0 && b.leftRows == nil {
		return nil
	}
	return &Other{Topics: b.leftTopics, Clients: b.leftClients, Flow: b.flow(&b.left), Rows: b.leftRows}
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
