package report

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
