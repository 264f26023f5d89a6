package report

import (
	"cmp"
	"fmt"
	"strings"
)

// SortKeys are the names that --sort knows. Numbers sort the largest first.
var SortKeys = []string{"bytes", "messages", "requests", "errors", "latency", "name"}

var sortValues = map[string]func(*flow) int64{
	"bytes":    func(f *flow) int64 { return f.produce.bytes + f.fetch.bytes },
	"messages": func(f *flow) int64 { return f.produce.messages + f.fetch.messages },
	"requests": func(f *flow) int64 { return f.produce.requests + f.fetch.requests },
	"errors":   func(f *flow) int64 { return f.produce.errors.sum() + f.fetch.errors.sum() },
	"latency":  func(f *flow) int64 { return max(p99(f.produce.prompt), p99(f.fetch.prompt)) },
	"name":     func(*flow) int64 { return 0 },
}

func p99(h *hist) int64 {
	if h == nil || h.n == 0 {
		return -1
	}
	return h.quantile(.99)
}

// sortBy checks a sort key.
func sortBy(key string) error {
	if sortValues[cmp.Or(key, "bytes")] == nil {
		return fmt.Errorf("--sort knows %s, but not %q", strings.Join(SortKeys, ", "), key)
	}
	return nil
}

// rank is a thing's place in a list: by value, then by requests, then by name.
type rank struct {
	value, requests int64
	name            string
}

func (b *builder) rank(f *flow, requests int64, name string) rank {
	switch key := cmp.Or(b.r.cfg.Sort, "bytes"); key {
	case "name":
		return rank{name: name}
	case "requests": // of any API
		return rank{requests, 0, name}
	default:
		return rank{sortValues[key](f), requests, name}
	}
}

func (r *rank) compare(o *rank) int {
	return cmp.Or(cmp.Compare(o.value, r.value), cmp.Compare(o.requests, r.requests), cmp.Compare(r.name, o.name))
}

// sorted keeps the columns that rows are sorted by, however narrow the table is.
func (r *Result) sorted(cols []column) []column {
	head := map[string]string{"latency": "P99", "requests": "REQUESTS"}[r.sort]
	for i := range cols {
		if cols[i].head == head {
			cols[i].rank = 0
		}
	}
	return cols
}
