package report

import (
	"encoding/json"
	"strings"
	"time"
)

// Capture says what was read.
type Capture struct {
	Sources []string `json:"sources"`
	Packets int64    `json:"packets"`
	Bytes   int64    `json:"bytes"` // captured bytes of all packets
	First   *Time    `json:"first"` // null where no packet has a time
	Last    *Time    `json:"last"`
	Seconds float64  `json:"seconds"`
	Cut     int64    `json:"cut_packets"`     // shortened by the snap length
	Dropped int64    `json:"dropped_packets"` // lost by kernel or ksniff while capturing, as far as known
	// Packets of a live capture that were read while ksniff could not keep up: what is in them counts, but nothing
	// was decompressed or looked into beyond that.
	Strained int64 `json:"strained_packets,omitempty"`
	// Ended says why not all was read: "interrupted", or what the input broke at. "" is to its end.
	Ended string `json:"ended,omitempty"`
	Only
}

// Only says what was asked for of what was read; empty is all.
type Only struct {
	CaptureFilter string `json:"capture_filter,omitempty"` // -f: other packets are as if they were not there
	DisplayFilter string `json:"display_filter,omitempty"` // -Y: other frames do not count, but for the ledger and connections
	FrameLimit    uint64 `json:"frame_limit,omitempty"`    // -c: 0 is no limit
}

func (o *Only) String() string {
	var parts []string
	if o.CaptureFilter != "" {
		parts = append(parts, "packets of -f '"+safe(o.CaptureFilter)+"'")
	}
	if o.DisplayFilter != "" {
		parts = append(parts, "frames of -Y '"+safe(o.DisplayFilter)+"'")
	}
	if o.FrameLimit > 0 {
		parts = append(parts, "the first "+plural(int64(o.FrameLimit), "frame"))
	}
	if parts == nil {
		return ""
	}
	return "only " + strings.Join(parts, ", ")
}

// Time marshals as RFC 3339 with nanoseconds, UTC; it is in nanoseconds since 1970.
type Time int64

// MarshalJSON gives the time as a string.
func (t Time) MarshalJSON() ([]byte, error) { return json.Marshal(t.String()) }

func (t Time) String() string { return time.Unix(0, int64(t)).UTC().Format(time.RFC3339Nano) }

// Span sets First, Last and Seconds from times in nanoseconds; noTime for both is no packet.
func (c *Capture) Span(first, last int64) {
	if first == noTime || last == noTime {
		return
	}
	f, l := Time(first), Time(last)
	c.First, c.Last = &f, &l
	c.Seconds = float64(uint64(last)-uint64(first)) / 1e9
}

// Ledger says what became of every captured TCP payload byte (DESIGN section 5).
type Ledger struct {
	TCPPayload    int64   `json:"tcp_payload_bytes"`
	Decoded       int64   `json:"decoded_bytes"`
	Undecodable   int64   `json:"undecodable_bytes"`
	Skipped       int64   `json:"skipped_bytes"`
	Encrypted     int64   `json:"encrypted_bytes"`
	Foreign       int64   `json:"foreign_bytes"`
	Pending       int64   `json:"pending_bytes"`
	Gap           int64   `json:"gap_bytes"`
	Retransmitted int64   `json:"retransmitted_bytes"`
	Completeness  float64 `json:"completeness"`
	// Conflicts counts segments that came again with other bytes; the first copy counted.
	Conflicts int64 `json:"conflicting_segments,omitempty"`
}

// Complete sets Completeness: decoded ÷ (payload − foreign − encrypted + gap), 1 where that is 0 ÷ 0.
func (l *Ledger) Complete() {
	l.Completeness = 1
	if whole := l.clear(); whole > 0 {
		l.Completeness = float64(l.Decoded) / float64(whole)
	}
}

// clear is what Kafka is known to have sent in clear text, captured or not.
func (l *Ledger) clear() int64 { return l.TCPPayload - l.Foreign - l.Encrypted + l.Gap }

// Connections counts connections by what they proved to speak.
type Connections struct {
	Total     int64 `json:"total"`
	Modern    int64 `json:"modern"`
	Legacy    int64 `json:"legacy"`
	TLS       int64 `json:"tls"`
	ZooKeeper int64 `json:"zookeeper"`
	Foreign   int64 `json:"foreign"`
}

// Frames counts whole frames. Faults of frames and of the record sets inside them are counted by code.
type Frames struct {
	Requests   int64 `json:"requests"`
	Responses  int64 `json:"responses"`
	Unmatched  int64 `json:"unmatched_responses"`
	Unanswered int64 `json:"unanswered_requests"`
	Inferred   int64 `json:"inferred_responses"`
	// Raw SASL tokens among requests and responses. Not each has an answer.
	TokenRequests  int64            `json:"token_requests"`
	TokenResponses int64            `json:"token_responses"`
	Faults         map[string]int64 `json:"faults"`
	Faulty         map[string]int64 `json:"faulty_frames"` // each once, by the fault that `frames -Y fault` shows
}

// Limits counts what was given up for the bound on memory, the oldest first.
type Limits struct {
	Connections int64 `json:"connections"`  // ended early
	Gaps        int64 `json:"gaps"`         // bytes that came late and were not waited for
	Unfinished  int64 `json:"unfinished"`   // frames that were not whole yet
	Requests    int64 `json:"requests"`     // that waited for a response
	Responses   int64 `json:"responses"`    // that waited for their request
	Topics      int64 `json:"topic_names"`  // times that a topic could not be kept apart
	Clients     int64 `json:"client_names"` // times that a client could not be kept apart
	Partitions  int64 `json:"partitions"`   // of fetch sessions, which are not followed any more
}
