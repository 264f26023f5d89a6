package report

// htmlSeries is what page.js draws.
type htmlSeries struct {
	First    float64  `json:"first"` // seconds since 1970
	Step     float64  `json:"step"`
	Names    []string `json:"names"`
	Produce  htmlFlow `json:"produce"`
	Fetch    htmlFlow `json:"fetch"`
	Requests []int64  `json:"requests"`
	Errors   []int64  `json:"errors"`
	Latency  [][2]any `json:"latency"`
}

type htmlFlow struct {
	Bytes    [][]int64 `json:"bytes"`
	Messages [][]int64 `json:"messages"`
}

const mostLines = 8 // as many as there are colours that one can tell apart

func htmlSeriesOf(s *Series) *htmlSeries {
	h := &htmlSeries{First: float64(s.First) / 1e9, Step: s.Seconds, Requests: s.Total.Requests, Errors: s.Total.Errors}
	list := s.Topics
	if len(list) > mostLines {
		rest := TopicsPoints{Points: points(nil, len(s.Total.ProduceBytes))}
		for _, t := range list[mostLines-1:] {
			rest.add(&t.Points)
		}
		list = append(list[:mostLines-1:mostLines-1], rest)
	}
	for _, t := range list {
		name := "(other)"
		if t.Topic != nil {
			name = topicText(*t.Topic, t.TopicID)
		}
		h.Names = append(h.Names, name)
		h.Produce.Bytes, h.Produce.Messages = append(h.Produce.Bytes, t.ProduceBytes), append(h.Produce.Messages, t.ProduceMessages)
		h.Fetch.Bytes, h.Fetch.Messages = append(h.Fetch.Bytes, t.FetchBytes), append(h.Fetch.Messages, t.FetchMessages)
	}
	h.Latency = [][2]any{{"produce p50", s.Total.ProduceP50}, {"produce p99", s.Total.ProduceP99}, {"fetch p50", s.Total.FetchP50}, {"fetch p99", s.Total.FetchP99}}
	return h
}

func (p *Points) add(o *Points) {
	for _, l := range [][2][]int64{{p.ProduceBytes, o.ProduceBytes}, {p.ProduceMessages, o.ProduceMessages},
		{p.FetchBytes, o.FetchBytes}, {p.FetchMessages, o.FetchMessages}} {
		for i, n := range l[1] {
			l[0][i] += n
		}
	}
}
