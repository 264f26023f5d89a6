package audit

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"hash/crc32"

	"github.com/pierrec/lz4/v4"
)

// noon is the time at which talks begin, in ms.
const noon = 1795953600000

// rec is a record of format 2.
type rec struct {
	attributes byte
	ms         int64 // after the batch's base timestamp
	delta      int
	key, value []byte // nil is null
	tail       []byte // bytes behind the fields, inside the record's length
}

// v2 is a batch of format 2. What its name in batchOf does not set is as it must be in a Produce request.
type v2 struct {
	base        int64
	attributes  int
	last, count int
	first, most int64 // timestamps
	pid         int64
	epoch       int
	seq         int
	length      int // added to what the length should be
	crc         uint32
	records     []byte
	compress    func([]byte) []byte
}

// batchOf builds a batch of format 2 with these records, changed by change.
func batchOf(change func(b *v2), recs ...rec) []byte {
	b := v2{pid: -1, epoch: -1, seq: -1, count: len(recs), last: len(recs) - 1, first: noon, most: noon}
	for _, r := range recs {
		b.most = max(b.most, noon+r.ms)
		one := []byte{r.attributes}
		one = binary.AppendVarint(one, r.ms)
		one = binary.AppendVarint(one, int64(r.delta))
		for _, v := range [][]byte{r.key, r.value} {
			if v == nil {
				one = binary.AppendVarint(one, -1)
				continue
			}
			one = append(binary.AppendVarint(one, int64(len(v))), v...)
		}
		one = append(binary.AppendVarint(one, 0), r.tail...)
		b.records = append(binary.AppendVarint(b.records, int64(len(one))), one...)
	}
	if change != nil {
		change(&b)
	}
	if b.compress != nil {
		b.records = b.compress(b.records)
	}
	be := binary.BigEndian
	out := be.AppendUint64(nil, uint64(b.base))
	out = be.AppendUint32(out, uint32(49+len(b.records)+b.length))
	out = append(be.AppendUint32(out, 0), 2, 0, 0, 0, 0)
	out = be.AppendUint16(out, uint16(b.attributes))
	out = be.AppendUint32(out, uint32(b.last))
	out = be.AppendUint64(be.AppendUint64(out, uint64(b.first)), uint64(b.most))
	out = be.AppendUint16(be.AppendUint64(out, uint64(b.pid)), uint16(b.epoch))
	out = be.AppendUint32(be.AppendUint32(out, uint32(b.seq)), uint32(b.count))
	out = append(out, b.records...)
	be.PutUint32(out[17:], crc32.Checksum(out[21:], crc32.MakeTable(crc32.Castagnoli))^b.crc)
	return out
}

// one and two are records that count from 0.
var (
	one = []rec{{key: []byte("k"), value: []byte("v")}}
	two = append(one[:1:1], rec{delta: 1, key: []byte("k"), value: []byte("w")})
)

// message builds a message of format 0 or 1, at an offset of its set.
func message(magic int, attributes byte, offset int64, key, value []byte) []byte {
	be := binary.BigEndian
	m := []byte{0, 0, 0, 0, byte(magic), attributes}
	if magic == 1 {
		m = be.AppendUint64(m, noon)
	}
	for _, v := range [][]byte{key, value} {
		if v == nil {
			m = be.AppendUint32(m, 0xffffffff)
			continue
		}
		m = append(be.AppendUint32(m, uint32(len(v))), v...)
	}
	be.PutUint32(m, crc32.ChecksumIEEE(m[4:]))
	return append(be.AppendUint32(be.AppendUint64(nil, uint64(offset)), uint32(len(m))), m...)
}

func gzipped(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(b)
	w.Close()
	return out.Bytes()
}

// lz4ed compresses; flip changes the checksum of the frame header.
func lz4ed(flip byte) func(b []byte) []byte {
	return func(b []byte) []byte {
		var out bytes.Buffer
		w := lz4.NewWriter(&out)
		w.Apply(lz4.ChecksumOption(false), lz4.BlockChecksumOption(false), lz4.BlockSizeOption(lz4.Block64Kb))
		w.Write(b)
		w.Close()
		out.Bytes()[6] ^= flip
		return out.Bytes()
	}
}

// patched changes one byte.
func patched(b []byte, at int, to byte) []byte {
	b[at] = to
	return b
}

// into is a Produce request of topic t, one partition for each record set.
func into(acks int, sets ...any) fields {
	var parts list
	for i, s := range sets {
		parts = append(parts, fields{"Index": i, "Records": s})
	}
	return fields{"Acks": acks, "TimeoutMs": 1000, "TopicData": list{fields{"Name": "t", "PartitionData": parts}}}
}

// wrote is the answer to into, with these error codes.
func wrote(codes ...int) fields {
	var parts list
	for i, code := range codes {
		parts = append(parts, fields{"Index": i, "ErrorCode": code})
	}
	return fields{"Responses": list{fields{"Name": "t", "PartitionResponses": parts}}}
}

// produces exchanges a Produce request of these sets, answered without errors.
func produces(version int16, sets ...any) func(k *talk) {
	return func(k *talk) {
		k.conn().exchange(keyProduce, version, into(-1, sets...), wrote(make([]int, len(sets))...))
	}
}

// asking is a Fetch request of topic t from these offsets, one partition each.
func asking(offsets ...int) fields {
	var parts list
	for i, offset := range offsets {
		parts = append(parts, fields{"Partition": i, "FetchOffset": offset, "PartitionMaxBytes": 1000})
	}
	return fields{"ReplicaId": -1, "MaxWaitMs": 500, "MinBytes": 1, "Topics": list{fields{"Topic": "t", "Partitions": parts}}}
}

// served is the answer to asking, with a high watermark of 1000.
func served(sets ...any) fields {
	var parts list
	for i, s := range sets {
		parts = append(parts, fields{"PartitionIndex": i, "HighWatermark": 1000, "LastStableOffset": 1000, "Records": s, "AbortedTransactions": nil})
	}
	return fields{"Responses": list{fields{"Topic": "t", "Partitions": parts}}}
}

// fetches exchanges a Fetch from offset 0 with these sets.
func fetches(version int16, sets ...any) func(k *talk) {
	return func(k *talk) {
		k.conn().exchange(keyFetch, version, asking(make([]int, len(sets))...), served(sets...))
	}
}
