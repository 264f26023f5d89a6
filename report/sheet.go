package report

import (
	"maps"
	"slices"
	"strings"

	"ksniff/report/escape"
)

// sheet is one table of the report for people: what table, Markdown and HTML have in common.
type sheet struct {
	title string
	cols  []column
	rows  [][]string // text, already harmless
}

type column struct {
	head  string
	right bool // numbers
	rank  int  // columns of the highest rank go first where the line is too narrow; 0 stays
}

func safe(s string) string { return string(escape.Text(nil, s)) }

// sheets are the tables of a result, in the order of the questions of the first minute: who moves
// most, what fails, what is slow.
func (r *Result) sheets() []sheet {
	list := []sheet{}
	if r.By != nil {
		list = append(list, r.rowSheet())
	} else {
		list = append(list, r.topicSheet())
	}
	list = append(list, r.errorSheet(), r.apiSheet(), r.clientSheet())
	return slices.DeleteFunc(list, func(s sheet) bool { return len(s.rows) == 0 })
}

var flowColumns = []column{
	{"PRODUCED", true, 0}, {"SIZE", true, 0}, {"RATE", true, 0}, {"P99", true, 2}, {"CODEC", false, 4}, {"ACKS", false, 5},
	{"FETCHED", true, 0}, {"SIZE", true, 0}, {"RATE", true, 3}, {"P99", true, 3}, {"ERRORS", true, 0},
}

func flowCells(f *Flow) []string {
	p, q := &f.Produce, &f.Fetch
	errors := int64(0)
	for _, m := range []map[string]int64{p.Errors, q.Errors} {
		for _, n := range m {
			errors += n
		}
	}
	return []string{
		number(p.Messages), bytesText(p.Bytes), rateText(p.BytesPerSec, p.Bytes), latencyText(p.Latency, p.Latency.P99), keysText(p.Codecs), keysText(p.Acks),
		number(q.Messages), bytesText(q.Bytes), rateText(q.BytesPerSec, q.Bytes), latencyText(q.Latency, q.Latency.P99), number(errors),
	}
}

func (r *Result) topicSheet() sheet {
	s := sheet{title: "Topics", cols: append([]column{{"TOPIC", false, 0}, {"PARTS", true, 4}}, flowColumns...)}
	for i := range r.Topics {
		t := &r.Topics[i]
		s.rows = append(s.rows, append([]string{topicText(t.Topic, t.TopicID), number(t.Partitions)}, flowCells(&t.Flow)...))
	}
	if r.Other != nil && r.Other.Topics > 0 {
		s.rows = append(s.rows, append([]string{"(other)", ""}, flowCells(&r.Other.Flow)...))
	}
	if len(s.rows) > 1 {
		s.rows = append(s.rows, append([]string{"(total)", ""}, flowCells(&r.Totals)...))
	}
	if r.Series != nil {
		r.overTime(&s)
	}
	return s
}

const sparkHead = "OVER TIME"

// overTime puts a spark line of the bytes, both ways, behind each topic of a sheet.
func (r *Result) overTime(s *sheet) {
	const width = 24
	s.cols = slices.Insert(s.cols, 1, column{sparkHead, false, 1})
	lines := map[string]string{"(total)": r.Series.Total.spark(width)}
	for _, t := range r.Series.Topics {
		name := "(other)"
		if t.Topic != nil {
			name = topicText(*t.Topic, t.TopicID)
		}
		lines[name] = t.spark(width)
	}
	for i, row := range s.rows {
		s.rows[i] = slices.Insert(row, 1, lines[row[0]])
	}
}

func (p *Points) spark(width int) string {
	sum := slices.Clone(p.ProduceBytes)
	for i, n := range p.FetchBytes {
		sum[i] += n
	}
	return spark(sum, width)
}

func topicText(name string, id *string) string {
	if name == "" && id != nil {
		return "id " + *id
	}
	return safe(name)
}

func (r *Result) rowSheet() sheet {
	s := sheet{title: "By " + strings.Join(r.By, ", ")}
	for _, name := range r.By {
		s.cols = append(s.cols, column{strings.ToUpper(name), name == "partition" || name == "connection", 0})
	}
	s.cols = append(append(s.cols, column{"REQUESTS", true, 1}), flowColumns...)
	for i := range r.Rows {
		row := &r.Rows[i]
		var cells []string
		for _, name := range r.By {
			cells = append(cells, valueText(row.By, name))
		}
		s.rows = append(s.rows, append(append(cells, number(row.Requests)), flowCells(&row.Flow)...))
	}
	if r.Other != nil && r.Other.Rows != nil {
		cells := append([]string{"(other)"}, make([]string, len(r.By))...)
		s.rows = append(s.rows, append(cells, flowCells(&r.Other.Rows.Flow)...))
	}
	return s
}

func valueText(by map[string]any, name string) string {
	switch v := by[name].(type) {
	case int64:
		return grouped(v)
	case string:
		if id, ok := by["topic_id"].(string); ok && name == "topic" && v == "" {
			return "id " + id
		}
		return safe(v)
	}
	return "-"
}

func (r *Result) errorSheet() sheet {
	s := sheet{title: "Errors", cols: []column{{"API", false, 0}, {"ERROR", false, 0}, {"TIMES", true, 0}}}
	for _, a := range r.APIs {
		for _, name := range slices.Sorted(maps.Keys(a.Errors)) {
			s.rows = append(s.rows, []string{a.label(), name, number(a.Errors[name])})
		}
	}
	return s
}

func (a *API) label() string {
	if a.API == nil {
		return "(unknown)"
	}
	return *a.API
}

func (r *Result) apiSheet() sheet {
	s := sheet{title: "APIs", cols: []column{{"API", false, 0}, {"VERSIONS", false, 1}, {"REQUESTS", true, 0}, {"ERRORS", true, 0},
		{"P50", true, 0}, {"P95", true, 2}, {"P99", true, 0}, {"MAX", true, 0}, {"LONG POLLS", true, 1}, {"P50", true, 2}}}
	for i := range r.APIs {
		a := &r.APIs[i]
		errors := int64(0)
		for _, n := range a.Errors {
			errors += n
		}
		l := a.Latency
		s.rows = append(s.rows, []string{a.label(), keysText(a.Versions), number(a.Requests), number(errors),
			latencyText(l, l.P50), latencyText(l, l.P95), latencyText(l, l.P99), latencyText(l, l.Max),
			number(a.LongPoll.Count), latencyText(a.LongPoll, a.LongPoll.P50)})
	}
	return s
}

func (r *Result) clientSheet() sheet {
	s := sheet{title: "Clients", cols: []column{{"CLIENT", false, 0}, {"ADDRESS", false, 0}, {"SOFTWARE", false, 2}, {"REQUESTS", true, 0}, {"TOPICS", false, 1}}}
	for i := range r.Clients {
		c := &r.Clients[i]
		s.rows = append(s.rows, []string{safe(c.ClientID), c.Address, safe(c.Software), number(c.Requests), safe(firstOf(c.Topics, 8))})
	}
	return s
}

// firstOf lists the first few of many names.
func firstOf(names []string, n int) string {
	if len(names) <= n {
		return strings.Join(names, " ")
	}
	return strings.Join(names[:n], " ") + " and " + grouped(int64(len(names)-n)) + " more"
}

// number leaves a zero out: an empty cell is easier to look over.
func number(n int64) string {
	switch {
	case n == 0:
		return ""
	case n < 1e7:
		return grouped(n)
	}
	return short(float64(n))
}

func bytesText(n int64) string {
	if n == 0 {
		return ""
	}
	return size(float64(n))
}

func rateText(rate *float64, n int64) string {
	if rate == nil || n == 0 {
		return ""
	}
	return size(*rate) + "/s"
}

func latencyText(l Latency, ms float64) string {
	if l.Count == 0 {
		return ""
	}
	return millis(ms)
}

// keysText lists what occurred: numbers in their order, otherwise the most frequent first.
func keysText(m map[string]int64) string {
	keys := slices.Collect(maps.Keys(m))
	slices.SortFunc(keys, func(a, b string) int {
		if len(a) != len(b) && isNumber(a) && isNumber(b) {
			return len(a) - len(b)
		}
		if !isNumber(a) && m[a] != m[b] {
			return int(min(max(m[b]-m[a], -1), 1))
		}
		return strings.Compare(a, b)
	})
	return strings.Join(keys, " ")
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
