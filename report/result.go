package report

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// Schema names the form of Result's JSON: fields are added, never renamed.
const Schema = "ksniff.report.v1"

// Result is what a report says, in plain data. It marshals to the JSON of DESIGN section 6.
type Result struct {
	Schema      string      `json:"schema"`
	Capture     Capture     `json:"capture"`
	Ledger      Ledger      `json:"ledger"`
	Connections Connections `json:"connections"`
	Frames      Frames      `json:"frames"`
	Totals      Flow        `json:"totals"`               // each request counted once
	Aborted     int64       `json:"aborted_transactions"` // that their producers ended so
	APIs        []API       `json:"apis"`
	Topics      []Topic     `json:"topics"`
	Clients     []Client    `json:"clients"`
	Silences    []Silence   `json:"unanswered,omitempty"` // the first ones
	By          []string    `json:"by,omitempty"`
	Rows        []Row       `json:"rows,omitzero"` // nil without --by
	Series      *Series     `json:"series,omitempty"`
	Other       *Other      `json:"other,omitempty"`
	// Limits says what the bound on memory (--memory) cost before frames reached the report; nil where nothing.
	Limits *Limits `json:"limits,omitempty"`
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
}

// Latency is a distribution in milliseconds; it marshals as {} where there is no value. Percentiles
// are wrong by less than 0.8 %, the maximum is exact.
type Latency struct {
	Count              int64
	P50, P95, P99, Max float64
}

// MarshalJSON gives {} for no value.
func (l Latency) MarshalJSON() ([]byte, error) {
	if l.Count == 0 {
		return []byte("{}"), nil
	}
	b := []byte(`{"count":` + strconv.FormatInt(l.Count, 10))
	for _, p := range []struct {
		name string
		ms   float64
	}{{"p50", l.P50}, {"p95", l.P95}, {"p99", l.P99}, {"max", l.Max}} {
		b = append(b, `,"`+p.name+`":`...)
		b = strconv.AppendFloat(b, p.ms, 'f', -1, 64)
	}
	return append(b, '}'), nil
}

// API is what was seen of one API.
type API struct {
	Generation string           `json:"generation"`
	API        *string          `json:"api"` // null where ksniff does not know the key
	Key        int16            `json:"key"` // -1 where several unknown keys are added up
	Versions   map[string]int64 `json:"versions"`
	Requests   int64            `json:"requests"`
	Responses  int64            `json:"responses"`
	Errors     map[string]int64 `json:"errors"`
	// ErrorTopics are the topics that an error is about, by its name: of APIs that move no records, where it
	// is about topics. At most 100 names for each API.
	ErrorTopics map[string][]string `json:"error_topics,omitempty"`
	Latency     Latency             `json:"latency_ms"`
	LongPoll    Latency             `json:"long_poll_ms"`
}

// Flow is what moved, both ways.
type Flow struct {
	Produce Produce `json:"produce"`
	Fetch   Fetch   `json:"fetch"`
}

// Produce is what producers sent.
type Produce struct {
	Requests     int64            `json:"requests"`
	Batches      int64            `json:"batches"`
	Messages     int64            `json:"messages"`
	Bytes        int64            `json:"bytes"`
	Uncompressed *int64           `json:"uncompressed_bytes"` // null where not all was opened
	PerSecond    *float64         `json:"messages_per_second"`
	BytesPerSec  *float64         `json:"bytes_per_second"`
	Codecs       map[string]int64 `json:"codecs"`
	Acks         map[string]int64 `json:"acks"`
	Errors       map[string]int64 `json:"errors"`
	Latency      Latency          `json:"latency_ms"`
	Control      int64            `json:"control_records"`
	Incomplete
}

// Fetch is what consumers and follower replicas got. The replicas' part is in the sums, and apart in
// the replica fields: it is the same records once more.
type Fetch struct {
	Requests        int64            `json:"requests"`
	Batches         int64            `json:"batches"`
	Messages        int64            `json:"messages"`
	Bytes           int64            `json:"bytes"`
	Uncompressed    *int64           `json:"uncompressed_bytes"`
	PerSecond       *float64         `json:"messages_per_second"`
	BytesPerSec     *float64         `json:"bytes_per_second"`
	Codecs          map[string]int64 `json:"codecs"`
	Errors          map[string]int64 `json:"errors"`
	Latency         Latency          `json:"latency_ms"`
	LongPoll        Latency          `json:"long_poll_ms"`
	Control         int64            `json:"control_records"`
	ReplicaRequests int64            `json:"replica_requests"`
	ReplicaMessages int64            `json:"replica_messages"`
	ReplicaBytes    int64            `json:"replica_bytes"`
	Incomplete
}

// Incomplete counts what the capture does not hold all of, so that sums are at least so much.
type Incomplete struct {
	Sets   int64 `json:"incomplete_record_sets"` // of their batches: messages and batches
	Frames int64 `json:"incomplete_frames"`      // of their partitions: bytes too
}

func (i *Incomplete) messages(text string) string { return atLeast(text, i.Sets+i.Frames > 0) }
func (i *Incomplete) bytes(text string) string    { return atLeast(text, i.Frames > 0) }

// atLeast marks a cell that is a lower bound.
func atLeast(text string, bound bool) string {
	switch {
	case !bound:
		return text
	case text == "":
		return "?"
	}
	return "≥ " + text
}

// Topic is what moved through one topic.
type Topic struct {
	Topic      string  `json:"topic"`      // "" where only the id is known
	TopicID    *string `json:"topic_id"`   // 22 characters, null where not told
	Partitions int64   `json:"partitions"` // seen with data
	// AtLeast says that the bound on memory left partitions out.
	AtLeast bool `json:"partitions_at_least,omitempty"`
	Flow
}

// Client is one client: a client id at an address.
type Client struct {
	ClientID string   `json:"client_id"`
	Address  string   `json:"address"`
	Software string   `json:"software"`
	Requests int64    `json:"requests"`
	Topics   []string `json:"topics"`
	// More says that the bound on memory left topics out.
	More bool `json:"more_topics,omitempty"`
}

// Row is what --by asked for: all that has the values of By in common.
type Row struct {
	By       map[string]any   `json:"by"` // null: does not apply, or not known
	Requests int64            `json:"requests"`
	Errors   map[string]int64 `json:"errors"`
	Latency  Latency          `json:"latency_ms"`
	LongPoll Latency          `json:"long_poll_ms"`
	Flow
}

// Other is what the bounds on aggregates (or --top) left out of topics, clients and rows. Topics and
// Clients are estimates beyond the bound (within 2 %).
type Other struct {
	Topics  int64 `json:"topics"`
	Clients int64 `json:"clients"`
	Flow
	Rows *OtherRows `json:"rows,omitempty"`
}

// OtherRows is what was left out of Rows.
type OtherRows struct {
	Rows     int64            `json:"rows"`
	Requests int64            `json:"requests"`
	Errors   map[string]int64 `json:"errors"`
	Flow
}

// Series is the capture over time.
type Series struct {
	Seconds float64        `json:"interval_seconds"` // width of a slot; more than asked for in a long capture
	First   Time           `json:"first"`            // start of slot 0
	Total   Beats          `json:"total"`
	Topics  []TopicsPoints `json:"topics"`
}

// Points has one element per slot.
type Points struct {
	ProduceBytes    []int64 `json:"produce_bytes"`
	ProduceMessages []int64 `json:"produce_messages"`
	FetchBytes      []int64 `json:"fetch_bytes"`
	FetchMessages   []int64 `json:"fetch_messages"`
}

// Beats is the capture as a whole: Points and how it did. Latencies are those of prompt answers, in
// milliseconds, null where a slot has none.
type Beats struct {
	Points
	Requests   []int64    `json:"requests"`
	Errors     []int64    `json:"errors"`
	ProduceP50 []*float64 `json:"produce_p50_ms"`
	ProduceP99 []*float64 `json:"produce_p99_ms"`
	FetchP50   []*float64 `json:"fetch_p50_ms"`
	FetchP99   []*float64 `json:"fetch_p99_ms"`
}

// TopicsPoints is the series of one topic, or of all others where Topic is null.
type TopicsPoints struct {
	Topic   *string `json:"topic"`
	TopicID *string `json:"topic_id"`
	Points
}
