package report

import (
	"cmp"
	"fmt"
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

// Advice warns where one of the captures is not complete.
func (c *Comparison) Advice() []string {
	var list []string
	for i, side := range []string{"before", "after"} {
		if c.Completeness[i] < 1 || strings.HasPrefix(c.ledger[i], "no Kafka") {
			list = append(list, side+": "+c.ledger[i]+". What it lacks looks like a change.")
		}
	}
	return list
}

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

// csv writes one line a topic.
func (c *Comparison) csv(w *csvWriter) {
	for _, name := range []string{"topic", "topic_id", "state"} {
		w.text(name)
	}
	for _, way := range []string{"produce", "fetch"} {
		for _, name := range []string{"messages", "bytes", "bytes_per_second", "errors", "latency_p99_ms"} {
			w.text(way + "_" + name + "_before")
			w.text(way + "_" + name + "_after")
		}
	}
	w.end()
	for i := range c.Topics {
		t := &c.Topics[i]
		w.text(t.Topic)
		w.text(orEmpty(t.TopicID))
		w.text(t.State)
		for _, p := range []*Pair{&t.Produce, &t.Fetch} {
			for _, cells := range [][2]string{
				{whole(p.Messages[0]), whole(p.Messages[1])}, {whole(p.Bytes[0]), whole(p.Bytes[1])},
				{real(p.BytesPerSecond[0]), real(p.BytesPerSecond[1])}, {whole(p.Errors[0]), whole(p.Errors[1])},
				{real(p.P99[0]), real(p.P99[1])},
			} {
				w.number(cells[0])
				w.number(cells[1])
			}
		}
		w.end()
	}
}

func (c *Comparison) sheets() []sheet {
	s := sheet{title: "What changed", cols: []column{
		{"", "TOPIC", false, 0}, {"", "STATE", false, 0}, {"produced", "BEFORE", true, 0}, {"produced", "AFTER", true, 0}, {"produced", "CHANGE", true, 4},
		{"fetched", "BEFORE", true, 0}, {"fetched", "AFTER", true, 0}, {"fetched", "CHANGE", true, 4}, {"", "P99", false, 6}, {"", "ERRORS", false, 2},
	}}
	for i := range c.Topics {
		t := &c.Topics[i]
		state := t.State
		if state == "both" {
			state = ""
		}
		s.rows = append(s.rows, []string{topicText(t.Topic, t.TopicID), state,
			t.Produce.text(0), t.Produce.text(1), t.Produce.factor(),
			t.Fetch.text(0), t.Fetch.text(1), t.Fetch.factor(),
			slower(t.Produce.P99, t.Fetch.P99), errorsText(t.Produce.Errors, t.Fetch.Errors)})
	}
	e := sheet{title: "Errors", cols: []column{{"", "ERROR", false, 0}, {"", "API", false, 0}, {"", "BEFORE", true, 0}, {"", "AFTER", true, 0}}}
	for i := range c.Errors {
		x := &c.Errors[i]
		e.rows = append(e.rows, []string{x.Error, orEmpty(x.API), grouped(x.Times[0]), grouped(x.Times[1])})
	}
	return slices.DeleteFunc([]sheet{s, e}, func(s sheet) bool { return len(s.rows) == 0 })
}

func (p *Pair) text(i int) string {
	if p.Bytes[i] == 0 {
		return ""
	}
	if p.BytesPerSecond[i] == nil {
		return size(float64(p.Bytes[i]))
	}
	return size(*p.BytesPerSecond[i]) + "/s"
}

// factor is the change in percent, or as a factor where it is large; empty below one percent.
func (p *Pair) factor() string {
	before, after := p.amount(0), p.amount(1)
	switch f := after / before; {
	case before == 0 || after == 0:
		return ""
	case f >= 10:
		return fmt.Sprintf("× %s", short(f))
	case math.Abs(f-1) < .005:
		return "="
	default:
		return fmt.Sprintf("%+.0f %%", (f-1)*100)
	}
}

// slower shows the 99th percentile of Produce, or of Fetch where there is none, before and after.
func slower(pairs ...[2]*float64) string {
	for _, p := range pairs {
		if p[0] != nil && p[1] != nil {
			return millis(*p[0]) + " → " + millis(*p[1])
		}
	}
	return ""
}

func errorsText(a, b [2]int64) string {
	before, after := a[0]+b[0], a[1]+b[1]
	if before == after {
		return number(after)
	}
	return grouped(before) + " → " + grouped(after)
}

func (c *Comparison) summary() []string {
	line := func(what string, x *Capture) string {
		return fmt.Sprintf("%s %s · %s · %s", what, x.sources(), millis(x.Seconds*1000), plural(x.Packets, "packet"))
	}
	lines := []string{line("before:", &c.Before), line("after: ", &c.After)}
	if only := c.After.Only.String(); only != "" {
		lines = append(lines, only)
	}
	return lines
}
