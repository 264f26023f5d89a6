package report

import (
	"fmt"
	"strings"
	"time"
)

// summary are the first lines: what was captured and, last, how complete it is.
func (r *Result) summary() []string {
	c := &r.Capture
	lines := []string{}
	if len(c.Sources) > 0 {
		lines = append(lines, c.sources())
	}
	if only := c.Only.String(); only != "" {
		lines = append(lines, only)
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
		{r.Connections.ZooKeeper, "ZooKeeper"}, {r.Connections.Foreign, "not proved to be Kafka"}} {
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
	if c.Ended != "" {
		lines = append(lines, "not read to its end: "+safe(c.Ended))
	}
	return append(lines, what, traffic, r.Completeness())
}

// sources names what was read, the first few.
func (c *Capture) sources() string {
	list := make([]string, len(c.Sources))
	for i, s := range c.Sources {
		if list[i] = safe(s); s == "-" {
			list[i] = "standard input"
		}
	}
	if len(list) > 3 {
		list = append(list[:2], fmt.Sprintf("and %d more", len(list)-2))
	}
	return strings.Join(list, ", ")
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
