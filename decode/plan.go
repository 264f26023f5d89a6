package decode

import (
	"slices"

	"ksniff/decode/schema"
)

// A plan is a message's layout in one version: flat lists of ops, without version tests.
type plan struct {
	message *schema.Message
	version int16
	blocks  []block // blocks[0] is the message
	sketch  map[string]slot
}

// A block is what is read one after the other: the fields of a struct, or the tagged fields of one,
// ascending by tag.
type block []op

// An op reads one field, or the elements of an array.
type op struct {
	field    *schema.Field
	do       action
	kind     NodeKind
	nullable bool
	compact  bool  // length or count is an unsigned varint, one more than the value
	size     int32 // bytes of a fixed field; least bytes of anything else
	block    int32 // of a struct: its fields; of an array: its element, alone; of the tags: the tagged fields
	tag      uint32
	slot     slot // where a View keeps the value; of an array its elements have it too
}

// An action is how a field is read.
type action uint8

const (
	readFixed action = iota
	readSized        // length and bytes: string, bytes, records
	readStruct
	readArray
	readTags
)

var fixedSize = [...]int32{
	schema.Bool: 1, schema.Int8: 1, schema.Int16: 2, schema.Uint16: 2, schema.Int32: 4, schema.Uint32: 4,
	schema.Int64: 8, schema.Float64: 8, schema.UUID: 16, schema.Struct: 0,
}

// compile makes the plan of a message in one version.
func compile(m *schema.Message, version int16) *plan {
	p := &plan{message: m, version: version, sketch: sketches[m.Name]}
	p.structure(m.Fields, m.Flexible.Has(version), "")
	return p
}

// structure adds the block of a struct's fields and gives its index and the least bytes it takes.
func (p *plan) structure(fields []schema.Field, flexible bool, path string) (index, size int32) {
	index = int32(len(p.blocks))
	p.blocks = append(p.blocks, nil)
	var plain, tagged block
	for i := range fields {
		f := &fields[i]
		if !f.Versions.Has(p.version) {
			continue
		}
		o := p.field(f, flexible && f.Flexible != schema.None, path+f.Name)
		if flexible && f.Tagged.Has(p.version) {
			o.tag = f.Tag
			tagged = append(tagged, o)
			continue
		}
		size += o.size
		plain = append(plain, o)
	}
	if flexible {
		slices.SortFunc(tagged, func(a, b op) int { return int(a.tag) - int(b.tag) })
		plain = append(plain, op{do: readTags, kind: Tags, block: int32(len(p.blocks)), size: 1})
		p.blocks = append(p.blocks, tagged)
		size++
	}
	p.blocks[index] = plain
	return index, size
}

// field makes the op of a field; that of an array reads its elements with the op in a block of its own.
func (p *plan) field(f *schema.Field, flexible bool, path string) op {
	nullable := f.Nullable.Has(p.version)
	if !f.Array {
		return p.value(f, flexible, nullable, path)
	}
	element := p.value(f, flexible, false, path)
	o := op{field: f, do: readArray, kind: Array, nullable: nullable, compact: flexible, size: 4, slot: element.slot, block: int32(len(p.blocks))}
	if flexible {
		o.size = 1
	}
	p.blocks = append(p.blocks, block{element})
	return o
}

func (p *plan) value(f *schema.Field, flexible, nullable bool, path string) op {
	o := op{field: f, do: readSized, kind: NodeKind(f.Type), nullable: nullable, compact: flexible, slot: p.sketch[path]}
	switch f.Type {
	case schema.Struct:
		o.do = readStruct
		o.block, o.size = p.structure(f.Fields, flexible, path+".")
		if nullable {
			o.size = 1
		}
	case schema.String, schema.Bytes, schema.Records:
		switch {
		case flexible:
			o.size = 1
		case f.Type == schema.String:
			o.size = 2
		default:
			o.size = 4
		}
	default:
		o.do, o.size = readFixed, fixedSize[f.Type]
	}
	return o
}
