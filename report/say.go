package report

import (
	"ksniff/reassembly/session"
)

// How this package names and writes things, for the views beside it.

// TopicName is a topic's name or, while it has none, its id as Kafka prints it.
func TopicName(t *session.Topic) string { return topicLabel(t) }

// APIName names the API of a frame: legacy ones in capitals, "" where it is not known.
func APIName(f *session.Frame) string {
	return (&api{generation: f.Generation, schema: f.API, key: f.Key}).name()
}

// ErrorName names an error code; one that no release has is UNKNOWN(code).
func ErrorName(g session.Generation, code int16) string { return errorName(errorKey(g, code)) }

// Short writes a number with three digits at most: 1.23k, 45.6M.
func Short(n float64) string { return short(n) }

// Bytes writes a number of bytes with a decimal unit: 1.2 MB.
func Bytes(n float64) string { return size(n) }

// Millis writes a duration given in milliseconds with its best unit: 12 µs, 1.5 ms, 2.3 s.
func Millis(ms float64) string { return millis(ms) }

// Plural writes a count with its noun: 1 topic, 2 topics.
func Plural(n int64, noun string) string { return plural(n, noun) }

// Percent writes a share; it never rounds up to 100 or down to 0.
func Percent(share float64) string { return percent(share) }
