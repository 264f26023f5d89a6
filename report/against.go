package report

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Comparison says what changed between two captures, per topic.
type Comparison struct {
	Schema string   `json:"schema"`
	Before Capture  `json:"before"`
	After  Capture  `json:"after"`
	Topics []Change `json:"topics"` // the largest change first
	// Completeness of both captures: what one of them lacks looks like a change.
	Completeness [2]float64 `json:"completeness"`
	// Errors are those of all APIs, also where they are about no topic; the largest change first.
	Errors []ErrorChange `json:"errors"`
	ledger [2]string
}

// ErrorChange counts an error of an API before and after.
type ErrorChange struct {
	Generation string   `json:"generation"`
	API        *string  `json:"api"`
	Error      string   `json:"error"`
	Times      [2]int64 `json:"times"`
}

// Change is one topic in both captures. Captures have different lengths, so rates are compared;
// where a capture has no length, they are null, as are the changes.
type Change struct {
	Topic   string  `json:"topic"`
	TopicID *string `json:"topic_id"`
	State   string  `json:"state"` // both, new, gone
	Produce Pair    `json:"produce"`
	Fetch   Pair    `json:"fetch"`
}

// Pair is one way of a topic, before and after.
type Pair struct {
	Messages       [2]int64            `json:"messages"`
	Bytes          [2]int64            `json:"bytes"`
	BytesPerSecond [2]*float64         `json:"bytes_per_second"`
	Errors         [2]int64            `json:"errors"` // all added up; by name below
	ErrorNames     [2]map[string]int64 `json:"errors_by_name"`
	P99            [2]*float64         `json:"latency_p99_ms"`
}

// Against compares before with after, and keeps the first top changes (all where top is 0). Topics are matched by name or, where they have none, by id.
// A topic that bounds or --top left out of one of them would look new or gone, so make both without.
func Against(before, after *Result, top int) *Comparison {
	c := &Comparison{Schema: "ksniff.comparison.v1", Before: before.Capture, After: after.Capture, Topics: []Change{},
		Completeness: [2]float64{before.Ledger.Completeness, after.Ledger.Completeness}, ledger: [2]string{before.Completeness(), after.Completeness()}}
	c.Errors = errorChanges(before, after)
	index := map[string]*Topic{}
	for i := range before.Topics {
		index[before.Topics[i].key()] = &before.Topics[i]
	}
	for i := range after.Topics {
		t := &after.Topics[i]
		old := index[t.key()]
		delete(index, t.key())
		c.Topics = append(c.Topics, change(old, t))
	}
	for i := range before.Topics {
		if t := &before.Topics[i]; index[t.key()] != nil {
			c.Topics = append(c.Topics, change(t, nil))
		}
	}
	slices.SortStableFunc(c.Topics, func(x, y Change) int {
		return cmp.Or(cmp.Compare(y.weight(), x.weight()), strings.Compare(x.Topic, y.Topic))
	})
	c.Topics, _ = cut(c.Topics, top)
	return c
}

func errorChanges(before, after *Result) []ErrorChange {
	list, index := []ErrorChange{}, map[[3]string]int{}
	for i, r := range []*Result{before, after} {
		for k := range r.APIs {
			a := &r.APIs[k]
			for name, n := range a.Errors {
				key := [3]string{a.Generation, a.label(), name}
				at, known := index[key]
				if !known {
					at = len(list)
					index[key] = at
					list = append(list, ErrorChange{Generation: a.Generation, API: a.API, Error: name})
				}
				list[at].Times[i] += n
			}
		}
	}
	slices.SortFunc(list, func(x, y ErrorChange) int {
		return cmp.Or(cmp.Compare(y.size(), x.size()), strings.Compare(x.Error, y.Error), strings.Compare(orEmpty(x.API), orEmpty(y.API)),
			strings.Compare(x.Generation, y.Generation))
	})
	return list
}

func (e *ErrorChange) size() int64 { return max(e.Times[1]-e.Times[0], e.Times[0]-e.Times[1]) }

func (t *Topic) key() string {
	if t.Topic == "" && t.TopicID != nil {
		return "\x00" + *t.TopicID
	}
	return t.Topic
}

func change(before, after *Topic) Change {
	c := Change{State: "both"}
	var empty Topic
	switch {
	case before == nil:
		before, c.State = &empty, "new"
	case after == nil:
		after, c.State = &empty, "gone"
	}
	c.Topic, c.TopicID = cmp.Or(after.Topic, before.Topic), after.TopicID
	if c.TopicID == nil {
		c.TopicID = before.TopicID
	}
	for i, t := range []*Topic{before, after} {
		p, f := &t.Produce, &t.Fetch
		c.Produce.set(i, p.Messages, p.Bytes, p.BytesPerSec, p.Errors, p.Latency)
		c.Fetch.set(i, f.Messages, f.Bytes, f.BytesPerSec, f.Errors, f.Latency)
	}
	return c
}

func (p *Pair) set(i int, messages, bytes int64, rate *float64, errors map[string]int64, l Latency) {
	p.Messages[i], p.Bytes[i], p.BytesPerSecond[i], p.ErrorNames[i] = messages, bytes, rate, errors
	for _, n := range errors {
		p.Errors[i] += n
	}
	if l.Count > 0 {
		p.P99[i] = &l.P99
	}
}

// weight is how much a topic changed: bytes per second both ways, bytes where there is no rate.
func (c *Change) weight() float64 {
	w := 0.0
	for _, p := range []*Pair{&c.Produce, &c.Fetch} {
		w += math.Abs(p.amount(1) - p.amount(0))
	}
	return w
}

func (p *Pair) amount(i int) float64 {
	if r := p.BytesPerSecond[i]; r != nil {
		return *r
	}
	return float64(p.Bytes[i])
}
