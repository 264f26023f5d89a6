package report

import (
	"fmt"
	"strings"
	"time"
)

// summary are the first lines: what was captured and, last, how complete it is.
func (r *Result) summary() []string {
	c := &r.Capture
	sources := make([]string, len(c.Sources))
	for i, s := range c.Sources {
		sources[i] = safe(s)
	}
	if len(sources) > 3 {
		sources = append(sources[:2], fmt.Sprintf("and %d more", len(c.Sources)-2))
	}
	lines := []string{}
	if len(sources) > 0 {
		lines = append(lines, strings.Join(sources, ", "))
	}
	what := plural(c.Packets, "packet") + ", " + size(float64(c.Bytes))
	if c.First != nil {
		what += ", " + millis(c.Seconds*1000) + " from " + clock(*c.First, day+clockTime) + " to " + clock(*c.Last, c.lastForm()) + " UTC"
	}
	kinds := []string{}
	for _, k := range []struct {
		n    int64
		name string
	}{{r.Connections.Modern, "modern"}, {r.Connections.Legacy, "legacy"}, {r.Connections.TLS, "TLS"},
		{r.Connections.ZooKeeper, "ZooKeeper"}, {r.Connections.Foreign, "not Kafka"}} {
		if k.n > 0 {
			kinds = append(kinds, grouped(k.n)+" "+k.name)
		}
	}
	traffic := plural(r.Connections.Total, "connection")
	if len(kinds) > 0 {
		traffic += " (" + strings.Join(kinds, ", ") + ")"
	}
	traffic += ", " + plural(r.Frames.Requests, "request") + ", " + plural(r.Frames.Responses, "response")
	if f := r.Frames; f.TokenRequests+f.TokenResponses > 0 {
		traffic += fmt.Sprintf(" (of which %s and %s SASL tokens)", grouped(f.TokenRequests), grouped(f.TokenResponses))
	}
	return append(lines, what, traffic, r.Completeness())
}

const (
	day       = "2006-01-02 "
	clockTime = "15:04:05.000"
)

// lastForm leaves out the day of the last packet where it is the first one's.
func (c *Capture) lastForm() string {
	if clock(*c.First, day) == clock(*c.Last, day) {
		return clockTime
	}
	return day + clockTime
}

func clock(t Time, form string) string { return time.Unix(0, int64(t)).UTC().Format(form) }
