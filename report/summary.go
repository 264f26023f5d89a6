package report

import (
	"fmt"
	"strings"
	"time"
)

// summary are the first lines: what was captured, how complete it is.
func (r *Result) summary() []string {
	c := &r.Capture
	sources := make([]string, len(c.Sources))
	for i, s := range c.Sources {
		sources[i] = safe(s)
	}
	if len(sources) > 3 {
		sources = append(sources[:2], fmt.Sprintf("and %d more", len(c.Sources)-2))
	}
	what := []string{plural(c.Packets, "packet"), size(float64(c.Bytes))}
	if len(sources) > 0 {
		what = append([]string{strings.Join(sources, ", ")}, what...)
	}
	if c.First != nil {
		what = append(what, millis(c.Seconds*1000), clock(*c.First)+" to "+clock(*c.Last)+" UTC")
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
	return []string{strings.Join(what, " · "), traffic, r.Completeness()}
}

func clock(t Time) string { return time.Unix(0, int64(t)).UTC().Format("2006-01-02 15:04:05.000") }
