package mask

import (
	"encoding/binary"
	"hash/crc32"

	"ksniff/decode/records"
)

// message masks a whole message of format 0 or 1, its checksum first, in place. A wrapper holds a set of them.
func (m *Masker) message(b []byte, depth int) {
	magic, attributes := int8(b[4]), b[5]
	sound := crc32.ChecksumIEEE(b[4:]) == binary.BigEndian.Uint32(b)
	at := 6
	if magic == 1 {
		at += 8
	}
	if at > len(b) {
		clear(b[6:])
	} else {
		rest := b[at:]
		if codec := records.Codec(attributes & 7); codec == records.None {
			m.keyValue(rest, m.fill)
		} else {
			m.keyValue(rest, func(value []byte) {
				m.compressed(value, codec, magic, func(plain []byte) { m.inner(plain, depth+1) })
			})
		}
	}
	binary.BigEndian.PutUint32(b, asSound(crc32.ChecksumIEEE(b[4:]), sound))
}

// keyValue overwrites the key and does with the value what it is told. What follows them is zeroed.
func (m *Masker) keyValue(b []byte, value func([]byte)) {
	for i := range 2 {
		if len(b) < 4 {
			break
		}
		n := int(int32(binary.BigEndian.Uint32(b)))
		b = b[4:]
		if n < 0 {
			continue
		}
		if n > len(b) {
			break
		}
		if i == 0 {
			m.fill(b[:n])
		} else {
			value(b[:n])
		}
		b = b[n:]
	}
	clear(b)
}

// inner masks the set in a wrapper of format 0 or 1.
func (m *Masker) inner(set []byte, depth int) {
	if depth > records.MaxDepth {
		clear(set)
		return
	}
	for len(set) >= setHead+6 {
		size := int(int32(binary.BigEndian.Uint32(set[8:])))
		if size < 6 || size > len(set)-setHead {
			break
		}
		m.message(set[setHead:setHead+size], depth)
		set = set[setHead+size:]
	}
	clear(set[min(setHead, len(set)):])
}

// legacyMessage masks a whole message of 0.6 or 0.7 behind its size, in place: magic, from magic 1 on
// attributes, checksum of the payload, payload.
func (m *Masker) legacyMessage(b []byte, depth int) {
	if len(b) < 1 || int8(b[0]) < 0 || b[0] > 1 || len(b) < 5+int(b[0]) {
		clear(b[min(1, len(b)):])
		return
	}
	at := 5 + int(b[0])
	payload := b[at:]
	sound := crc32.ChecksumIEEE(payload) == binary.BigEndian.Uint32(b[at-4:])
	codec := records.None
	if b[0] == 1 {
		codec = records.Codec(b[1] & 3)
	}
	if codec == records.None {
		m.fill(payload)
	} else {
		m.compressed(payload, codec, 1, func(plain []byte) { m.legacyInner(plain, depth+1) })
	}
	binary.BigEndian.PutUint32(b[at-4:], asSound(crc32.ChecksumIEEE(payload), sound))
}

// legacyInner masks the set in a compressed message of 0.7.
func (m *Masker) legacyInner(set []byte, depth int) {
	if depth > records.MaxDepth {
		clear(set)
		return
	}
	for len(set) >= 4 {
		size := int(int32(binary.BigEndian.Uint32(set)))
		if size < 0 || size > len(set)-4 {
			break
		}
		m.legacyMessage(set[4:4+size], depth)
		set = set[4+size:]
	}
	clear(set[min(6, len(set)):])
}
