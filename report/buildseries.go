package report

func (b *builder) series(sums, rest []*topicSum) *Series {
	s := &b.r.series
	out := &Series{Seconds: float64(s.width) / 1e9, First: Time(s.base), Total: points(s.total, s.slots)}
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
