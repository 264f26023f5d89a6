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

// answer is how many nanoseconds one took or, where it may have waited for data, their complement.
type answer int64

func answerOf(ns int64, poll bool) answer {
	if poll {
		return ^answer(ns)
	}
	return answer(ns)
}

// of gives what answerOf took.
func (a answer) of() (ns int64, poll bool) {
	if a < 0 {
		return int64(^a), true
	}
	return int64(a), false
}

// latencies are the durations of prompt answers and of those that waited for data, each nil until
// there is one.
type latencies struct{ prompt, poll *hist }

// add adds the durations of answers.
func (l *latencies) add(answers []answer, b *budget) {
	addAnswers(&l.prompt, answers, false, b)
	addAnswers(&l.poll, answers, true, b)
}

// addAnswers adds the durations of the answers that are polls, or of those that are none, to a histogram that is made
// where there is one.
func addAnswers(to **hist, answers []answer, polls bool, b *budget) {
	for i, a := range answers {
		if _, poll := a.of(); poll == polls {
			if *to == nil {
				*to = new(hist)
			}
			(*to).answers(answers[i:], polls, b)
			return
		}
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
