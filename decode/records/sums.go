package records

import "ksniff/decode"

// Sums is what the records of a batch are together.
type Sums struct {
	Read     int   // how many were read
	Disorder int   // index of the first whose offset is not the batch's first one and its index, -1 none
	Keyless  int   // index of the first without key, -1 none
	Timeless int   // how many have timestamp -1
	First    int64 // timestamp of the first one, ms
	Most     int64 // the greatest
	Bits     int8  // of the attributes of all
	// Fault is what ended the reading, its Code 0 where nothing did (see Reader.RecordFault).
	Fault decode.Fault
}

func (s *Sums) begin() {
	s.Read, s.Disorder, s.Keyless, s.Timeless, s.First, s.Most, s.Bits, s.Fault.Code = 0, -1, -1, 0, 0, 0, 0, 0
}

func (s *Sums) add(offset, timestamp int64, keyless bool, bits int8) {
	if s.Disorder < 0 && offset != int64(s.Read) {
		s.Disorder = s.Read
	}
	if s.Keyless < 0 && keyless {
		s.Keyless = s.Read
	}
	if timestamp == -1 {
		s.Timeless++
	}
	if s.Read == 0 {
		s.First, s.Most = timestamp, timestamp
	}
	s.Most = max(s.Most, timestamp)
	s.Bits |= bits
	s.Read++
}

// Sum reads the records of the Reader's batch, as far as they can be read.
func (r *Reader) Sum(s *Sums) {
	s.begin()
	for r.NextRecord() {
		s.add(r.Record.Offset-r.Batch.BaseOffset, r.Record.Timestamp, r.Record.Key == nil, r.Record.Attributes)
	}
	s.Fault = r.RecordFault
}

// SumStraight does the same, and says true, for a batch of format 2 that is not compressed and in which nothing is
// wrong; whole is all of it. Otherwise a Reader must read it: it looks at each field, and at what is wrong with it.
func SumStraight(b *Batch, whole []byte, s *Sums) bool {
	s.begin()
	if b.Magic != 2 || b.Codec != None || len(whole) != b.Size || len(whole) < headV2 || b.Count < 0 {
		return false
	}
	appended, at := b.LogAppendTime(), headV2
	for range b.Count {
		length, p := near(whole, at)
		if length <= 0 || int(length) > len(whole)-p {
			return false
		}
		at = p + int(length)
		r := whole[p:at]
		var time int64
		var offset, key int32
		if p = 4; len(r) > 4 && r[1]|r[2]|r[3] < 0x80 { // one byte each, as mostly
			time, offset, key = int64(zigzag(r[1])), zigzag(r[2]), zigzag(r[3])
		} else {
			time, p = nearLong(r, 1)
			offset, p = near(r, p)
			key, p = near(r, p)
		}
		value, p := near(r, over(p, key))
		if p = over(p, value); (p != len(r)-1 || r[p] != 0) && !straightHeaders(r, p) {
			return false
		}
		if time += b.BaseTimestamp; appended {
			time = b.MaxTimestamp
		}
		s.add(int64(offset), time, key < 0, int8(r[0]))
	}
	return at == len(whole)
}

// straightHeaders says that a record ends with headers that begin at p.
func straightHeaders(r []byte, p int) bool {
	headers, p := near(r, p)
	for ; headers != 0; headers-- {
		var n int32
		if n, p = near(r, p); n < 0 || headers < 0 || p > len(r) {
			return false
		}
		n, p = near(r, over(p, n))
		p = over(p, n)
	}
	return p == len(r)
}

// near reads a zigzag varint at p, mostly one of one or two bytes, and gives where it ends: beyond the bytes where it
// is none, so that what is read from there is none either.
func near(b []byte, p int) (v int32, end int) {
	if uint(p) >= uint(len(b)) {
		return 0, len(b) + 1
	}
	if b[p] < 0x80 {
		return zigzag(b[p]), p + 1
	}
	if p+1 < len(b) && b[p+1] < 0x80 {
		c := int32(b[p]&0x7f) | int32(b[p+1])<<7
		return c>>1 ^ -(c & 1), p + 2
	}
	v, n := varint(b[p:])
	if n <= 0 {
		return 0, len(b) + 1
	}
	return v, p + n
}

func zigzag(b byte) int32 {
	c := int32(b)
	return c>>1 ^ -(c & 1)
}

// nearLong is near of 64 bits.
func nearLong(b []byte, p int) (v int64, end int) {
	if uint(p) >= uint(len(b)) {
		return 0, len(b) + 1
	}
	if b[p] < 0x80 {
		return int64(zigzag(b[p])), p + 1
	}
	if p+1 < len(b) && b[p+1] < 0x80 {
		c := int64(b[p]&0x7f) | int64(b[p+1])<<7
		return c>>1 ^ -(c & 1), p + 2
	}
	v, n := varlong(b[p:])
	if n <= 0 {
		return 0, len(b) + 1
	}
	return v, p + n
}

// over steps over n bytes at p; negative is null.
func over(p int, n int32) int { return p + int(max(n, 0)) }
