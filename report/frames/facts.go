package frames

import (
	"slices"

	"ksniff/report/filter"
)

// topics are the names of a frame's topics, each once, in the order of the frame. They share the
// frame's bytes.
type topics struct {
	names []string
	seen  map[string]struct{} // once there are many
	add   func(filter.Value) bool
}

// manyTopics is where looking through the names takes longer than a map.
const manyTopics = 16

func (t *topics) collect(f *filter.Frame) {
	t.names = t.names[:0]
	clear(t.seen)
	f.Any(filter.Topic, t.add)
}

func (t *topics) take(v filter.Value) bool {
	if len(t.names) < manyTopics {
		if !slices.Contains(t.names, v.Text) {
			t.names = append(t.names, v.Text)
		}
		return false
	}
	if t.seen == nil {
		t.seen = map[string]struct{}{}
	}
	if len(t.seen) == 0 {
		for _, name := range t.names {
			t.seen[name] = struct{}{}
		}
	}
	if _, there := t.seen[v.Text]; !there {
		t.seen[v.Text] = struct{}{}
		t.names = append(t.names, v.Text)
	}
	return false
}

// errorOf is the first error of a response that is not 0.
type errorOf struct {
	code int16
	name string // "" where there is none
	add  func(filter.Value) bool
}

func (e *errorOf) collect(f *filter.Frame) {
	e.code, e.name = 0, ""
	f.Any(filter.ErrorCode, e.add)
}

func (e *errorOf) take(v filter.Value) bool {
	if v.Int != 0 {
		e.code, e.name = int16(v.Int), v.Text
	}
	return v.Int != 0
}
