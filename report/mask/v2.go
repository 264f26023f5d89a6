package mask

import (
	"encoding/binary"
	"hash/crc32"

	"ksniff/decode/records"
)

// Layout of a batch of format 2 (Kafka's DefaultRecordBatch).
const (
	setHead   = 12 // base offset, length
	magicAt   = 16
	v2CRC     = 17
	v2Summed  = 21 // from here on the checksum counts
	v2Records = 61
	isControl = 0x20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// batch masks a whole batch of format 2 in place. Control records have no payload and stay.
func (m *Masker) batch(b []byte) {
	codec, sound := records.Codec(b[22]&7), crc32.Checksum(b[v2Summed:], castagnoli) == binary.BigEndian.Uint32(b[v2CRC:])
	data := b[v2Records:]
	switch {
	case codec == records.None && b[22]&isControl != 0:
		return
	case codec == records.None:
		m.records(data)
	default:
		m.compressed(data, codec, 2, func(plain []byte) { m.records(plain) })
	}
	sum := crc32.Checksum(b[v2Summed:], castagnoli)
	binary.BigEndian.PutUint32(b[v2CRC:], asSound(sum, sound))
}

// asSound gives a checksum that is as right as the one before was.
func asSound(sum uint32, sound bool) uint32 {
	if sound {
		return sum
	}
	return sum ^ 1
}

// compressed masks what data decompresses to and puts it back, in as many bytes.
func (m *Masker) compressed(data []byte, codec records.Codec, magic int8, mask func([]byte)) {
	if codec <= records.Zstd {
		plain, code := records.Inflate(nil, data, codec, magic, min(m.left, maxOpened))
		m.left -= len(plain)
		if code == 0 {
			mask(plain)
			if packed, ok := pack(plain, data, codec); ok {
				copy(data, packed)
				return
			}
		}
	}
	m.Counts.Blank++
	clear(data)
}

// records masks records of format 2 in place. What does not read as a record becomes zeros.
func (m *Masker) records(b []byte) {
	for len(b) > 0 {
		length, n := binary.Varint(b)
		if n <= 0 || length < 0 || length > int64(len(b)-n) {
			break
		}
		end := n + int(length)
		if !m.record(b[n:end]) {
			clear(b[n:end])
		}
		b = b[end:]
	}
	clear(b)
}

// record masks one record behind its length.
func (m *Masker) record(b []byte) bool {
	r := fields{b: b}
	r.skip(1) // attributes
	r.varint()
	r.varint()
	m.fill(r.bytes())
	m.fill(r.bytes())
	for headers := r.varint(); headers > 0 && !r.bad; headers-- {
		r.bytes()
		m.fill(r.bytes())
	}
	return !r.bad && len(r.b) == 0
}

// fill overwrites a key or value.
func (m *Masker) fill(b []byte) {
	if len(b) > 0 {
		m.Counts.Records++
	}
	cover(b)
}

func cover(b []byte) {
	for i := range b {
		b[i] = fill
	}
}

// fields reads the fields of a record.
type fields struct {
	b   []byte
	bad bool
}

func (r *fields) skip(n int) {
	if r.bad = r.bad || n > len(r.b); !r.bad {
		r.b = r.b[n:]
	}
}

func (r *fields) varint() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.bad = true
	}
	r.skip(max(n, 0))
	return v
}

// bytes reads bytes with a varint in front; nil where they are null or not there.
func (r *fields) bytes() []byte {
	n := r.varint()
	if n < 0 || r.bad {
		return nil
	}
	if n > int64(len(r.b)) {
		r.bad = true
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}
