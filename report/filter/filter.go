// Package filter is the language of -Y: an expression over the fields of a frame, compiled once
// into closures. docs/filters.md describes it for users.
package filter

import "math"

// Kind says which part of a Value counts.
type Kind uint8

// The kinds of values.
const (
	Number Kind = iota // Int
	Real               // Float
	Text               // Text
	Flag               // Int, 0 or 1
)

// Value is one value of a field. Text is valid during the call that got it.
type Value struct {
	Kind  Kind
	Int   int64 // API: the key beside the name; durations and times: nanoseconds; address: the port
	Float float64
	Text  string
	Addr  [16]byte // IPv4 as ::ffff:a.b.c.d
}

// Subject is what a filter looks at: one frame.
type Subject interface {
	// Any says whether test holds for one of the values that the frame has of a field.
	Any(f Field, test func(Value) bool) bool
	// AnyAt does the same for the fields of the message (Body) or of its header (Header) that lie at
	// a path: names in lower case, as Kafka has them, at any depth and in any element of an array.
	AnyAt(f Field, path []string, test func(Value) bool) bool
}

// NoTime is the Value.Int of Time of a frame without time.
const NoTime = math.MinInt64

// Filter is a compiled expression. It is not safe for concurrent use.
type Filter struct {
	source   string
	match    func(Subject) bool
	cost     cost
	clock    bool  // a time of day is in it
	midnight int64 // before the first frame, ns since 1970, or NoTime
}

// Compile reads an expression; an error is an *Error. The empty expression matches everything.
func Compile(source string) (*Filter, error) {
	f := &Filter{source: source, midnight: NoTime, match: func(Subject) bool { return true }}
	if first, bad := next(source, 0); bad == nil && first.kind == end {
		return f, nil
	}
	n, bad := parse(source)
	if bad != nil {
		return nil, bad
	}
	c := compiler{source: source, filter: f}
	if f.match, f.cost, bad = c.compile(n); bad != nil {
		return nil, bad
	}
	return f, nil
}

// String gives the expression as it was written.
func (f *Filter) String() string { return f.source }

// NeedsBody says whether the filter may ask for fields of the message beyond those of every frame.
func (f *Filter) NeedsBody() bool { return f.cost == tree }

// Match says whether the expression holds. Frames are shown in the order of the capture, all of them:
// a time of day means the day of the first.
func (f *Filter) Match(s Subject) bool {
	if f.clock && f.midnight == NoTime {
		s.Any(Time, f.begin)
	}
	return f.match(s)
}

func (f *Filter) begin(v Value) bool {
	f.midnight = v.Int - (v.Int%day+day)%day
	return true
}
