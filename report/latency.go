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

// waited says whether the answer to a Fetch may have waited for data (long-poll). It has if the request
// allowed it and, as far as the capture told, asked for nothing but what was not written yet (see
// marks); or if the answer brings less than min_bytes once max_wait_ms is over. All other answers are
// prompt: their data was there.
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

// marks are the ends of the partitions of a topic, as Fetch responses told them last (high
// watermarks), plus one; 0 is not known.
type marks []int64

func (m *marks) told(partition int32, end int64, b *budget) {
	if end < 0 || uint32(partition) >= nearPartitions {
		return
	}
	if n := int(partition) + 1 - len(*m); n > 0 {
		if !b.take(int64(n) * 8) {
			return
		}
		*m = append(*m, make([]int64, n)...)
	}
	(*m)[partition] = end + 1
}

// reached says whether offset is known to be at the end of a partition.
func (m marks) reached(partition int32, offset int64) bool {
	return uint32(partition) < uint32(len(m)) && m[partition] > 0 && offset >= m[partition]-1
}

// asksAtEnd says whether a Fetch request asks at the known end of every partition. One that names no
// partition goes on with a fetch session in which nothing has changed: its last answer brought nothing.
func (r *Report) asksAtEnd(f *session.Frame) bool {
	for i := range f.Parts {
		p := &f.Parts[i]
		if !r.topics.of(p.Topic, &r.budget).marks.reached(p.Partition, p.Offset) {
			return false
		}
	}
	return f.Request != nil && len(f.Request.Topics) > 0
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
