package report

import (
	"math/bits"

	"ksniff/reassembly/session"
)

// topics are the aggregates per topic.
type topics struct {
	byTopic map[*session.Topic]*topic
	other   topic // what the memory bound left out
	left    crowd
	// overflow stands for all topics that the session could not keep apart.
	overflow *session.Topic
}

type topic struct {
	flow
	home       *topics
	stamp      uint64 // of the last request that named it
	partitions partitions
	series     []cells
}

const topicCost = 640 // a topic and its place in the map, bytes

func (t *topics) init() { t.byTopic = map[*session.Topic]*topic{} }

// of gives the aggregate of a topic. The Topic remembers it, since a map takes longer than all else that is
// added for a frame.
func (t *topics) of(key *session.Topic, b *budget) *topic {
	if key != nil {
		if a, ok := key.User.(*topic); ok && a.home == t {
			return a
		}
	}
	return t.find(key, b)
}

func (t *topics) find(key *session.Topic, b *budget) *topic {
	if a := t.byTopic[key]; a != nil {
		return a
	}
	if key == t.overflow || !b.take(topicCost) {
		t.left.add(newHash.topic(key))
		return &t.other
	}
	a := &topic{home: t}
	t.byTopic[key] = a
	if key != nil {
		key.User = a
	}
	return a
}

// partitions is a set of partition numbers: bits for small ones, a map for the others.
type partitions struct {
	bits []uint64
	far  map[int32]struct{}
	lost bool // the memory bound left some out
}

const nearPartitions = 4096

func (p *partitions) add(n int32, b *budget) {
	if uint32(n) < nearPartitions {
		w := int(n) / 64
		if w >= len(p.bits) && !p.grow(w+1, b) {
			return
		}
		p.bits[w] |= 1 << (n % 64)
		return
	}
	if _, ok := p.far[n]; ok {
		return
	}
	if !b.take(32) {
		p.lost = true
		return
	}
	if p.far == nil {
		p.far = map[int32]struct{}{}
	}
	p.far[n] = struct{}{}
}

// addAll adds a set.
func (p *partitions) addAll(s *spread, b *budget) {
	for i, w := range s {
		if w != 0 && (i < len(p.bits) || p.grow(i+1, b)) {
			p.bits[i] |= w
		}
	}
}

func (p *partitions) grow(words int, b *budget) bool {
	if !b.take(int64(words-len(p.bits)) * 8) {
		p.lost = true
		return false
	}
	p.bits = append(p.bits, make([]uint64, words-len(p.bits))...)
	return true
}

func (p *partitions) merge(o *partitions) {
	for len(p.bits) < len(o.bits) {
		p.bits = append(p.bits, 0)
	}
	for i, w := range o.bits {
		p.bits[i] |= w
	}
	for n := range o.far {
		if p.far == nil {
			p.far = map[int32]struct{}{}
		}
		p.far[n] = struct{}{}
	}
	p.lost = p.lost || o.lost
}

func (p *partitions) count() int64 {
	n := len(p.far)
	for _, w := range p.bits {
		n += bits.OnesCount64(w)
	}
	return int64(n)
}
