package report

import (
	"cmp"
	"slices"
	"strings"
)

// failures are the topics that errors of an API are about, each with its error once, as far as there is room.
type failures struct{ seen map[failure]struct{} }

type failure struct {
	code  int32 // packed as errorKey does
	topic string
}

const (
	mostFailures = 100
	failureCost  = 100 // and its name, bytes
)

// add takes an error; the name may lie in the frame.
func (l *failures) add(f failure, b *budget) {
	if _, known := l.seen[f]; known || f.topic == "" || len(l.seen) >= mostFailures || !b.take(failureCost+int64(len(f.topic))) {
		return
	}
	if l.seen == nil {
		l.seen = map[failure]struct{}{}
	}
	f.topic = strings.Clone(f.topic)
	l.seen[f] = struct{}{}
}

// byError lists the topics by the name of the error, nil where there is none. Those told by id get the
// name that became known.
func (l *failures) byError(names map[string]string) map[string][]string {
	if len(l.seen) == 0 {
		return nil
	}
	m := map[string][]string{}
	for f := range l.seen {
		name := errorName(f.code)
		m[name] = append(m[name], cmp.Or(names[f.topic], f.topic))
	}
	for name, topics := range m {
		slices.Sort(topics)
		m[name] = slices.Compact(topics)
	}
	return m
}
