package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

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
