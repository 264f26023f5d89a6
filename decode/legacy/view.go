package legacy

import (
	"encoding/binary"

	"ksniff/decode"
)

// Part is what a frame says about one topic and partition.
type Part struct {
	Topic     []byte // of requests; valid during the call
	Partition int32  // of requests
	Offset    int64  // FETCH and MULTIFETCH requests: where to read from; OFFSETS: the time; else -1
	Max       int32  // FETCH and MULTIFETCH requests: maxSize; OFFSETS: maxNumOffsets; else -1
	Error     int16  // of answers
	// Set is where the message set lies in the body and SetSize its bytes, -1 where there is none.
	Set, SetSize int
}

// State says why Next has returned.
type State uint8

// The states.
const (
	More  State = iota // bytes are missing
	Entry              // Part is set
	Done               // the fields have ended, or Fault says why not
)

// View goes through a frame that comes in pieces, part by part, without its message sets. It allocates nothing.
type View struct {
	Part      Part
	ErrorCode int16 // of an answer; always 0 in front of MULTIFETCH's and OFFSETS' answers
	Count     int   // of entries, or of offsets in OFFSETS' answer; -1 where the frame does not say
	Unused    int   // bytes after the fields, which brokers ignore
	Fault     decode.Fault
	Faulty    bool

	kind   decode.Kind
	typ    int16
	length int
	pos    int
	entry  int
	headed bool
	done   bool
}

// Begin starts on a frame with a body of length bytes. typ is the type in a request, or that of the request
// which an answer answers.
func (v *View) Begin(kind decode.Kind, typ int16, length int) {
	*v = View{kind: kind, typ: typ, length: length, Count: -1}
}

// Next takes b, the body's bytes from the view's position on. The position moves on by advance. With More, call
// again with at least need bytes from there. With Entry, Part is set and, where it has a set, the position is
// the set's first byte and the next call is expected behind it: its SetSize bytes belong to the caller. With Done all is said.
func (v *View) Next(b []byte) (advance, need int, state State) {
	start := v.pos
	if len(b) > v.length-v.pos {
		b = b[:v.length-v.pos]
	}
	if v.done {
		return 0, 0, Done
	}
	if !v.headed {
		if need = v.head(b); need > 0 {
			return 0, need, More
		}
		b = b[v.pos-start:]
	}
	if v.done {
		return v.pos - start, 0, Done
	}
	if v.finished() {
		v.end()
		return v.pos - start, 0, Done
	}
	if v.kind == decode.Request {
		need = v.request(b)
	} else {
		need = v.response(b)
	}
	switch {
	case need > 0:
		return v.pos - start, need, More
	case v.done:
		return v.pos - start, 0, Done
	}
	advance = v.pos - start
	if v.Part.SetSize > 0 {
		v.pos += v.Part.SetSize
	}
	v.entry++
	return advance, 0, Entry
}

// finished says whether all entries have been given.
func (v *View) finished() bool {
	switch {
	case v.kind == decode.Response && v.typ == Offsets:
		return true
	case v.kind == decode.Response && v.typ == MultiFetch:
		return v.pos >= v.length
	case v.typ == MultiFetch || v.typ == MultiProduce:
		return v.entry >= v.Count
	}
	return v.entry > 0
}

// end accounts for what follows the fields.
func (v *View) end() {
	v.done = true
	if v.Unused = v.length - v.pos; v.kind == decode.Response && v.typ == Offsets {
		v.Unused -= 8 * v.Count
	}
	if v.Unused > 0 && !v.Faulty {
		v.Fault, v.Faulty = broken(decode.TrailingBytes, v.length-v.Unused, 0, v.Unused), true
		v.Fault.Tolerated = true
	}
}

// stop ends the frame with a fault.
func (v *View) stop(f decode.Fault) int {
	v.Fault, v.Faulty, v.done = f, true, true
	return 0
}

// want says whether n bytes are shown; if not, it ends the frame or gives the number to ask for.
func (v *View) want(b []byte, n int) (ok bool, need int) {
	if len(b) >= n {
		return true, 0
	}
	if v.pos+n > v.length {
		return false, v.stop(broken(decode.Truncated, v.pos, n, v.length-v.pos))
	}
	return false, n
}

// head reads what stands before the entries.
func (v *View) head(b []byte) (need int) {
	size := 2
	switch {
	case v.kind == decode.Request && (v.typ == MultiFetch || v.typ == MultiProduce):
		size = 4
	case v.kind == decode.Response && v.typ == Offsets:
		size = 6
	}
	if Name(v.typ) == "" {
		f := broken(decode.UnknownKey, 0, int(Offsets), int(v.typ))
		f.Class = decode.Unknown
		return v.stop(f)
	}
	if v.kind == decode.Response && !Answered(v.typ) {
		return v.stop(broken(decode.UnknownKey, 0, 0, int(v.typ))) // an answer to what has none
	}
	ok, need := v.want(b, size)
	if !ok {
		return need
	}
	v.headed = true
	v.pos += size
	switch size {
	case 4:
		if v.Count = int(int16(binary.BigEndian.Uint16(b[2:]))); v.Count < 0 {
			return v.stop(broken(decode.BadCount, 2, 0, v.Count))
		}
		return 0
	case 6:
		v.Count = int(int32(binary.BigEndian.Uint32(b[2:])))
		if v.Count < 0 {
			v.stop(broken(decode.BadCount, 2, 0, v.Count))
		} else if 8*v.Count > v.length-v.pos {
			v.stop(broken(decode.Truncated, 2, 8*v.Count, v.length-v.pos))
		}
	}
	if v.kind == decode.Response {
		v.ErrorCode = int16(binary.BigEndian.Uint16(b))
	}
	return 0
}

// request reads one entry of a request.
func (v *View) request(b []byte) (need int) {
	ok, need := v.want(b, 2)
	if !ok {
		return need
	}
	n := int(int16(binary.BigEndian.Uint16(b)))
	if n < 0 {
		return v.stop(broken(decode.NullNotAllowed, v.pos, 0, n))
	}
	set := v.typ == Produce || v.typ == MultiProduce
	size := 2 + n + 16
	if set {
		size = 2 + n + 8
	}
	if ok, need = v.want(b, size); !ok {
		return need
	}
	be := binary.BigEndian
	v.Part = Part{Topic: b[2 : 2+n : 2+n], Partition: int32(be.Uint32(b[2+n:])), Offset: -1, Max: -1, Set: -1, SetSize: -1}
	if !set {
		v.Part.Offset, v.Part.Max = int64(be.Uint64(b[6+n:])), int32(be.Uint32(b[14+n:]))
		v.pos += size
		return 0
	}
	length := int(int32(be.Uint32(b[6+n:])))
	if length < 0 {
		return v.stop(broken(decode.BadLength, v.pos+6+n, 0, length))
	}
	if v.pos += size; length > v.length-v.pos {
		return v.stop(broken(decode.Truncated, v.pos, length, v.length-v.pos))
	}
	v.Part.Set, v.Part.SetSize = v.pos, length
	return 0
}

// response reads one entry of an answer to FETCH or MULTIFETCH.
func (v *View) response(b []byte) (need int) {
	v.Part = Part{Partition: -1, Offset: -1, Max: -1, Error: v.ErrorCode}
	if v.typ == MultiFetch {
		ok, need := v.want(b, 6)
		if !ok {
			return need
		}
		size := int(int32(binary.BigEndian.Uint32(b)))
		if size < 2 {
			return v.stop(broken(decode.BadLength, v.pos, 2, size))
		}
		if size > v.length-v.pos-4 {
			return v.stop(broken(decode.Truncated, v.pos, size, v.length-v.pos-4))
		}
		v.Part.Error = int16(binary.BigEndian.Uint16(b[4:]))
		v.pos += 6
		v.Part.Set, v.Part.SetSize = v.pos, size-2
		return 0
	}
	v.Part.Set, v.Part.SetSize = v.pos, v.length-v.pos
	return 0
}
