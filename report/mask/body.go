package mask

import (
	"encoding/binary"

	"ksniff/decode"
)

// body is a frame's body while it is masked: what was captured, and what may be shown of it. Nothing may,
// until it is put.
type body struct {
	runs   []decode.Run
	length int    // as the length word says
	out    []byte // the first bytes of the body, masked; the rest is zeros
}

// get gives captured bytes that lie in one piece, nil where they do not.
func (b *body) get(off, n int) []byte {
	if off < 0 || n < 0 {
		return nil
	}
	for i := range b.runs {
		run := &b.runs[i]
		if at := off - run.Off; at >= 0 && at <= len(run.Bytes) && n <= len(run.Bytes)-at {
			return run.Bytes[at : at+n]
		}
	}
	return nil
}

// show puts back captured bytes as they are, as far as they are there.
func (b *body) show(off, n int) {
	for i := range b.runs {
		run := &b.runs[i]
		from, to := max(off, run.Off), min(off+n, run.Off+len(run.Bytes))
		if from < to {
			copy(b.out[from:to], run.Bytes[from-run.Off:])
		}
	}
}

// hide puts fill in the place of captured bytes, and leaves what is missing.
func (b *body) hide(off, n int) {
	for i := range b.runs {
		run := &b.runs[i]
		from, to := max(off, run.Off), min(off+n, run.Off+len(run.Bytes))
		if from < to {
			cover(b.out[from:to])
		}
	}
}

// set masks a record set of the modern formats: batch by batch, as far as their heads are there.
func (m *Masker) set(b *body, off, size int) {
	for size > 0 {
		head := b.get(off, min(size, magicAt+2))
		if len(head) < magicAt+2 {
			b.show(off, min(size, magicAt))
			return
		}
		n := setHead + int(int32(binary.BigEndian.Uint32(head[8:])))
		magic := int8(head[magicAt])
		least := magicAt + 2
		if magic == 2 {
			least = v2Records
		}
		if n < setHead || magic < 0 || magic > 2 {
			b.show(off, len(head))
			return
		}
		whole := b.get(off, n)
		if n > size || n < least || whole == nil { // cut by the broker, or not all of it was captured
			b.show(off, min(least, n, size))
			if n > size {
				return
			}
		} else {
			at := b.out[off : off+n]
			copy(at, whole)
			if magic == 2 {
				m.batch(at)
			} else {
				m.message(at[setHead:], 0)
			}
		}
		off, size = off+n, size-n
	}
}

// legacySet does the same with a message set of 0.6 or 0.7.
func (m *Masker) legacySet(b *body, off, size int) {
	const least = 4 + 2 // size, magic, attributes
	for size > 0 {
		head := b.get(off, min(size, 4))
		if len(head) < 4 {
			return
		}
		n := 4 + int(int32(binary.BigEndian.Uint32(head)))
		whole := b.get(off, n)
		if n < 4 || n > size || whole == nil {
			b.show(off, min(least, size))
			if n < 4 || n > size {
				return
			}
		} else {
			at := b.out[off : off+n]
			copy(at, whole)
			m.legacyMessage(at[4:], 0)
		}
		off, size = off+n, size-n
	}
}
