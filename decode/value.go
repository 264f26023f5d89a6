package decode

import (
	"encoding/binary"
	"math"
	"strconv"
	"unsafe"
)

// value is the bytes of a leaf without its prefix, nil where they are not on the wire or not contiguous.
func (r Ref) value() []byte {
	if !r.OnWire() {
		return nil
	}
	n := r.node()
	return r.t.bytes(int(n.Offset)+int(n.Prefix), int(n.Length)-int(n.Prefix))
}

// bytes gives a range of the frame where it lies within one run.
func (t *Tree) bytes(offset, length int) []byte {
	for i := range t.frame.Runs {
		run := &t.frame.Runs[i]
		if at := offset - run.Off; at >= 0 && at+length <= len(run.Bytes) {
			return run.Bytes[at : at+length : at+length]
		}
	}
	return nil
}

// Int is the value of an integer or of a bool (0 or 1).
func (r Ref) Int() int64 {
	if r.Kind() < Bool || r.Kind() > Int64 {
		return 0
	}
	b := r.value()
	switch {
	case b == nil:
		return r.defaultInt()
	case r.Kind() == Bool && b[0] != 0:
		return 1
	case r.Kind() == Bool:
		return 0
	}
	switch len(b) {
	case 1:
		return int64(int8(b[0]))
	case 2:
		if v := binary.BigEndian.Uint16(b); r.Kind() == Int16 {
			return int64(int16(v))
		} else {
			return int64(v)
		}
	case 4:
		if v := binary.BigEndian.Uint32(b); r.Kind() == Int32 {
			return int64(int32(v))
		} else {
			return int64(v)
		}
	}
	return int64(binary.BigEndian.Uint64(b))
}

// defaultInt is the schema's default of an integer or bool.
func (r Ref) defaultInt() int64 {
	f := r.Schema()
	switch {
	case f == nil || f.Array || f.Default == "" || f.Default == "false":
		return 0
	case f.Default == "true":
		return 1
	}
	v, _ := strconv.ParseInt(f.Default, 0, 64)
	return v
}

// Bool is the value of a bool.
func (r Ref) Bool() bool { return r.Kind() == Bool && r.Int() != 0 }

// Float is the value of a float64.
func (r Ref) Float() float64 {
	if r.Kind() != Float64 {
		return 0
	}
	if b := r.value(); b != nil {
		return math.Float64frombits(binary.BigEndian.Uint64(b))
	}
	v, _ := strconv.ParseFloat(r.defaultText(), 64)
	return v
}

// Bytes is the value of a string, of bytes, of a record set that lies in one piece, or of an unknown
// tagged field: a slice of the frame. Nil where it is null or not on the wire.
func (r Ref) Bytes() []byte {
	switch r.Kind() {
	case String, Bytes, RecordSet, UnknownTag:
		if !r.IsNull() {
			return r.value()
		}
	}
	return nil
}

// String is the value of a string. It shares the frame's bytes: copy it (strings.Clone) to keep it
// longer than these. "" where it is null. It may hold any bytes; see InvalidUTF8.
func (r Ref) String() string {
	if r.Kind() != String || r.IsNull() {
		return ""
	}
	if b := r.value(); b != nil {
		return unsafe.String(unsafe.SliceData(b), len(b))
	}
	return r.defaultText()
}

// defaultText is the schema's default of a string.
func (r Ref) defaultText() string {
	if f := r.Schema(); f != nil && !f.Array && f.Default != "null" {
		return f.Default
	}
	return ""
}

// UUID is the value of a uuid.
func (r Ref) UUID() (id [16]byte) {
	if r.Kind() == UUID {
		copy(id[:], r.value())
	}
	return
}

// IsNull says that the field is null, on the wire or by default.
func (r Ref) IsNull() bool {
	if r.t == nil {
		return true
	}
	if r.i >= 0 {
		return r.node().flags&flagNull != 0
	}
	return r.f.Default == "null" && !r.f.EmptyDefault
}

// Offset is where the field begins in the frame's body, its prefix included; -1 where it is not on the wire.
func (r Ref) Offset() int {
	if r.t == nil || r.i < 0 {
		return -1
	}
	return int(r.node().Offset)
}

// Length is how many bytes the field takes, its prefix included.
func (r Ref) Length() int {
	if r.t == nil || r.i < 0 {
		return 0
	}
	return int(r.node().Length)
}

// Tag is the tag of a tagged field that is on the wire.
func (r Ref) Tag() (tag uint32, ok bool) {
	if r.t == nil || r.i < 0 {
		return 0, false
	}
	n := r.node()
	if n.Parent < 0 || r.t.Nodes[n.Parent].Kind != Tags {
		return 0, false
	}
	if n.Field != nil {
		return n.Field.Tag, true
	}
	v, _ := binary.Uvarint(r.t.bytes(int(n.Offset), int(n.Prefix)))
	return uint32(v), true
}

// Extent is where a record set lies in the frame, and what is there of it.
type Extent struct {
	Offset, Length int // in the body; Length is the size on the wire, -1 for null
	Frame          Frame
}

// Records is the extent of a record set.
func (r Ref) Records() Extent {
	if r.Kind() != RecordSet || r.i < 0 || r.IsNull() || r.Cut() {
		return Extent{Offset: r.Offset(), Length: -1}
	}
	n := r.node()
	return Extent{int(n.Offset) + int(n.Prefix), int(n.Length) - int(n.Prefix), r.t.frame}
}

// Bytes is the record set where it lies in one piece.
func (e Extent) Bytes() ([]byte, bool) {
	for i := range e.Frame.Runs {
		run := &e.Frame.Runs[i]
		if at := e.Offset - run.Off; e.Length >= 0 && at >= 0 && at+e.Length <= len(run.Bytes) {
			return run.Bytes[at : at+e.Length : at+e.Length], true
		}
	}
	return nil, false
}
