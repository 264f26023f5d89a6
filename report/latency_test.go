package report

import (
	"fmt"
	"testing"

	"ksniff/decode"
	"ksniff/reassembly/session"
)

// Which Fetches waited for data: asked at the end of the log, or came back with too little when the
// time was over.
func TestLongPoll(t *testing.T) {
	const end = 100 // high watermark that the first answer tells
	for _, c := range []struct {
		name           string
		offset         int64
		maxWait, least int32
		bytes, took    int64
		error          int16
		poll           bool
	}{
		{"data that came while it waited", end, 500, 1, 300, 120, 0, true},
		{"data that was there, slow disk", end - 1, 500, 1, 300, 120, 0, false},
		{"nothing until the time was over", end - 1, 500, 1, 0, 501, 0, true},
		{"too little until the time was over", end - 1, 500, 1000, 300, 500, 0, true},
		{"nothing, but at once", end - 1, 500, 1, 0, 1, 0, false},
		{"no wait allowed", end, 0, 1, 0, 1, 0, false},
		{"an error is told at once", end, 500, 1, 0, 1, 6, false},
		{"an error that came up during the wait", end, 500, 1, 0, 500, 74, true},
	} {
		r := newReport(t, Config{})
		a := &session.Topic{Name: "a"}
		exchange := func(offset, bytes, at, took int64, code int16) {
			q := request(&session.Client{}, at, noAcks, a)
			q.MaxWait, q.MinBytes = c.maxWait, c.least
			asks := session.Part{Topic: a, Offset: offset, HighWatermark: -1}
			r.Frame(frame(decode.Request, fetchAPI, 12, at, q, asks))
			p := part(a, 0, 1, bytes, 0)
			p.HighWatermark, p.Error = end, code
			r.Frame(frame(decode.Response, fetchAPI, 12, at+took, q, p))
		}
		// Produced messages are known to be there: the first Fetch is prompt.
		r.Frame(frame(decode.Request, produceAPI, 9, 0, nil, part(a, 0, end, 5000, 0)))
		exchange(0, 5000, 0, 3, 0)
		exchange(c.offset, c.bytes, 10, c.took, c.error)
		f := result(r).Topics[0].Fetch
		got := fmt.Sprint(f.Latency.Count, f.LongPoll.Count)
		want := "2 0"
		if c.poll {
			want = "1 1"
		}
		if got != want || c.poll && f.LongPoll.Max != float64(c.took) {
			t.Errorf("%s: %s answers prompt and long, want %s", c.name, got, want)
		}
		if len(r.polls.waiting) != 0 {
			t.Errorf("%s: %d requests left", c.name, len(r.polls.waiting))
		}
	}
}

// A clock that goes back, or is missing, gives no latency.
func TestNoLatency(t *testing.T) {
	for _, times := range [][2]int64{{5, 4}, {noTime, 4}, {4, noTime}} {
		r := newReport(t, Config{})
		q := &session.Request{Time: times[0], Acks: 1, Topics: []*session.Topic{{Name: "a"}}}
		f := frame(decode.Response, produceAPI, 9, 0, q)
		f.Last.Time = times[1]
		r.Frame(f)
		if l := result(r).Topics[0].Produce.Latency; l.Count != 0 {
			t.Errorf("%v: %+v", times, l)
		}
	}
}
