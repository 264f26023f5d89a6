package report

import (
	"cmp"
	"slices"

	"ksniff/decode/schema"
	"ksniff/reassembly/session"
)

// errorSheet says what fails, the most frequent first, and what a client should do about it.
func (r *Result) errorSheet() sheet {
	s := sheet{title: "Errors", cols: []column{{"", "ERROR", false, 0}, {"", "API", false, 0}, {"", "TIMES", true, 0},
		{"", "TOPICS", false, 2}, {"", "WHAT A CLIENT SHOULD DO", false, 3}}}
	type line struct {
		n     int64
		cells []string
	}
	var lines []line
	for _, a := range r.APIs {
		for name, n := range a.Errors {
			lines = append(lines, line{n, []string{name, a.label(), number(n), r.failing(&a, name), adviceFor(name, a.Generation)}})
		}
	}
	slices.SortFunc(lines, func(x, y line) int { return cmp.Or(cmp.Compare(y.n, x.n), slices.Compare(x.cells, y.cells)) })
	for _, l := range lines {
		s.rows = append(s.rows, l.cells)
	}
	return s
}

// failing names the topics with an error of an API.
func (r *Result) failing(a *API, name string) string {
	var topics []string
	for _, topic := range r.topicNames(a.ErrorTopics[name]) {
		topics = append(topics, safe(topic))
	}
	for i := range r.Topics {
		t := &r.Topics[i]
		if a.moves(produce) && t.Produce.Errors[name] > 0 || a.moves(fetch) && t.Fetch.Errors[name] > 0 {
			topics = append(topics, topicText(t.Topic, t.TopicID))
		}
	}
	return firstOf(topics, 3)
}

// moves says whether the API moves records that way.
func (a *API) moves(s side) bool {
	f := session.Frame{Generation: session.Modern, Key: a.Key}
	if a.Generation == "legacy" {
		f.Generation = session.Legacy
	}
	return sideOf(&f) == s
}

// topicNames marks those of a list that are ids without a name, as all tables do.
func (r *Result) topicNames(list []string) []string {
	out := slices.Clone(list)
	for i, name := range out {
		if slices.ContainsFunc(r.Topics, func(t Topic) bool { return t.Topic == "" && t.TopicID != nil && *t.TopicID == name }) {
			out[i] = "id " + name
		}
	}
	return out
}

func adviceFor(name, generation string) string {
	if generation != "legacy" {
		if e := schema.LookupErrorName(name); e != nil {
			return e.Advice
		}
		return ""
	}
	for _, e := range schema.LegacyErrors {
		if e.Name == name {
			return e.Advice
		}
	}
	return ""
}

func (a *API) label() string {
	if a.API == nil {
		return "(unknown)"
	}
	return *a.API
}

// apiSheet says what is slow: APIs by their 99th percentile.
func (r *Result) apiSheet() sheet {
	s := sheet{title: "APIs, slowest first", cols: []column{{"", "API", false, 0}, {"", "VERSIONS", false, 1}, {"", "REQUESTS", true, 0}, {"", "RESPONSES", true, 1}, {"", "ERRORS", true, 0},
		{"latency", "P50", true, 0}, {"latency", "P95", true, 2}, {"latency", "P99", true, 0}, {"latency", "MAX", true, 0},
		{"polls", "TIMES", true, 1}, {"polls", "P50", true, 2}}}
	list := make([]*API, len(r.APIs))
	for i := range r.APIs {
		list[i] = &r.APIs[i]
	}
	slices.SortStableFunc(list, func(x, y *API) int {
		return cmp.Or(cmp.Compare(y.Latency.P99, x.Latency.P99), cmp.Compare(y.Requests, x.Requests))
	})
	// Where requests were captured, as many responses as there are tell nothing more.
	alone := slices.ContainsFunc(list, func(a *API) bool { return a.Requests == 0 })
	for _, a := range list {
		l, responses := a.Latency, ""
		if alone {
			responses = number(a.Responses)
		}
		s.rows = append(s.rows, []string{a.label(), keysText(a.Versions), number(a.Requests), responses, number(sum(a.Errors)),
			latencyText(l, l.P50), latencyText(l, l.P95), latencyText(l, l.P99), latencyText(l, l.Max),
			number(a.LongPoll.Count), latencyText(a.LongPoll, a.LongPoll.P50)})
	}
	return s
}

func (r *Result) clientSheet() sheet {
	s := sheet{title: "Clients", cols: []column{{"", "CLIENT", false, 0}, {"", "ADDRESS", false, 0}, {"", "SOFTWARE", false, 2}, {"", "REQUESTS", true, 0}, {"", "PRODUCES OR FETCHES", false, 1}}}
	for i := range r.Clients {
		c := &r.Clients[i]
		s.rows = append(s.rows, []string{safe(c.ClientID), c.Address, safe(c.Software), number(c.Requests), safe(firstOf(r.topicNames(c.Topics), 8))})
	}
	if !slices.Contains(r.By, "client") {
		s.note = "What each of them moves: --by client."
	}
	return s
}
