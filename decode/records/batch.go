package records

import (
	"encoding/binary"
	"hash/crc32"

	"ksniff/decode"
)

// Sizes of the fixed parts (Kafka's DefaultRecordBatch and LegacyRecord).
const (
	setHead    = 12 // base offset, length
	minMessage = 14 // least value of the length: a message of format 0 with null key and value
	magicAt    = 16
	headV0     = setHead + 6    // up to the attributes
	headV1     = setHead + 14   // up to the timestamp
	minV1      = headV1 + 4 + 4 // the smallest message of format 1
	headV2     = 61
	minRecord  = 7 // bytes of the smallest record of format 2
)

// Batch is what the head of a batch says. An uncompressed message of format 0 or 1 is a batch of its own, as
// in Kafka's iterator. It holds no reference to the set.
type Batch struct {
	Pos           int // of its first byte in the set
	Size          int // bytes, the 12 of offset and length included
	Magic         int8
	Codec         Codec
	Attributes    int16
	BaseOffset    int64 // formats 0 and 1, compressed: known when opened, until then the wrapper's offset
	LastOffset    int64
	LeaderEpoch   int32 // format 2, as the next ones; -1 in formats 0 and 1
	CRC           uint32
	BaseTimestamp int64 // ms; format 2
	MaxTimestamp  int64 // ms; in formats 0 and 1 the message's own, -1 in format 0
	ProducerID    int64
	ProducerEpoch int16
	BaseSequence  int32
	Count         int32 // format 2
	firstOffset   int64 // the offset field of the head
}

// Control says that the batch holds control records.
func (b *Batch) Control() bool { return b.Magic == 2 && b.Attributes&0x20 != 0 }

// Transactional says that the batch is part of a transaction.
func (b *Batch) Transactional() bool { return b.Magic == 2 && b.Attributes&0x10 != 0 }

// LogAppendTime says that the broker set the timestamps.
func (b *Batch) LogAppendTime() bool { return b.Magic > 0 && b.Attributes&8 != 0 }

// DeleteHorizon returns the time in ms after which tombstones of the batch may go, if it has one (KIP-534).
func (b *Batch) DeleteHorizon() (ms int64, ok bool) {
	return b.BaseTimestamp, b.Magic == 2 && b.Attributes&0x40 != 0
}

// LastSequence is the sequence number of the last record, -1 without an idempotent producer.
func (b *Batch) LastSequence() int32 {
	if b.BaseSequence == -1 {
		return -1
	}
	return addSequence(b.BaseSequence, int32(b.LastOffset-b.BaseOffset))
}

// addSequence adds with the wrap from 2147483647 to 0.
func addSequence(base, n int32) int32 {
	return int32((uint32(base) + uint32(n)) & 0x7fffffff)
}

// parse reads the head; h holds at least headV0 bytes, headV1 for magic 1 and headV2 for magic 2 where the
// batch has so many (a message of format 1 that is shorter keeps timestamp -1).
func (b *Batch) parse(h []byte, pos int) {
	be := binary.BigEndian
	*b = Batch{
		Pos: pos, Size: setHead + int(int32(be.Uint32(h[8:]))), Magic: int8(h[magicAt]),
		BaseOffset: int64(be.Uint64(h)), LeaderEpoch: -1, MaxTimestamp: -1, ProducerID: -1, ProducerEpoch: -1, BaseSequence: -1,
	}
	b.firstOffset, b.LastOffset = b.BaseOffset, b.BaseOffset
	if b.Magic < 2 {
		b.CRC = be.Uint32(h[12:])
		b.Attributes = int16(int8(h[17]))
		b.Codec = Codec(h[17] & 7)
		if b.Magic == 1 && len(h) >= headV1 && b.Size >= headV1 {
			b.MaxTimestamp = int64(be.Uint64(h[18:]))
		}
		return
	}
	b.parseV2((*[headV2]byte)(h))
}

// parseV2 reads all fields of a head of format 2 but Size and Magic.
func (b *Batch) parseV2(h *[headV2]byte) {
	be := binary.BigEndian
	base := int64(be.Uint64(h[0:]))
	b.BaseOffset, b.firstOffset, b.LastOffset = base, base, base+int64(int32(be.Uint32(h[23:])))
	b.LeaderEpoch = int32(be.Uint32(h[12:]))
	b.CRC = be.Uint32(h[17:])
	b.Attributes = int16(be.Uint16(h[21:]))
	b.Codec = Codec(h[22] & 7)
	b.BaseTimestamp = int64(be.Uint64(h[27:]))
	b.MaxTimestamp = int64(be.Uint64(h[35:]))
	b.ProducerID = int64(be.Uint64(h[43:]))
	b.ProducerEpoch = int16(be.Uint16(h[51:]))
	b.BaseSequence = int32(be.Uint32(h[53:]))
	b.Count = int32(be.Uint32(h[57:]))
}

// ParsePlain reads the head of the batch at offset pos of a set, where that is a batch of format 2 and there from end
// to end, as nearly all are. Otherwise it says false: a Reader must look.
func (b *Batch) ParsePlain(set []byte, pos int) bool {
	h := set[pos:]
	if len(h) < headV2 || h[magicAt] != 2 {
		return false
	}
	size := setHead + int(int32(binary.BigEndian.Uint32(h[8:])))
	if size < headV2 || size > len(h) {
		return false
	}
	b.Pos, b.Size, b.Magic = pos, size, 2
	b.parseV2((*[headV2]byte)(h))
	return true
}

// plausible says whether the count of a format 2 batch of size bytes can be true: never negative, never more than
// the offsets that it spans (the last one less the first is delta), nor than fit where nothing is compressed.
func plausible(count, delta int32, codec Codec, size int) bool {
	if count < 0 || int64(count) > int64(delta)+1 && count != 0 {
		return false
	}
	return codec != None || int64(count)*minRecord <= int64(size-headV2)
}

func (b *Batch) plausible() bool {
	return plausible(b.Count, int32(b.LastOffset-b.BaseOffset), b.Codec, b.Size)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum computes what CRC should be; whole is the whole batch.
func (b *Batch) checksum(whole []byte) uint32 {
	if b.Magic == 2 {
		return crc32.Checksum(whole[21:], castagnoli)
	}
	return crc32.ChecksumIEEE(whole[16:])
}

// edge looks at the start of what remains of a set (rest bytes, of which h is the beginning: at least
// min(rest, headV0)). It returns the size of the batch there, 0 where only a partial batch is left, or a fault
// that ends the set (Kafka's ByteBufferLogInputStream).
func edge(h []byte, rest, pos int) (size int, f decode.Fault, bad bool) {
	if rest < setHead {
		return 0, f, false
	}
	length := int(int32(binary.BigEndian.Uint32(h[8:])))
	if length < minMessage {
		return 0, fault(decode.BadLength, pos+8, minMessage, length), true
	}
	if rest > magicAt {
		if magic := int8(h[magicAt]); magic < 0 || magic > 2 {
			return 0, fault(decode.BadMagic, pos+magicAt, 2, int(magic)), true
		}
	}
	if setHead+length > rest {
		return 0, f, false
	}
	return setHead + length, f, false
}
