package report

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"ksniff/decode"
	"ksniff/reassembly/session"
)

// What the aggregates take is bounded by Config.Memory, whatever the traffic names.
func TestMemoryIsBounded(t *testing.T) {
	const bound = 8 << 20
	for _, cfg := range []Config{{}, {By: []string{"topic", "client", "partition"}}, {Interval: time.Second}} {
		cfg.Memory = bound
		r := newReport(t, cfg)
		var topics []*session.Topic // the session's, not ours
		var clients []*session.Client
		for i := range 30_000 {
			topics = append(topics, &session.Topic{Name: fmt.Sprint("topic-", i)})
			clients = append(clients, &session.Client{ID: fmt.Sprint(i)})
		}
		before := heap()
		for i, topic := range topics {
			at := int64(i) * 7
			q := request(clients[i], at, 1, topic, topics[i/2])
			p := part(topic, int32(i*31%5000), 1, 100, i%5)
			p.HighWatermark = 5
			r.Frame(frame(decode.Request, produceAPI, 9, at, q, p))
			r.Frame(frame(decode.Response, produceAPI, 9, at+int64(i%1000), q, session.Part{Topic: topic, Error: int16(i % 100)}))
			r.Frame(frame(decode.Response, fetchAPI, 9, at+int64(i%500), q, p))
		}
		if used := heap() - before; used > bound*5/4 {
			t.Errorf("%+v: %d KB of %d", cfg, used>>10, bound>>10)
		} else {
			t.Logf("%+v: %d KB of %d, %d topics", cfg, used>>10, bound>>10, len(r.topics.byTopic))
		}
		runtime.KeepAlive(topics)
		runtime.KeepAlive(clients)
		runtime.KeepAlive(r)
	}
}

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
