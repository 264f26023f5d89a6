package parquet

import "encoding/binary"

// Types of Thrift's compact protocol, in which Parquet writes what describes the data.
const (
	tTrue   = 1
	tFalse  = 2
	tI32    = 5
	tI64    = 6
	tBinary = 8
	tList   = 9
	tStruct = 12
)

// thrift writes one struct, fields in ascending order.
type thrift struct {
	b    []byte
	last int // field before
	up   []int
}

func (t *thrift) field(id, typ int) {
	t.b = append(t.b, byte((id-t.last)<<4|typ)) // ids lie close to each other
	t.last = id
}

func (t *thrift) i32(id int, v int64) { t.field(id, tI32); t.b = binary.AppendVarint(t.b, v) }
func (t *thrift) i64(id int, v int64) { t.field(id, tI64); t.b = binary.AppendVarint(t.b, v) }

func (t *thrift) bool(id int, v bool) {
	if v {
		t.field(id, tTrue)
	} else {
		t.field(id, tFalse)
	}
}

func (t *thrift) binary(id int, v []byte) { t.field(id, tBinary); t.bytes(string(v)) }
func (t *thrift) text(id int, v string)   { t.field(id, tBinary); t.bytes(v) }

func (t *thrift) bytes(v string) {
	t.b = binary.AppendUvarint(t.b, uint64(len(v)))
	t.b = append(t.b, v...)
}

// list begins a list of n elements, which follow without field headers: bytes, varints, or structs
// between begin and end.
func (t *thrift) list(id, typ, n int) {
	t.field(id, tList)
	if n < 15 {
		t.b = append(t.b, byte(n<<4|typ))
		return
	}
	t.b = binary.AppendUvarint(append(t.b, byte(0xf0|typ)), uint64(n))
}

// open begins a struct in a field, begin one in a list; end ends both.
func (t *thrift) open(id int) { t.field(id, tStruct); t.begin() }
func (t *thrift) begin()      { t.up = append(t.up, t.last); t.last = 0 }

func (t *thrift) end() {
	t.b = append(t.b, 0)
	t.last, t.up = t.up[len(t.up)-1], t.up[:len(t.up)-1]
}
