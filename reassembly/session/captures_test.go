package session_test

import (
	"slices"
	"testing"

	"ksniff/reassembly/session"
)

// TestCaptures compares what the brokers and clients of the captures counted themselves (pcaps/README.md
// and the request logs that were written beside them).
func TestCaptures(t *testing.T) {
	for _, c := range []struct {
		name     string
		produced map[string]int64
		requests map[string]int
		tokens   int
		legacy   bool
	}{
		{name: "quickstart.pcap", produced: map[string]int64{"fz-gzip": 25, "kpy-none": 25, "rdk-zstd": 25, "sar-lz4": 25, "sar-snappy": 25}},
		{name: "group.pcap", produced: map[string]int64{"group-kip848-java": 553},
			requests: map[string]int{"Produce": 32, "Fetch": 50, "ListOffsets": 1, "Metadata": 7, "OffsetCommit": 12, "OffsetFetch": 3,
				"FindCoordinator": 2, "ApiVersions": 10, "OffsetForLeaderEpoch": 2, "ConsumerGroupHeartbeat": 27}},
		{name: "transactions.pcap", produced: map[string]int64{"tx-a": 217, "tx-b": 119, "tx-out": 240},
			requests: map[string]int{"Produce": 15, "AddPartitionsToTxn": 14, "EndTxn": 8, "WriteTxnMarkers": 8, "TxnOffsetCommit": 1}},
		{name: "share.pcap", produced: map[string]int64{"share-t": 333},
			requests: map[string]int{"ShareGroupHeartbeat": 26, "ShareFetch": 23, "ShareAcknowledge": 9, "ReadShareGroupState": 5}},
		{name: "fetch-sessions.pcap", produced: map[string]int64{"few": 10, "many": 85}},
		{name: "kafka-0.8.pcap", produced: map[string]int64{"old-none": 50, "gzip": 60, "lz4": 60, "none": 90}},
		{name: "sasl.pcap", produced: map[string]int64{"sasl-v0": 123}, requests: map[string]int{"SaslHandshake": 4, "Produce": 12, "Fetch": 2}, tokens: 8},
		{name: "legacy.pcap", produced: map[string]int64{"ga": 240, "gb": 240}, requests: map[string]int{"0": 160, "2": 165, "4": 16}, legacy: true},
		{name: "legacy-errors.pcap", requests: map[string]int{"0": 5, "1": 16, "3": 1, "4": 4}, legacy: true},
	} {
		n, s := run(t, record(t, c.name), session.Config{})
		for topic, want := range c.produced {
			if n.produced[topic] != want {
				t.Errorf("%s: %d messages produced to %s, want %d", c.name, n.produced[topic], topic, want)
			}
		}
		for api, want := range c.requests {
			if n.requests[api] != want {
				t.Errorf("%s: %d requests %s, want %d", c.name, n.requests[api], api, want)
			}
		}
		if n.tokens != c.tokens || n.unmatched > 0 {
			t.Errorf("%s: %d tokens, want %d; %d unmatched", c.name, n.tokens, c.tokens, n.unmatched)
		}
		if l := s.Ledger(); l.Undecodable > 0 || l.Skipped > 0 {
			t.Errorf("%s: %+v", c.name, l)
		}
		if k := s.Connections; c.legacy != (k.Legacy > 0) || c.legacy == (k.Modern > 0) {
			t.Errorf("%s: %+v", c.name, k)
		}
	}
}

// TestAnySegmentation cuts the streams of each capture in other places: the frames are the same.
func TestAnySegmentation(t *testing.T) {
	for _, name := range []string{"quickstart.pcap", "kafka-0.8.pcap", "sasl.pcap", "share.pcap", "legacy.pcap", "fetch-sessions.pcap"} {
		played := record(t, name)
		for _, cfg := range []session.Config{{}, {Whole: true}} {
			want, _ := run(t, played, cfg)
			slices.Sort(want.frames)
			for _, size := range []int{1, 13, 1460} {
				if testing.Short() && size == 1 && cfg.Whole {
					continue
				}
				got, _ := run(t, recut(played, size), cfg)
				slices.Sort(got.frames)
				if !slices.Equal(got.frames, want.frames) {
					t.Errorf("%s in pieces of %d: %s", name, size, difference(got.frames, want.frames))
				}
			}
		}
	}
}

// recut cuts the data into pieces of at most size bytes.
func recut(played tape, size int) (out tape) {
	for _, o := range played {
		b := o.b
		for ; len(b) > size; b = b[size:] {
			o.b = b[:size]
			out = append(out, o)
		}
		o.b = b
		out = append(out, o)
	}
	return out
}

// difference shows the first line that is in one sorted list only.
func difference(got, want []string) string {
	for i := 0; ; i++ {
		switch {
		case i == len(got) && i == len(want):
			return "same"
		case i == len(got):
			return "missing: " + want[i]
		case i == len(want):
			return "too much: " + got[i]
		case got[i] != want[i]:
			return got[i] + "\n\tnot " + want[i]
		}
	}
}
