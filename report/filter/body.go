package filter

import (
	"strings"
	"unsafe"

	"ksniff/decode"
)

// AnyAt implements Subject.
func (s *Frame) AnyAt(f Field, path []string, test func(Value) bool) bool {
	t := s.Tree()
	if t == nil {
		return false
	}
	top := t.Body().Node()
	if f == Header {
		top = t.Header().Node()
	}
	last := path[len(path)-1]
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Field == nil || n.Kind >= decode.Tags || !strings.EqualFold(n.Field.Name, last) || !within(t, int32(i), top, path) {
			continue
		}
		if v, ok := s.value(t.At(int32(i))); ok && test(v) {
			return true
		}
	}
	return false
}

// value reads a field; null and what could not be read has no value.
func (s *Frame) value(r decode.Ref) (Value, bool) {
	if !r.OnWire() || r.IsNull() {
		return Value{}, false
	}
	switch r.Kind() {
	case decode.Bool:
		return Value{Kind: Flag, Int: r.Int()}, true
	case decode.Float64:
		return Value{Kind: Real, Float: r.Float()}, true
	case decode.String, decode.Bytes:
		b := r.Bytes()
		return Value{Kind: Text, Text: unsafe.String(unsafe.SliceData(b), len(b))}, true
	case decode.UUID:
		id := r.UUID()
		return Value{Kind: Text, Text: s.id(id[:])}, true
	case decode.Struct, decode.Array, decode.RecordSet:
		return Value{Kind: Flag, Int: 1}, true
	}
	return Value{Int: r.Int()}, true
}

// within says whether the fields from below top down to node i end in path. An element of an array
// has no name of its own.
func within(t *decode.Tree, i, top int32, path []string) bool {
	for k := len(path) - 1; i >= 0; i = t.Nodes[i].Parent {
		n := &t.Nodes[i]
		if i == top {
			return k < 0
		}
		if k < 0 || n.Field == nil || n.Parent >= 0 && t.Nodes[n.Parent].Kind == decode.Array {
			continue
		}
		if !strings.EqualFold(n.Field.Name, path[k]) {
			return false
		}
		k--
	}
	return false
}
