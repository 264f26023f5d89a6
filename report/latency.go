package report

import (
	"math"

	"ksniff/reassembly/session"
)

// noTime is the time of a packet that carries none.
const noTime = math.MinInt64

// latency is the time from the packet that completed the request to the one that completed the
// response, in nanoseconds; -1 where a clock is missing or went back.
func latency(q *session.Request, f *session.Frame) int64 {
	if q.Time == noTime || f.Last.Time == noTime || f.Last.Time < q.Time {
		return -1
	}
	return f.Last.Time - q.Time
}

// waited says whether the answer to a Fetch may have waited for data (long-poll). It may have if the
// request allowed it and asked for nothing that the capture knows to be there (see marks), or if the
// answer brings less than min_bytes once max_wait_ms is over. All other answers are prompt.
func waited(q *session.Request, f *session.Frame, atEnd bool, ns int64) bool {
	if q.MaxWait <= 0 || q.MinBytes <= 0 || f.ErrorCode != 0 {
		return false
	}
	var n int64
	for i := range f.Parts {
		if f.Parts[i].Error != 0 {
			return false // errors are told at once
		}
		n += f.Parts[i].Sets.Bytes
	}
	return atEnd || n < int64(q.MinBytes) && ns >= (int64(q.MaxWait)-1)*1e6 // clocks tick in milliseconds
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

func (m *marks) told(partition int32, end int64, b *budget) {
	if end < 0 {
		return
	}
	if at := m.at(partition, b); at != nil {
		*at = end
	}
}

func (m *marks) produced(partition int32, n int64, b *budget) {
	if at := m.at(partition, b); at != nil {
		*at += n
	}
}

// beyond says whether nothing is known to be at offset.
func (m marks) beyond(partition int32, offset int64) bool {
	i := uint32(partition) / markPage
	return i >= uint32(len(m)) || m[i] == nil || offset >= m[i][partition%markPage]
}

// asksAtEnd says whether a Fetch request asks for nothing that is known to be there. One that names no
// partition goes on with a fetch session in which nothing has changed: its last answer brought nothing.
func (r *Report) asksAtEnd(f *session.Frame) bool {
	for i := range f.Parts {
		p := &f.Parts[i]
		if !r.topics.of(p.Topic, &r.budget).marks.beyond(p.Partition, p.Offset) {
			return false
		}
	}
	return f.Request != nil
}

// mostWaiting bounds the requests that are remembered to wait; beyond it they count as prompt.
const mostWaiting = 100_000

// latencies are the durations of prompt answers and of those that waited for data, each nil until
// there is one.
type latencies struct{ prompt, poll *hist }

// answer adds a duration; -1 is unknown and adds nothing.
func (l *latencies) answer(poll bool, ns int64, b *budget) {
	if ns < 0 {
		return
	}
	h := &l.prompt
	if poll {
		h = &l.poll
	}
	if *h == nil {
		*h = new(hist)
	}
	(*h).add(ns, b)
}

func (l *latencies) merge(m *latencies) {
	mergeHist(&l.prompt, m.prompt)
	mergeHist(&l.poll, m.poll)
}

func mergeHist(into **hist, from *hist) {
	if from == nil {
		return
	}
	if *into == nil {
		*into = new(hist)
	}
	(*into).merge(from)
}
