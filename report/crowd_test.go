package report

import (
	"testing"

	"ksniff/reassembly/session"
)

func TestCrowd(t *testing.T) {
	for _, n := range []int64{0, 1, 100, 10_000, 200_000} {
		var c crowd
		for i := range n {
			topic := &session.Topic{Number: int(i) + 1}
			c.add(newHash.topic(topic))
			c.add(newHash.topic(topic)) // again: the same
		}
		if got := c.count(); got < n*98/100 || got > n*102/100 {
			t.Errorf("%d counted as %d", n, got)
		}
	}
}
