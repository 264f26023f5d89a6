package records

import (
	"encoding/binary"
	"hash/crc32"

	"ksniff/decode"
)

// tally is what an old set or wrapper turns out to hold.
type tally struct {
	messages    int64
	bytes       int64 // that the messages take uncompressed, with their heads
	first, last int64 // offsets of the first and last entry at the top
	entries     int64 // at the top

	code       decode.Code // the first thing that is wrong, 0 for nothing
	need, have int         // of the code
	cut        bool        // the code is for a cut message at the end of a wrapper's set, which Kafka skips
}

func (t *tally) wrong(code decode.Code, need, have int) {
	if t.code == 0 {
		t.code, t.need, t.have = code, need, have
	}
}

// fault is the first thing that is wrong, in a batch at pos.
func (t *tally) fault(pos int) decode.Fault {
	f := fault(t.code, pos, t.need, t.have)
	f.Tolerated = f.Tolerated || t.cut
	return f
}

// checksum compares the CRC-32 of b with the one that word begins with.
func (t *tally) checksum(b, word []byte) {
	if want, have := binary.BigEndian.Uint32(word), crc32.ChecksumIEEE(b); want != have {
		t.wrong(decode.CRCMismatch, int(want), int(have))
	}
}

// cutOff is the end of a set within a message of need bytes.
func (t *tally) cutOff(w *window, need int) {
	switch {
	case w.code != 0:
		t.wrong(w.code, need, len(w.cur))
	case t.code == 0 && len(w.cur) > 0:
		t.wrong(decode.Truncated, need, len(w.cur))
		t.cut = true
	}
}

// count walks the messages of an old set, and into its wrappers. Deep checks every checksum. What could be
// counted is in t, whatever is wrong.
func (o *opener) count(l *level, lay layout, depth int, deep bool, t *tally) {
	for w := &l.win; ; {
		if !w.fill(lay.head) {
			t.cutOff(w, lay.head)
			return
		}
		size := int(int32(binary.BigEndian.Uint32(w.cur[lay.head-4:])))
		if size < lay.min {
			t.wrong(decode.BadLength, lay.min, size)
			return
		}
		whole := lay.head + size
		if !w.fill(min(whole, lay.head+6)) {
			t.cutOff(w, whole)
			return
		}
		magic, codec := lay.kind(w.cur[lay.head:])
		if !lay.legacy {
			t.last = int64(binary.BigEndian.Uint64(w.cur))
			if t.entries == 0 {
				t.first = t.last
			}
		}
		t.entries++
		switch {
		case magic < 0 || magic > 1:
			t.wrong(decode.BadMagic, 1, int(magic))
			if !lay.legacy || !w.skip(whole) {
				return
			}
		case codec == None && (!deep || size > large) && size >= lay.min+lay.more(magic):
			if !w.skip(whole) {
				t.cutOff(w, whole)
				return
			}
			t.messages++
			t.bytes += int64(whole)
		default:
			if !w.fill(whole) {
				t.cutOff(w, whole)
				return
			}
			o.message(w.cur[lay.head:whole], lay, magic, codec, depth, deep, t)
			w.cur = w.cur[whole:]
		}
	}
}

// kind reads magic and codec of a message, of which m is the beginning.
func (lay layout) kind(m []byte) (magic int8, codec Codec) {
	switch {
	case !lay.legacy:
		return int8(m[4]), Codec(m[5] & 7)
	case m[0] == 1:
		return 1, Codec(m[1] & 3)
	}
	return int8(m[0]), None
}

// more is what a message of format 1 takes more than one of format 0.
func (lay layout) more(magic int8) int {
	if lay.legacy {
		return int(magic)
	}
	return 8 * int(magic)
}

// message checks one message, counts it, and opens it if it is a wrapper.
func (o *opener) message(m []byte, lay layout, magic int8, codec Codec, depth int, deep bool, t *tally) {
	var value []byte
	ok := true
	if lay.legacy {
		at := 5 + int(magic)
		if len(m) < at {
			t.wrong(decode.BadLength, at, len(m))
			return
		}
		value = m[at:]
		t.checksum(value, m[at-4:])
	} else {
		t.checksum(m[4:], m)
		_, value, ok = keyValue(m, magic)
	}
	if codec == None {
		t.messages++
		t.bytes += int64(lay.head + len(m))
	}
	if !ok {
		t.wrong(decode.BadLength, len(m)+1, len(m))
		return
	}
	if codec == None {
		return
	}
	switch {
	case depth >= MaxDepth:
		t.wrong(decode.TooDeep, MaxDepth, depth+1)
		return
	case lay.legacy && codec > Snappy:
		t.wrong(decode.BadCodec, int(Snappy), int(codec))
		return
	case !lay.legacy && (depth > 0 || value == nil):
		t.wrong(decode.BadRecord, 1, depth+1) // Kafka wants exactly one level, and something in it
	case !lay.legacy && codec == Zstd:
		t.wrong(decode.BadCodec, int(LZ4), int(codec)) // came with format 2
	}
	inner := tally{}
	l := o.open(depth+1, codec, magic, value)
	o.count(l, lay, depth+1, deep, &inner)
	o.close(l)
	t.messages += inner.messages
	t.bytes += inner.bytes
	if lay.legacy && inner.code == l.win.code && inner.code != 0 && inner.code != decode.TooLarge {
		inner.code = decode.DecompressError
	}
	if t.code == 0 {
		t.code, t.need, t.have, t.cut = inner.code, inner.need, inner.have, inner.cut
	}
}
