package decode

import (
	"iter"

	"ksniff/decode/schema"
)

// Ref points at a field of a Tree: one on the wire, or one that is not there and has the schema's
// default. It is a small value, nothing allocates. The zero Ref is no field; all getters take it.
// It is valid until the tree is used again.
type Ref struct {
	t *Tree
	i int32         // node, -1 where the field is not on the wire
	f *schema.Field // of a field that is not on the wire
}

// Header is the frame's header: RequestApiKey, CorrelationId, ClientId and so on.
func (t *Tree) Header() Ref { return t.ref(t.header) }

// Body is the message.
func (t *Tree) Body() Ref { return t.ref(t.body) }

// At is the node with that index (of Fault.Node).
func (t *Tree) At(node int32) Ref { return t.ref(node) }

func (t *Tree) ref(i int32) Ref {
	if i < 0 || int(i) >= len(t.Nodes) {
		return Ref{i: -1}
	}
	return Ref{t: t, i: i}
}

// OK says that the message has the field in this version: on the wire, or absent at its default. Where
// it is false, the getters still give the schema's default as far as there is one.
func (r Ref) OK() bool {
	return r.t != nil && (r.i >= 0 || r.f.Versions.Has(r.t.BodyVersion))
}

// OnWire says that the frame has the field, and that its value could be read.
func (r Ref) OnWire() bool { return r.i >= 0 && r.t != nil && r.node().flags&flagCut == 0 }

// Cut says that the decoding stopped in this field: it has no value, or not all of its children.
func (r Ref) Cut() bool { return r.i >= 0 && r.t != nil && r.node().flags&flagCut != 0 }

func (r Ref) node() *Node { return &r.t.Nodes[r.i] }

// Node is the index of the field in the tree's Nodes, -1 where it is not on the wire.
func (r Ref) Node() int32 {
	if r.t == nil {
		return -1
	}
	return r.i
}

// Tree is the tree that the field is in.
func (r Ref) Tree() *Tree { return r.t }

// Kind says what the field is, 0 for no field.
func (r Ref) Kind() NodeKind {
	switch {
	case r.t == nil:
		return 0
	case r.i >= 0:
		return r.node().Kind
	case r.f.Array:
		return Array
	}
	return NodeKind(r.f.Type)
}

// Schema is the field's definition; an array's elements have the array's. Nil for header and body
// themselves and for unknown tagged fields.
func (r Ref) Schema() *schema.Field {
	if r.t != nil && r.i >= 0 {
		return r.node().Field
	}
	return r.f
}

// Name is Kafka's name of the field, the message's for header and body, "" for elements and unknown
// tagged fields.
func (r Ref) Name() string {
	switch {
	case r.t == nil:
		return ""
	case r.i < 0:
		return r.f.Name
	case r.i == r.t.header:
		return r.t.top[0].message.Name
	case r.i == r.t.body:
		return r.t.top[1].message.Name
	case r.IsElement() || r.node().Field == nil:
		return ""
	}
	return r.node().Field.Name
}

// IsElement says that the node is an element of an array.
func (r Ref) IsElement() bool {
	p := r.Parent()
	return p.t != nil && p.Kind() == Array
}

// Parent is the struct or array that the field is in. (Of a field that is not on the wire: none.)
func (r Ref) Parent() Ref {
	if r.t == nil || r.i < 0 {
		return Ref{i: -1}
	}
	p := r.node().Parent
	if p >= 0 && r.t.Nodes[p].Kind == Tags {
		p = r.t.Nodes[p].Parent
	}
	return r.t.ref(p)
}

// Field finds a field of a struct by Kafka's name. Where it is not on the wire, it is the schema's
// default: also of tagged fields that are left out, and of fields that the version lacks (OK is
// false for these).
func (r Ref) Field(name string) Ref {
	if r.t == nil {
		return Ref{i: -1}
	}
	fields := r.fields()
	if r.i >= 0 {
		for i := r.first(); i > 0; i = r.t.Nodes[i].Next {
			n := &r.t.Nodes[i]
			if n.Kind == Tags {
				return r.tagged(i, name, fields)
			}
			if n.Field.Name == name {
				return Ref{t: r.t, i: i}
			}
		}
	}
	return r.absent(name, fields)
}

func (r Ref) tagged(tags int32, name string, fields []schema.Field) Ref {
	for i := r.t.ref(tags).first(); i > 0; i = r.t.Nodes[i].Next {
		if n := &r.t.Nodes[i]; n.Field != nil && n.Field.Name == name && n.flags&flagRepeated == 0 {
			return Ref{t: r.t, i: i}
		}
	}
	return r.absent(name, fields)
}

// absent is a field that is not on the wire; of two forms the one that the version has goes first.
func (r Ref) absent(name string, fields []schema.Field) Ref {
	none := Ref{i: -1}
	for i := range fields {
		f := &fields[i]
		if f.Name != name {
			continue
		}
		if none = (Ref{t: r.t, i: -1, f: f}); f.Versions.Has(r.t.BodyVersion) {
			break
		}
	}
	return none
}

// fields are the definitions of a struct's fields.
func (r Ref) fields() []schema.Field {
	switch {
	case r.t == nil:
		return nil
	case r.i < 0:
		return r.f.Fields
	case r.Kind() != Struct:
		return nil
	case r.i == r.t.header:
		return r.t.top[0].message.Fields
	case r.i == r.t.body:
		return r.t.top[1].message.Fields
	}
	return r.node().Field.Fields
}

// first is the first node within r, 0 where it has none.
func (r Ref) first() int32 {
	next := r.i + 1
	if int(next) < len(r.t.Nodes) && r.t.Nodes[next].Parent == r.i {
		return next
	}
	return 0
}

// Elements are the elements of an array.
func (r Ref) Elements() iter.Seq[Ref] {
	return func(yield func(Ref) bool) {
		if r.Kind() != Array || r.i < 0 {
			return
		}
		for i := r.first(); i > 0; i = r.t.Nodes[i].Next {
			if !yield(Ref{t: r.t, i: i}) {
				return
			}
		}
	}
}

// Children are the fields of a struct that are on the wire, known and unknown tagged ones last, or the
// elements of an array.
func (r Ref) Children() iter.Seq[Ref] {
	return func(yield func(Ref) bool) {
		if r.t == nil || r.i < 0 {
			return
		}
		for i := r.first(); i > 0; {
			n := &r.t.Nodes[i]
			if n.Kind == Tags {
				i = r.t.ref(i).first()
				continue
			}
			if n.flags&flagRepeated == 0 && !yield(Ref{t: r.t, i: i}) {
				return
			}
			i = n.Next
		}
	}
}

// Count is the number of an array's elements, as far as they could be read.
func (r Ref) Count() int {
	n := 0
	if r.Kind() == Array && r.i >= 0 {
		for i := r.first(); i > 0; i = r.t.Nodes[i].Next {
			n++
		}
	}
	return n
}
