package report

import "ksniff/reassembly/session"

// polls tells which Fetches may have waited for data.
type polls struct {
	ends    func(*session.Topic) marks // of a topic's log, as far as they are known
	waiting map[*session.Request]struct{}
}

func newPolls(ends func(*session.Topic) marks) polls {
	return polls{ends, map[*session.Request]struct{}{}}
}

// mostWaiting bounds the requests that are remembered to wait; beyond it they count as prompt.
const mostWaiting = 100_000

// ask remembers a Fetch request that asks for nothing that is known to be there. One that names no partition
// goes on with a fetch session in which nothing has changed: its last answer brought nothing.
func (p *polls) ask(n *note, parts []partNote) {
	if n.request == nil || len(p.waiting) >= mostWaiting {
		return
	}
	for i := range parts {
		part := &parts[i]
		if !p.ends(part.topic).beyond(part.partition, part.offset) {
			return
		}
	}
	p.waiting[n.request] = struct{}{}
}

// forget ends a request that gets no answer.
func (p *polls) forget(q *session.Request) { delete(p.waiting, q) }

// answer ends a request whose answer took so many nanoseconds, and says whether it may have waited for data.
func (p *polls) answer(n *note, parts []partNote, ns int64) bool {
	_, atEnd := p.waiting[n.request]
	delete(p.waiting, n.request)
	return waited(n, parts, atEnd, ns)
}

// waited says whether the answer to a Fetch may have waited for data (long-poll). It may have if the
// request allowed it and asked for nothing that the capture knows to be there (see marks), or if the
// answer brings less than min_bytes once max_wait_ms is over. All other answers are prompt.
func waited(n *note, parts []partNote, atEnd bool, ns int64) bool {
	least := int64(n.minBytes)
	if n.raft {
		least = max(least, 1)
	}
	if n.maxWait <= 0 || least <= 0 {
		return false
	}
	atEnd = atEnd && n.code == 0
	var bytes int64
	for i := range parts {
		atEnd = atEnd && parts[i].error == 0 // errors are told at once, unless they came up during the wait
		bytes += parts[i].bytes
	}
	return atEnd || bytes < least && ns >= (int64(n.maxWait)-1)*1e6 // clocks tick in milliseconds
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

// marks are the ends of the partitions of a topic as far as the capture tells: at least so many offsets
// are there. Fetch responses tell the end (the high watermark), Produce requests move it on.
type marks []*[markPage]int64

const markPage = 32

// at is the place of a partition, nil for those that are not followed.
func (m *marks) at(partition int32, b *budget) *int64 {
	if uint32(partition) >= nearPartitions {
		return nil
	}
	i := int(partition) / markPage
	if n := i + 1 - len(*m); n > 0 {
		if !b.take(int64(n) * 8) {
			return nil
		}
		*m = append(*m, make([]*[markPage]int64, n)...)
	}
	if (*m)[i] == nil {
		if !b.take(markPage * 8) {
			return nil
		}
		(*m)[i] = new([markPage]int64)
	}
	return &(*m)[i][partition%markPage]
}

// part notes what a part of a frame tells of the end of its partition.
func (m *marks) part(s side, p *partNote, b *budget) {
	if p.highWatermark >= 0 {
		if at := m.at(p.partition, b); at != nil {
			*at = p.highWatermark
		}
	}
	if s == produce && p.bytes > 0 {
		if at := m.at(p.partition, b); at != nil {
			*at += p.messages + p.control
		}
	}
}

// beyond says whether nothing is known to be at offset.
func (m marks) beyond(partition int32, offset int64) bool {
	i := uint32(partition) / markPage
	return i >= uint32(len(m)) || m[i] == nil || offset >= m[i][partition%markPage]
}
