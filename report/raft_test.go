package report

import (
	"fmt"
	"testing"

	"ksniff/decode"
	"ksniff/reassembly/session"
)

// A controller's Fetch with min_bytes 0 waits for max_wait_ms all the same (KafkaRaftClient.handleFetchRequest), while a
// broker answers one at once: half a second is a long poll of the former and a slow answer of the latter.
func TestRaftFetchesWaitWhateverMinBytesIs(t *testing.T) {
	for _, c := range []struct {
		topic session.Topic
		bytes int64
		took  int64
		error int16
		poll  bool
	}{
		{session.Topic{Name: "__cluster_metadata"}, 0, 501, 0, true},
		{session.Topic{ID: [16]byte{15: 1}}, 0, 501, 0, true},
		{session.Topic{ID: [16]byte{15: 1}}, 300, 120, 0, true}, // data came while it waited
		{session.Topic{Name: "__cluster_metadata"}, 0, 3, 74, false},
		{session.Topic{Name: "a"}, 0, 501, 0, false},
		{session.Topic{Name: "a"}, 300, 120, 0, false},
	} {
		r, follower := newReport(t, Config{}), NewFollower(0)
		topic := c.topic
		q := request(&session.Client{}, 0, noAcks, &topic)
		q.MaxWait, q.MinBytes = 500, 0
		asks := frame(decode.Request, fetchAPI, 17, 0, q, session.Part{Topic: &topic, Offset: 100, HighWatermark: -1})
		p := part(&topic, 0, 1, c.bytes, 0)
		p.HighWatermark, p.Error = 100, c.error
		answer := frame(decode.Response, fetchAPI, 17, c.took, q, p)
		r.Frame(asks)
		r.Frame(answer)
		follower.Frame(asks)
		long := int64(0)
		if c.poll {
			long = 1
		}
		f := result(r).Totals.Fetch
		if f.LongPoll.Count != long || f.Latency.Count != 1-long || follower.Frame(answer).LongPoll != c.poll {
			t.Errorf("%s: %d long polls, %d prompt", fmt.Sprintf("%+v", c), f.LongPoll.Count, f.Latency.Count)
		}
	}
}

// A frame with three broken record sets is one that `frames -Y fault` shows.
func TestFaultyFramesCountOnce(t *testing.T) {
	r := newReport(t, Config{})
	a := &session.Topic{Name: "a"}
	f := frame(decode.Request, produceAPI, 9, 0, nil, part(a, 0, 1, 10, 0), part(a, 1, 1, 10, 0), part(a, 2, 1, 10, 0))
	for i := range f.Parts {
		f.Parts[i].Sets.Faulty, f.Parts[i].Sets.Fault = true, decode.Fault{Code: decode.Truncated, Offset: i}
	}
	f.Faulty, f.Fault = true, f.Parts[0].Sets.Fault
	r.Frame(f)
	res := result(r)
	if got := fmt.Sprint(res.Frames.Faulty, res.Frames.Faults); got != "map[truncated:1] map[truncated:3]" {
		t.Error(got)
	}
}
