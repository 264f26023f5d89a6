package records

import (
	"encoding/binary"
	"iter"

	"ksniff/decode"
)

// Record is one record. Its bytes are valid until the next one is read.
type Record struct {
	Offset    int64
	Timestamp int64  // ms, -1 where there is none
	Key       []byte // nil is null
	Value     []byte // nil is null
	Sequence  int32  // -1 without an idempotent producer
	Headers   int    // how many
	// Attributes of a record of format 2, which has none: 0.
	Attributes int8
	headers    []byte // as on the wire
}

// AllHeaders gives the record's headers; a nil value is null.
func (r *Record) AllHeaders() iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		b := r.headers
		for range r.Headers {
			var key, value []byte
			key, b, _ = varBytes(b)
			value, b, _ = varBytes(b)
			if !yield(key, value) {
				return
			}
		}
	}
}

// varint reads a zigzag varint of at most 5 bytes. n is its length, 0 where b ends within it, -1 where it is
// longer than an int32 may be.
func varint(b []byte) (v int32, n int) {
	var u uint32
	for i, c := range b[:min(len(b), 5)] {
		u |= uint32(c&0x7f) << (7 * i)
		if c < 0x80 {
			return int32(u>>1) ^ -int32(u&1), i + 1
		}
	}
	if len(b) >= 5 {
		return 0, -1
	}
	return 0, 0
}

// varlong reads a zigzag varint of at most 10 bytes.
func varlong(b []byte) (v int64, n int) {
	var u uint64
	for i, c := range b[:min(len(b), binary.MaxVarintLen64)] {
		u |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			return int64(u>>1) ^ -int64(u&1), i + 1
		}
	}
	if len(b) >= binary.MaxVarintLen64 {
		return 0, -1
	}
	return 0, 0
}

// varBytes reads bytes with a varint length in front; negative is null.
func varBytes(b []byte) (v, rest []byte, wrong decode.Code) {
	n, k := varint(b)
	if k <= 0 {
		return nil, b, varintCode(k)
	}
	b = b[k:]
	if n < 0 {
		return nil, b, 0
	}
	if int(n) > len(b) {
		return nil, b, decode.BadRecord
	}
	return b[:n:n], b[n:], 0
}

func varintCode(n int) decode.Code {
	if n < 0 {
		return decode.VarintOverflow
	}
	return decode.BadRecord
}

// parse reads the fields of a record of format 2 from b, all its bytes after the length.
func (r *Record) parse(b []byte, batch *Batch) decode.Code {
	if len(b) == 0 {
		return decode.BadRecord
	}
	r.Attributes = int8(b[0])
	b = b[1:]
	delta, n := varlong(b)
	if n <= 0 {
		return varintCode(n)
	}
	b = b[n:]
	step, n := varint(b)
	if n <= 0 {
		return varintCode(n)
	}
	b = b[n:]
	var wrong decode.Code
	if r.Key, b, wrong = varBytes(b); wrong != 0 {
		return wrong
	}
	if r.Value, b, wrong = varBytes(b); wrong != 0 {
		return wrong
	}
	headers, n := varint(b)
	if n <= 0 {
		return varintCode(n)
	}
	b = b[n:]
	if headers < 0 {
		return decode.BadRecord
	}
	r.Headers, r.headers = int(headers), b
	for range headers { // each takes at least two bytes, so b bounds the loop
		size, k := varint(b)
		if k <= 0 {
			return varintCode(k)
		}
		if size < 0 || int(size) > len(b)-k {
			return decode.BadRecord
		}
		if _, b, wrong = varBytes(b[k+int(size):]); wrong != 0 {
			return wrong
		}
	}
	if len(b) != 0 {
		return decode.BadRecord
	}
	r.Offset = batch.BaseOffset + int64(step)
	r.Timestamp = batch.BaseTimestamp + delta
	if batch.LogAppendTime() {
		r.Timestamp = batch.MaxTimestamp
	}
	r.Sequence = -1
	if batch.BaseSequence != -1 {
		r.Sequence = addSequence(batch.BaseSequence, step)
	}
	return 0
}
