package parquet

import (
	"encoding/binary"
	"slices"
)

// magic begins and ends a file.
const magic = "PAR1"

// Repetition of a column, converted types and logical types, as the format numbers them.
const (
	required = 0
	optional = 1
	repeated = 2

	utf8Type = 0
	listType = 3
	timeType = 10 // microseconds

	logicalString    = 1
	logicalList      = 3
	logicalTimestamp = 8
)

// footer is the FileMetaData, its length and the magic.
func (f *Writer) footer() []byte {
	var t thrift
	t.begin()
	t.i32(1, 2)
	elements := 1
	for _, c := range f.columns {
		elements++
		if c.List {
			elements += 2
		}
	}
	t.list(2, tStruct, elements)
	element(&t, "frames", -1, -1, len(f.columns), nil)
	for i := range f.columns {
		f.columns[i].schema(&t)
	}
	t.i64(3, f.total)
	t.list(4, tStruct, len(f.groups))
	for i := range f.groups {
		f.group(&t, &f.groups[i])
	}
	t.text(6, "ksniff")
	t.list(7, tStruct, len(f.columns)) // ColumnOrder: that of the type
	for range f.columns {
		t.begin()
		t.open(1)
		t.end()
		t.end()
	}
	t.end()
	b := binary.LittleEndian.AppendUint32(t.b, uint32(len(t.b)))
	return append(b, magic...)
}

// element is one SchemaElement; below zero or nil leaves a field out.
func element(t *thrift, name string, typ, repetition int64, children int, logical func()) {
	t.begin()
	if typ >= 0 {
		t.i32(1, typ)
	}
	if repetition >= 0 {
		t.i32(3, repetition)
	}
	t.text(4, name)
	if children > 0 {
		t.i32(5, int64(children))
	}
	if logical != nil {
		logical()
	}
	t.end()
}

// schema writes the elements of a column; a list has three levels.
func (c *column) schema(t *thrift) {
	logical := func(converted int64, id int, more func()) func() {
		return func() {
			t.i32(6, converted)
			t.open(10)
			t.open(id)
			if more != nil {
				more()
			}
			t.end()
			t.end()
		}
	}
	text := logical(utf8Type, logicalString, nil)
	switch {
	case c.List:
		element(t, c.Name, -1, required, 1, logical(listType, logicalList, nil))
		element(t, "list", -1, repeated, 1, nil)
		element(t, "element", physical[c.Type], required, 0, text)
		return
	case c.Type == Text:
	case c.Type == Timestamp:
		text = logical(timeType, logicalTimestamp, func() {
			t.bool(1, true) // UTC
			t.open(2)
			t.open(2) // microseconds
			t.end()
			t.end()
		})
	default:
		text = nil
	}
	repetition := int64(required)
	if c.Optional {
		repetition = optional
	}
	element(t, c.Name, physical[c.Type], repetition, 0, text)
}

// group writes a RowGroup.
func (f *Writer) group(t *thrift, g *group) {
	t.begin()
	t.list(1, tStruct, len(g.chunks))
	plain := int64(0)
	for i := range g.chunks {
		plain += g.chunks[i].plain
		f.columns[i].chunk(t, &g.chunks[i])
	}
	t.i64(2, plain)
	t.i64(3, g.rows)
	t.end()
}

// chunk writes a ColumnChunk with its ColumnMetaData.
func (c *column) chunk(t *thrift, k *chunk) {
	path := []string{c.Name}
	if c.List {
		path = slices.Concat(path, []string{"list", "element"})
	}
	t.begin()
	t.i64(2, k.at)
	t.open(3)
	t.i32(1, physical[c.Type])
	t.list(2, tI32, 2)
	t.b = binary.AppendVarint(binary.AppendVarint(t.b, plainEncoding), rleEncoding)
	t.list(3, tBinary, len(path))
	for _, name := range path {
		t.bytes(name)
	}
	t.i32(4, zstdCodec)
	t.i64(5, k.values)
	t.i64(6, k.plain)
	t.i64(7, k.size)
	t.i64(9, k.at)
	if k.least != nil {
		t.open(12) // Statistics
		t.binary(5, k.most)
		t.binary(6, k.least)
		t.end()
	}
	t.end()
	t.end()
}
