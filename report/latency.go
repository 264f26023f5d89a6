package report

import "math"

// noTime is the time of a packet that carries none.
const noTime = math.MinInt64

// latency is the time from the packet that completed the request to the one that completed the
// response, in nanoseconds; -1 where a clock is missing or went back.
func latency(asked, answered int64) int64 {
	if asked == noTime || answered == noTime || answered < asked {
		return -1
	}
	return answered - asked
}

// latencies are the durations of prompt answers and of those that waited for data, each nil until
// there is one.
type latencies struct{ prompt, poll *hist }

// add adds the durations of answers.
func (l *latencies) add(answers []answer, b *budget) {
	for _, a := range answers {
		ns, poll := a.of()
		h := &l.prompt
		if poll {
			h = &l.poll
		}
		if *h == nil {
			*h = new(hist)
		}
		(*h).add(ns, b)
	}
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
