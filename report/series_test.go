package report

import (
	"slices"
	"testing"
	"time"

	"ksniff/decode"
	"ksniff/reassembly/session"
)

// sent feeds one Produce request per (milliseconds, bytes) pair.
func sent(r *Report, topic *session.Topic, pairs ...[2]int64) {
	for _, p := range pairs {
		r.Frame(frame(decode.Request, produceAPI, 9, p[0], nil, part(topic, 0, 1, p[1], 0)))
	}
}

func TestSeries(t *testing.T) {
	r := newReport(t, Config{Interval: time.Second})
	// The clock goes back beyond the first slot: the grid grows to the left.
	sent(r, &session.Topic{Name: "a"}, [2]int64{5_100, 1}, [2]int64{5_900, 2}, [2]int64{7_000, 4}, [2]int64{3_500, 8})
	s := result(r).Series
	if s.Seconds != 1 || s.First != Time(3e9) || !slices.Equal(s.Total.ProduceBytes, []int64{8, 0, 1 + 2, 0, 4}) ||
		!slices.Equal(s.Total.ProduceMessages, []int64{1, 0, 2, 0, 1}) || !slices.Equal(s.Total.Requests, []int64{1, 0, 2, 0, 1}) {
		t.Errorf("%+v", s)
	}
	if !slices.Equal(s.Topics[0].ProduceBytes, s.Total.ProduceBytes) {
		t.Errorf("topic: %+v", s.Topics[0])
	}
}

// However long the capture and however the clock jumps, there are few slots and nothing is lost.
func TestSeriesWidens(t *testing.T) {
	r := newReport(t, Config{Auto: true})
	a, b := &session.Topic{Name: "a"}, &session.Topic{Name: "b"}
	sent(r, a, [2]int64{0, 1}, [2]int64{1, 2}, [2]int64{600, 4}, [2]int64{-100_000, 8}, [2]int64{9.2e12, 16}, [2]int64{-9.2e12, 32})
	sent(r, b, [2]int64{0, 64})
	s := result(r).Series
	sum := func(list []int64) (n int64) {
		for _, x := range list {
			n += x
		}
		return n
	}
	if n := len(s.Total.ProduceBytes); n > 512 || sum(s.Total.ProduceBytes) != 127 {
		t.Errorf("%d slots, sum %d", n, sum(s.Total.ProduceBytes))
	}
	if sum(s.Topics[0].ProduceBytes) != 64 || sum(s.Topics[1].ProduceBytes) != 63 {
		t.Errorf("%+v", s.Topics)
	}
}

// Memory that is too short for a series of each topic puts the rest under others.
func TestSeriesOther(t *testing.T) {
	r := newReport(t, Config{Interval: time.Millisecond, Memory: 20_000})
	for i := range int64(20) {
		sent(r, &session.Topic{Name: string(rune('a' + i))}, [2]int64{i * 10, 1}, [2]int64{i*10 + 5, 1})
	}
	s := result(r).Series
	total := int64(0)
	for _, x := range s.Topics {
		for _, n := range x.ProduceBytes {
			total += n
		}
	}
	if last := s.Topics[len(s.Topics)-1]; total != 40 || last.Topic != nil {
		t.Errorf("sum %d, last %v", total, last.Topic)
	}
}
