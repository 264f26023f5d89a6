package audit

import (
	"encoding/binary"
	"hash/crc32"
)

// produce is a Produce request with a record set for partition 0 of a topic.
func produce(topic string, set []byte) fields {
	return fields{"Acks": -1, "TimeoutMs": 1000, "TopicData": list{fields{"Name": topic, "PartitionData": list{fields{"Index": 0, "Records": set}}}}}
}

// fetch is a Fetch request for partition 0 of a topic.
func fetch(topic string) fields {
	return fields{"MaxWaitMs": 500, "MinBytes": 1, "MaxBytes": 1 << 20, "Topics": list{fields{"Topic": topic, "Partitions": list{fields{"PartitionMaxBytes": 1 << 20}}}}}
}

// fetched is the answer to it.
func fetched(topic string, set []byte) fields {
	return fields{"Responses": list{fields{"Topic": topic, "Partitions": list{fields{"HighWatermark": 1000, "Records": set}}}}}
}

// batch is a batch of format 2 with n records, each with the value "v", from a base offset on and all of
// one time (ms). Edits change its head before the checksum is computed.
func batch(base, stamp int64, n int, edits ...func(b []byte)) []byte {
	be := binary.BigEndian
	b := be.AppendUint64(nil, uint64(base))
	b = be.AppendUint32(b, 0) // length
	b = be.AppendUint32(b, 0) // leader epoch
	b = append(b, 2)
	b = be.AppendUint32(b, 0) // checksum
	b = be.AppendUint16(b, 0) // attributes
	b = be.AppendUint32(b, uint32(n-1))
	b = be.AppendUint64(b, uint64(stamp))
	b = be.AppendUint64(b, uint64(stamp))
	b = be.AppendUint64(b, 1<<64-1) // producer id, epoch, sequence: none
	b = be.AppendUint16(b, 1<<16-1)
	b = be.AppendUint32(b, 1<<32-1)
	b = be.AppendUint32(b, uint32(n))
	for i := range n {
		r := []byte{0, 0}
		r = binary.AppendVarint(r, int64(i))
		r = append(r, 1, 2, 'v', 0) // null key, value of 1 byte, no headers
		b = append(binary.AppendVarint(b, int64(len(r))), r...)
	}
	for _, edit := range edits {
		edit(b)
	}
	return sealed(b)
}

// sealed sets length and checksum of a batch of format 2.
func sealed(b []byte) []byte {
	binary.BigEndian.PutUint32(b[8:], uint32(len(b)-12))
	binary.BigEndian.PutUint32(b[17:], crc32.Checksum(b[21:], crc32.MakeTable(crc32.Castagnoli)))
	return b
}

// put16, put32 and put64 change a field of a batch, see batch.
func put16(at int, v uint16) func(b []byte) {
	return func(b []byte) { binary.BigEndian.PutUint16(b[at:], v) }
}
func put32(at int, v uint32) func(b []byte) {
	return func(b []byte) { binary.BigEndian.PutUint32(b[at:], v) }
}
func put64(at int, v uint64) func(b []byte) {
	return func(b []byte) { binary.BigEndian.PutUint64(b[at:], v) }
}

// old is a message of format 0 or 1 with the value "v" and this attributes byte.
func old(magic, attributes byte, stamp int64, key []byte) []byte {
	be := binary.BigEndian
	m := []byte{magic, attributes}
	if magic == 1 {
		m = be.AppendUint64(m, uint64(stamp))
	}
	if key == nil {
		m = be.AppendUint32(m, 1<<32-1)
	} else {
		m = append(be.AppendUint32(m, uint32(len(key))), key...)
	}
	m = append(be.AppendUint32(m, 1), 'v')
	b := be.AppendUint64(nil, 0)
	b = be.AppendUint32(b, uint32(4+len(m)))
	b = be.AppendUint32(b, crc32.ChecksumIEEE(m))
	return append(b, m...)
}
