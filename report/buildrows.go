package report

import "slices"

// rowSum is the aggregates of all keys that are shown alike; of one key, its own and no copy.
type rowSum struct {
	*row
	rank
	own bool
	by  map[string]any
}

func (s *rowSum) add(a *row) {
	if s.row == nil {
		s.row = a
		return
	}
	if !s.own {
		first := s.row
		s.row, s.own = &row{}, true
		s.row.merge(first)
	}
	s.row.merge(a)
}

// rows adds up keys that are shown alike (topics with one name, groups found later), and sorts them.
func (b *builder) rows() []Row {
	sums := map[string]*rowSum{}
	for k, a := range b.r.rows.byKey {
		by := b.r.rows.values(k)
		key := ""
		for _, name := range append(b.r.cfg.By, "topic_id") {
			key += anyText(by[name]) + "\x00"
		}
		s := sums[key]
		if s == nil {
			s = &rowSum{rank: rank{name: key}, by: by}
			sums[key] = s
		}
		s.add(a)
	}
	list := make([]*rowSum, 0, len(sums))
	for _, s := range sums {
		s.rank = b.rank(&s.flow, s.row.requests, s.name)
		switch b.r.cfg.Sort {
		case "errors": // of any API, as with requests
			s.value = s.row.errors.sum()
		case "latency":
			s.value = p99(s.row.prompt)
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(x, y *rowSum) int { return x.compare(&y.rank) })
	list, rest := cut(list, b.r.cfg.Top)
	var left row
	left.merge(&b.r.rows.other)
	for _, s := range rest {
		left.merge(s.row)
	}
	if n := b.r.rows.left.count() + int64(len(rest)); n > 0 {
		b.leftRows = &OtherRows{n, left.requests, named(&left.errors, errorName), b.flow(&left.flow)}
	}
	out := []Row{}
	for _, s := range list {
		out = append(out, Row{s.by, s.row.requests, named(&s.row.errors, errorName), latencyOf(s.row.latencies.prompt),
			latencyOf(s.row.latencies.poll), b.flow(&s.flow)})
	}
	return out
}
