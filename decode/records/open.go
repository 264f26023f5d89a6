package records

import (
	"encoding/binary"
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

// layout of an old set: of formats 0 and 1, or legacy.
type layout struct {
	legacy    bool
	head, min int // bytes before the message, its least length
}

var (
	modern = layout{false, setHead, minMessage}
	legacy = layout{true, 4, 5}
)

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
