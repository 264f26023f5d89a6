package report

import "slices"

// topicSum is the aggregates of all Topics that turned out to have one name. Where there is only one,
// it is that one's, not a copy.
type topicSum struct {
	*topic
	rank
	own       bool
	topicName string
	id        [16]byte
}

func (s *topicSum) add(a *topic) {
	if s.topic == nil {
		s.topic = a
		return
	}
	if !s.own {
		first := s.topic
		s.topic, s.own = &topic{}, true
		s.topic.add(first)
	}
	s.topic.add(a)
}

func (t *topic) add(a *topic) {
	t.merge(&a.flow)
	t.partitions.merge(&a.partitions)
	t.series = sumCells(t.series, a.series)
}

func (t *topicSum) idText() *string {
	if t.id == [16]byte{} {
		return nil
	}
	text := uuidText(t.id)
	return &text
}

// merged adds up topics by name (or by id, where there is no name), most bytes first.
func (b *builder) merged() []*topicSum {
	type key struct {
		name string
		id   [16]byte
	}
	sums := map[key]*topicSum{}
	for t, a := range b.r.topics.byTopic {
		k := key{}
		if t != nil {
			k = key{t.Name, t.ID}
		}
		if k.name != "" {
			k.id = [16]byte{}
		}
		s := sums[k]
		if s == nil {
			s = &topicSum{topicName: k.name, id: k.id}
			sums[k] = s
		}
		if t != nil && t.ID != [16]byte{} && (s.id == [16]byte{} || slices.Compare(t.ID[:], s.id[:]) > 0) {
			s.id = t.ID
		}
		s.add(a)
	}
	list := make([]*topicSum, 0, len(sums))
	for _, s := range sums {
		s.rank = b.rank(&s.flow, s.produce.requests+s.fetch.requests, s.topicName+"\x00"+string(s.id[:]))
		list = append(list, s)
	}
	slices.SortFunc(list, func(x, y *topicSum) int { return x.compare(&y.rank) })
	return list
}

func (b *builder) topics(sums []*topicSum) []Topic {
	list := []Topic{}
	for _, s := range sums {
		list = append(list, Topic{s.topicName, s.idText(), s.partitions.count(), s.partitions.lost, b.flow(&s.flow)})
	}
	return list
}
