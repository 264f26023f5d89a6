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
	append := b.LogAppendTime()
	rest := whole[headV2:]
	for range b.Count {
		length, p := near(rest, 0)
		if p < 0 || length < 0 || int(length) > len(rest)-p {
			return false
		}
		r := rest[p : p+int(length)]
		if len(r) == 0 {
			return false
		}
		rest = rest[p+int(length):]
		time, p := nearLong(r, 1)
		if p < 0 {
			return false
		}
		offset, p := near(r, p)
		if p < 0 {
			return false
		}
		key, p := near(r, p)
		if p = over(r, p, key); p < 0 {
			return false
		}
		value, p := near(r, p)
		if p = over(r, p, value); p < 0 {
			return false
		}
		headers, p := near(r, p)
		if p < 0 || headers < 0 {
			return false
		}
		for ; headers > 0; headers-- {
			var n int32
			if n, p = near(r, p); n < 0 {
				return false
			}
			if p = over(r, p, n); p < 0 {
				return false
			}
			n, p = near(r, p)
			if p = over(r, p, n); p < 0 {
				return false
			}
		}
		if p != len(r) {
			return false
		}
		if time += b.BaseTimestamp; append {
			time = b.MaxTimestamp
		}
		s.add(int64(offset), time, key < 0, int8(r[0]))
	}
	return len(rest) == 0
}

// near reads a zigzag varint at p, mostly one of one or two bytes, and gives where it ends; -1 where it is none.
func near(b []byte, p int) (v int32, end int) {
	if p < 0 || p >= len(b) {
		return 0, -1
	}
	c := int32(b[p])
	if c < 0x80 {
		return c>>1 ^ -(c & 1), p + 1
	}
	if p+1 < len(b) && b[p+1] < 0x80 {
		c = c&0x7f | int32(b[p+1])<<7
		return c>>1 ^ -(c & 1), p + 2
	}
	return far(b, p)
}

func far(b []byte, p int) (v int32, end int) {
	v, n := varint(b[p:])
	if n <= 0 {
		return 0, -1
	}
	return v, p + n
}

// nearLong is near of 64 bits.
func nearLong(b []byte, p int) (v int64, end int) {
	if p < 0 || p >= len(b) {
		return 0, -1
	}
	c := int64(b[p])
	if c < 0x80 {
		return c>>1 ^ -(c & 1), p + 1
	}
	if p+1 < len(b) && b[p+1] < 0x80 {
		c = c&0x7f | int64(b[p+1])<<7
		return c>>1 ^ -(c & 1), p + 2
	}
	v, n := varlong(b[p:])
	if n <= 0 {
		return 0, -1
	}
	return v, p + n
}

// over steps over n bytes at p; negative is null.
func over(b []byte, p int, n int32) int {
	switch {
	case p < 0 || n < 0:
		return p
	case int(n) > len(b)-p:
		return -1
	}
	return p + int(n)
}
