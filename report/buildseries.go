package report

func (b *builder) series(sums, rest []*topicSum) *Series {
	s := &b.r.series
	out := &Series{Seconds: float64(s.width) / 1e9, First: Time(s.base), Total: beats(s)}
	for _, t := range sums {
		if len(t.series) > 0 {
			name := t.topicName
			out.Topics = append(out.Topics, TopicsPoints{&name, t.idText(), points(t.series, s.slots)})
		}
	}
	left := sumCells(nil, b.r.topics.other.series)
	for _, t := range rest {
		left = sumCells(left, t.series)
	}
	if len(left) > 0 {
		out.Topics = append(out.Topics, TopicsPoints{Points: points(left, s.slots)})
	}
	return out
}

func points(c []cells, n int) Points {
	p := Points{make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n)}
	for i := range c {
		p.ProduceBytes[i], p.ProduceMessages[i] = c[i].bytes[0], c[i].messages[0]
		p.FetchBytes[i], p.FetchMessages[i] = c[i].bytes[1], c[i].messages[1]
	}
	return p
}

// sumCells adds o to c, which grows where it must.
func sumCells(c, o []cells) []cells {
	for i := range o {
		if i >= len(c) {
			c = append(c, cells{})
		}
		c[i].merge(&o[i])
	}
	return c
}

func beats(s *series) Beats {
	b := Beats{Points: points(s.total, s.slots), Requests: make([]int64, s.slots), Errors: make([]int64, s.slots)}
	for side, lists := range [2][2]*[]*float64{{&b.ProduceP50, &b.ProduceP99}, {&b.FetchP50, &b.FetchP99}} {
		*lists[0], *lists[1] = make([]*float64, s.slots), make([]*float64, s.slots)
		for i := range s.beats {
			if l := latencyOf(s.beats[i].prompt[side]); l.Count > 0 {
				(*lists[0])[i], (*lists[1])[i] = &l.P50, &l.P99
			}
		}
	}
	for i := range s.beats {
		b.Requests[i], b.Errors[i] = s.beats[i].requests, s.beats[i].errors
	}
	return b
}
