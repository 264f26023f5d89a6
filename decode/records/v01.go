package records

import (
	"encoding/binary"

	"ksniff/decode"
)

// recordsOld iterates what a message of format 0 or 1 holds: itself or, if it is a wrapper, the messages in it.
type recordsOld struct {
	batch *Batch
	win   *window
	base  int64 // to add to relative offsets
}

// open starts on a message, whole with its offset and length. A wrapper is read twice: the offset of its last
// message says what the relative offsets of format 1 count from.
func (it *recordsOld) open(r *Reader, whole []byte) *level {
	b, o := &r.Batch, r.opener
	*it = recordsOld{batch: b}
	_, value, ok := keyValue(whole[setHead:], b.Magic)
	if b.Codec == None {
		l := o.open(0, None, b.Magic, whole)
		it.win = &l.win
		return l
	}
	switch {
	case !ok:
		r.wrong(fault(decode.BadLength, b.Pos, len(whole), len(whole)))
		return nil
	case value == nil:
		r.wrong(fault(decode.BadRecord, b.Pos, 1, 0)) // a wrapper of nothing
		return nil
	case b.Codec == Zstd:
		r.wrong(fault(decode.BadCodec, b.Pos, int(LZ4), int(b.Codec)))
	}
	l := o.open(1, b.Codec, b.Magic, value)
	t := tally{}
	o.count(l, modern, 1, r.opt.Deep, &t)
	o.close(l)
	if t.entries == 0 {
		t.wrong(decode.BadRecord, 1, 0)
	}
	if t.code != 0 {
		r.wrong(t.fault(b.Pos))
	}
	// A wrapper with offset 0 comes from clients that leave the counting to the broker (librdkafka).
	if b.Magic == 1 && b.firstOffset != 0 {
		if it.base = b.firstOffset - t.last; it.base < 0 {
			r.wrong(fault(decode.BadRecord, b.Pos, int(t.last), int(b.firstOffset)))
		}
	}
	b.BaseOffset = it.base + t.first
	o.batch = min(MaxBatch, o.left)
	l = o.open(1, b.Codec, b.Magic, value)
	it.win = &l.win
	return l
}

// next reads one message. What is wrong with the set inside a wrapper has been said when it was opened.
func (it *recordsOld) next(r *Record) (ok bool, f decode.Fault) {
	for w := it.win; w.fill(setHead); {
		size := int(int32(binary.BigEndian.Uint32(w.cur[8:])))
		if size < minMessage || !w.fill(setHead+size) {
			return false, f
		}
		offset := int64(binary.BigEndian.Uint64(w.cur))
		m := w.cur[setHead : setHead+size]
		w.cur = w.cur[setHead+size:]
		magic := int8(m[4])
		if magic < 0 || magic > 1 {
			return false, f
		}
		if it.batch.Codec != None && m[5]&7 != 0 {
			continue // a wrapper in a wrapper, which Kafka does not read
		}
		*r = Record{Offset: offset + it.base, Timestamp: -1, Sequence: -1}
		if magic == 1 && len(m) >= 14 {
			r.Timestamp = int64(binary.BigEndian.Uint64(m[6:]))
		}
		if it.batch.Codec != None && it.batch.LogAppendTime() {
			r.Timestamp = it.batch.MaxTimestamp
		}
		if r.Key, r.Value, ok = keyValue(m, magic); !ok {
			return false, fault(decode.BadLength, it.batch.Pos, size, size)
		}
		return true, f
	}
	return false, f
}
