package report

import (
	"ksniff/decode"
	"ksniff/reassembly/session"
)

// polls tells how long answers took, and which Fetches may have waited for data. It must see each frame, once, in order.
type polls struct {
	ends    map[*session.Topic]*marks // of topics' logs, as far as they are known
	topic   *session.Topic            // the latest one that was looked for, and its ends
	latest  *marks
	waiting map[*session.Request]struct{}
	budget  budget
}

// newPolls makes one that takes so many bytes. Beyond that more Fetches count as long polls.
func newPolls(memory int64) polls {
	return polls{ends: map[*session.Topic]*marks{}, waiting: map[*session.Request]struct{}{}, budget: budget{left: memory}}
}

const endsCost = 80 // the ends of a topic's log and its place in the map, bytes

// of gives the ends of a topic's log, nil where none is known.
func (p *polls) of(t *session.Topic) *marks {
	if p.latest == nil || p.topic != t {
		p.topic, p.latest = t, p.ends[t]
	}
	return p.latest
}

// follow takes a frame, and says how many nanoseconds an answer took (-1: not known) and whether it may have waited for data.
func (p *polls) follow(f *session.Frame, s side) (ns int64, poll bool) {
	q := f.Request
	if f.Kind == decode.Request {
		switch s {
		case fetch:
			p.ask(q, f.Parts)
		case produce:
			p.move(f.Parts, s)
		}
		return -1, false
	}
	if ns = took(f); s != fetch {
		return ns, false
	}
	if q != nil {
		_, atEnd := p.waiting[q]
		delete(p.waiting, q)
		poll = waited(f, atEnd, ns)
	}
	p.move(f.Parts, s)
	return ns, poll
}

// move notes where the logs of the partitions that bring records end.
func (p *polls) move(parts []session.Part, s side) {
	for i := range parts {
		part := &parts[i]
		if part.HighWatermark < 0 && (s == fetch || part.Sets.Bytes == 0) {
			continue
		}
		end := p.end(part.Topic, part.Partition)
		if end == nil {
			continue
		}
		if part.HighWatermark >= 0 {
			*end = part.HighWatermark
		}
		if s == produce && part.Sets.Bytes > 0 {
			*end += part.Sets.Messages + part.Sets.Control
		}
	}
}

// end is the place of a partition's end, nil for those that are not followed.
func (p *polls) end(t *session.Topic, partition int32) *int64 {
	m := p.of(t)
	if m == nil {
		if !p.budget.take(endsCost) {
			return nil
		}
		m = new(marks)
		p.ends[t], p.latest = m, m
	}
	return m.at(partition, &p.budget)
}

// took is how long an answer took in nanoseconds, -1 where that is not known.
func took(f *session.Frame) int64 {
	if q := f.Request; q != nil && !q.Unseen && !f.Unseen {
		return latency(q.Time, f.Last.Time)
	}
	return -1
}

// mostWaiting bounds the requests that are remembered to wait; beyond it they count as prompt.
const mostWaiting = 100_000

// ask remembers a Fetch request that asks for nothing that is known to be there. One that names no partition
// goes on with a fetch session in which nothing has changed: its last answer brought nothing.
func (p *polls) ask(q *session.Request, parts []session.Part) {
	if q == nil || len(p.waiting) >= mostWaiting {
		return
	}
	for i := range parts {
		part := &parts[i]
		if m := p.of(part.Topic); m != nil && !m.beyond(part.Partition, part.Offset) {
			return
		}
	}
	p.waiting[q] = struct{}{}
}

// forget ends a request that gets no answer.
func (p *polls) forget(q *session.Request) { delete(p.waiting, q) }

// waited says whether the answer to a Fetch may have waited for data (long-poll). It may have if the
// request allowed it and asked for nothing that the capture knows to be there (see marks), or if the
// answer brings less than min_bytes once max_wait_ms is over. All other answers are prompt.
func waited(f *session.Frame, atEnd bool, ns int64) bool {
	q, parts := f.Request, f.Parts
	least := int64(q.MinBytes)
	if least < 1 && raftFetch(parts) {
		least = 1
	}
	if q.MaxWait <= 0 || least <= 0 {
		return false
	}
	atEnd = atEnd && f.ErrorCode == 0
	var bytes int64
	for i := range parts {
		atEnd = atEnd && parts[i].Error == 0 // errors are told at once, unless they came up during the wait
		bytes += parts[i].Sets.Bytes
	}
	return atEnd || bytes < least && ns >= (int64(q.MaxWait)-1)*1e6 // clocks tick in milliseconds
}

// raftFetch says whether the partitions of a Fetch are those of a controllers' log. Raft leaders answer it, and hold
// one that brings nothing until max_wait_ms whatever min_bytes is (KIP-595, KafkaRaftClient.handleFetchRequest).
func raftFetch(parts []session.Part) bool {
	if len(parts) != 1 || parts[0].Topic == nil {
		return false
	}
	t := parts[0].Topic
	return t.Name == "__cluster_metadata" || t.ID == [16]byte{15: 1}
}
