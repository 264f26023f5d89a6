package records

import (
	"encoding/binary"
	"hash/crc32"
	"sync"

	"ksniff/decode"
)

// level is one depth of nesting: the data there, and what decompresses it.
type level struct {
	win window
	inf inflater
}

// opener holds what is needed to look into compressed batches. It is taken from a pool for the time of
// one set, so that idle connections hold none.
type opener struct {
	levels [MaxDepth + 1]*level
	left   int // bytes that the set may still decompress to
	batch  int // the same for the batch that is open
	odd    decode.Code
}

var openers = sync.Pool{New: func() any { return new(opener) }}

func newOpener(setSize int) *opener {
	o := openers.Get().(*opener)
	o.left = max(MaxSet, 100*setSize)
	return o
}

func (o *opener) free() {
	for _, l := range o.levels {
		if l != nil {
			l.win.reset(nil, nil)
			l.inf.trim()
		}
	}
	openers.Put(o)
}

// begin starts on a new batch.
func (o *opener) begin() { o.batch, o.odd = min(MaxBatch, o.left), 0 }

func (o *opener) level(depth int) *level {
	if o.levels[depth] == nil {
		o.levels[depth] = new(level)
	}
	return o.levels[depth]
}

// open decompresses data at a depth.
func (o *opener) open(depth int, codec Codec, magic int8, data []byte) *level {
	l := o.level(depth)
	if codec == None {
		l.win.reset(nil, data)
		return l
	}
	l.inf.reset(codec, magic, data, o.batch)
	l.win.reset(&l.inf, nil)
	if l.inf.odd != 0 {
		o.odd = l.inf.odd
	}
	return l
}

// close accounts for what a level cost.
func (o *opener) close(l *level) {
	if l.win.src != nil {
		o.batch -= l.inf.total
		o.left -= l.inf.total
	}
}

// tally is what an old set or wrapper turns out to hold.
type tally struct {
	messages    int64
	bytes       int64 // that the messages take uncompressed, with their heads
	first, last int64 // offsets of the first and last entry at the top
	entries     int64 // at the top
	need        int   // with a code: what the place asked for
	have        int
	cut         bool // the code is Truncated for a cut message at the end of a wrapper's set, which Kafka skips
}

// layout of an old set: of formats 0 and 1, or legacy.
type layout struct {
	legacy    bool
	head, min int // bytes before the message, its least length
}

var (
	modern = layout{false, setHead, minMessage}
	legacy = layout{true, 4, 5}
)

// count walks the messages of an old set, and into its wrappers. Deep checks every checksum. It returns the
// first thing that is wrong; what could be counted is in t.
func (o *opener) count(l *level, lay layout, depth int, deep bool, t *tally) (wrong decode.Code) {
	note := func(code decode.Code) {
		if wrong == 0 {
			wrong = code
		}
	}
	for w := &l.win; ; {
		if !w.fill(lay.head) {
			if w.code != 0 {
				note(w.code)
			} else if len(w.cur) > 0 {
				return cutOff(w, lay.head, t, wrong)
			}
			return wrong
		}
		size := int(int32(binary.BigEndian.Uint32(w.cur[lay.head-4:])))
		if size < lay.min {
			t.need, t.have = lay.min, size
			note(decode.BadLength)
			return wrong
		}
		whole := lay.head + size
		if !w.fill(min(whole, lay.head+6)) {
			return cutOff(w, whole, t, wrong)
		}
		m := w.cur[lay.head:]
		magic, attributes := int8(m[0]), byte(0)
		if !lay.legacy {
			magic = int8(m[4])
			attributes = m[5]
		} else if magic == 1 && size > 1 {
			attributes = m[1]
		}
		var codec Codec
		if lay.legacy {
			codec = Codec(attributes & 3)
		} else {
			codec = Codec(attributes & 7)
		}
		if !lay.legacy {
			t.last = int64(binary.BigEndian.Uint64(w.cur))
			if t.entries == 0 {
				t.first = t.last
			}
		}
		t.entries++
		if magic < 0 || magic > 1 {
			t.need, t.have = 1, int(magic)
			note(decode.BadMagic)
			if !lay.legacy || !w.skip(whole) {
				return wrong
			}
			continue
		}
		if codec == None && (!deep || size > large) {
			if !w.skip(whole) {
				return cutOff(w, whole, t, wrong)
			}
			t.messages++
			t.bytes += int64(whole)
			continue
		}
		if !w.fill(whole) {
			return cutOff(w, whole, t, wrong)
		}
		note(o.message(w.cur[lay.head:whole], lay, magic, codec, depth, deep, t))
		w.cur = w.cur[whole:]
	}
}

// message checks one message and opens it if it is a wrapper.
func (o *opener) message(m []byte, lay layout, magic int8, codec Codec, depth int, deep bool, t *tally) (wrong decode.Code) {
	var value []byte
	ok := true
	if lay.legacy {
		if magic == 1 && len(m) < 6 {
			t.need, t.have = 6, len(m)
			return decode.BadLength
		}
		at := 5 + int(magic)
		value = m[at:]
		if crc32.ChecksumIEEE(value) != binary.BigEndian.Uint32(m[at-4:]) {
			wrong = decode.CRCMismatch
		}
	} else {
		if crc32.ChecksumIEEE(m[4:]) != binary.BigEndian.Uint32(m) {
			wrong = decode.CRCMismatch
		}
		_, value, ok = keyValue(m, magic)
	}
	if codec == None {
		t.messages++
		t.bytes += int64(lay.head + len(m))
	}
	if !ok {
		return first(wrong, decode.BadLength)
	}
	if codec == None {
		return wrong
	}
	if depth >= MaxDepth {
		return first(wrong, decode.TooDeep)
	}
	if !lay.legacy && (depth > 0 || value == nil) {
		wrong = first(wrong, decode.BadRecord) // Kafka wants exactly one level, and something in it
	}
	if lay.legacy && codec > Snappy {
		return first(wrong, decode.BadCodec)
	}
	if !lay.legacy && codec == Zstd {
		wrong = first(wrong, decode.BadCodec) // came with format 2
	}
	inner := tally{}
	l := o.open(depth+1, codec, magic, value)
	code := o.count(l, lay, depth+1, deep, &inner)
	o.close(l)
	t.messages += inner.messages
	t.bytes += inner.bytes
	t.need, t.have = inner.need, inner.have
	t.cut = inner.cut && wrong == 0
	if lay.legacy && code == l.win.code && code != 0 && code != decode.TooLarge {
		code = decode.DecompressError
	}
	return first(wrong, code)
}

func first(a, b decode.Code) decode.Code {
	if a != 0 {
		return a
	}
	return b
}

// cutOff is the end of a set within a message.
func cutOff(w *window, need int, t *tally, wrong decode.Code) decode.Code {
	switch {
	case wrong != 0:
		return wrong
	case w.code != 0:
		return w.code
	}
	t.need, t.have, t.cut = need, len(w.cur), true
	return decode.Truncated
}

// keyValue returns key and value (nil: null) of a message of format 0 or 1, which starts with its checksum.
func keyValue(m []byte, magic int8) (key, value []byte, ok bool) {
	at := 6
	if magic == 1 {
		at += 8
	}
	if len(m) < at {
		return nil, nil, false
	}
	m = m[at:]
	if key, m, ok = bytes32(m); !ok {
		return nil, nil, false
	}
	value, _, ok = bytes32(m)
	return key, value, ok
}

// bytes32 reads bytes with an int32 length in front; negative is null.
func bytes32(b []byte) (v, rest []byte, ok bool) {
	if len(b) < 4 {
		return nil, nil, false
	}
	n := int(int32(binary.BigEndian.Uint32(b)))
	b = b[4:]
	if n < 0 {
		return nil, b, true
	}
	if n > len(b) {
		return nil, nil, false
	}
	return b[:n:n], b[n:], true
}
