package report

import "strconv"

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

	sort string // what rows come first by, "" is bytes
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

	null bool // the id was null, not "": two clients
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
