package report

import (
	"strings"

	"ksniff/decode"
	"ksniff/reassembly/session"
)

// errorFinder finds the error codes in responses. Its tree is for frames that come without one.
type errorFinder struct {
	tree  decode.Tree
	codes []int16
}

// of gives the codes in a response that are not 0: first those that belong to no Part, then, from parts
// on, those of Parts. They are valid until the next call.
func (e *errorFinder) of(f *session.Frame) (codes []int16, parts int) {
	e.codes = e.codes[:0]
	for n := range errorNodes(e.treeOf(f)) {
		if len(f.Parts) == 0 || n.Name() != "ErrorCode" {
			e.codes = append(e.codes, int16(n.Int()))
		}
	}
	// The answers to legacy requests about one partition have one code, which is its Part's.
	single := f.Generation == session.Legacy && f.Key != session.MULTIFETCH
	if f.ErrorCode != 0 && (len(f.Parts) > 0 || f.Tree == nil) && !(single && len(f.Parts) > 0) {
		e.codes = append(e.codes, f.ErrorCode)
	}
	parts = len(e.codes)
	for i := range f.Parts {
		if code := f.Parts[i].Error; code != 0 {
			e.codes = append(e.codes, code)
		}
	}
	return e.codes, parts
}

// treeOf is the tree with the codes that f.Parts and f.ErrorCode do not tell, nil where they tell all.
func (e *errorFinder) treeOf(f *session.Frame) *decode.Tree {
	switch {
	case f.Generation == session.Modern && f.Key == shareFetch && len(f.Parts) > 0 && f.Tree == nil: // acknowledgements have their own
		e.tree.Decode(decode.Frame{Length: f.Length, Runs: f.Runs, Missing: f.Missing > 0 || f.Cut}, f.Key, f.Version, f.Kind)
		return &e.tree
	case len(f.Parts) > 0 && f.Key != shareFetch:
		return nil
	}
	return f.Tree
}

// errorNodes yields each error code of a message that is not 0, whatever it belongs to: Kafka's names
// for them all end alike (ErrorCode, PartitionErrorCode, AcknowledgeErrorCode).
func errorNodes(t *decode.Tree) func(func(decode.Ref) bool) {
	return func(yield func(decode.Ref) bool) {
		if t == nil {
			return
		}
		for i := range t.Nodes {
			n := &t.Nodes[i]
			if n.Kind != decode.Int16 || n.Field == nil || !strings.HasSuffix(n.Field.Name, "ErrorCode") {
				continue
			}
			if r := t.At(int32(i)); int16(r.Int()) != 0 && !yield(r) {
				return
			}
		}
	}
}

// topicOf names the topic that a field of a message belongs to: the one that the nearest struct around
// it names or, without a name, tells by id; "" where none does.
func topicOf(r decode.Ref) string {
	for p := r.Parent(); p.OK(); p = p.Parent() {
		if p.Kind() != decode.Struct {
			continue
		}
		id := [16]byte{}
		for c := range p.Children() {
			field := c.Schema()
			switch {
			case field == nil || !c.OnWire():
			case c.Kind() == decode.String && field.Entity == "topicName" && c.String() != "":
				return c.String()
			case c.Kind() == decode.UUID && strings.HasSuffix(field.Name, "TopicId"):
				id = c.UUID()
			}
		}
		if id != [16]byte{} {
			return uuidText(id)
		}
	}
	return ""
}
