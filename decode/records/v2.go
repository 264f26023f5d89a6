package records

import "ksniff/decode"

// recordsV2 iterates the records of a batch of format 2.
type recordsV2 struct {
	batch *Batch
	win   *window
	n     int32 // records given
	count bool  // records are only counted: the large ones are not held in memory, nor looked into
}

// large is the size from which a record that is only counted is skipped.
const large = 1 << 20

// openV2 starts on the records of a batch, which is whole.
func (o *opener) openV2(b *Batch, whole []byte) (*level, recordsV2) {
	l := o.open(1, b.Codec, 2, whole[headV2:])
	return l, recordsV2{batch: b, win: &l.win}
}

// next reads one record. It returns false at the end, which is clean where f.Code is 0.
func (it *recordsV2) next(r *Record) (ok bool, f decode.Fault) {
	b, w := it.batch, it.win
	more := w.fill(1)
	if it.n == b.Count || b.Count < 0 || !more {
		switch {
		case more || b.Count < 0:
			return false, fault(decode.CountMismatch, b.Pos+57, int(b.Count), int(it.n))
		case w.code != 0:
			return false, fault(w.code, b.Pos, 0, 0)
		case it.n < b.Count:
			return false, fault(decode.CountMismatch, b.Pos+57, int(b.Count), int(it.n))
		}
		return false, f
	}
	w.fill(5)
	length, n := varint(w.cur)
	switch {
	case n < 0:
		return false, fault(decode.VarintOverflow, b.Pos, 5, 6)
	case n == 0:
		return false, fault(first(w.code, decode.Truncated), b.Pos, len(w.cur)+1, len(w.cur))
	case length < 0:
		return false, fault(decode.BadRecord, b.Pos, 0, int(length))
	}
	w.cur = w.cur[n:]
	if it.count && length > large {
		if !w.skip(int(length)) {
			return false, fault(first(w.code, decode.Truncated), b.Pos, int(length), 0)
		}
		it.n++
		return true, f
	}
	if !w.fill(int(length)) {
		return false, fault(first(w.code, decode.Truncated), b.Pos, int(length), len(w.cur))
	}
	if code := r.parse(w.cur[:length], b); code != 0 {
		return false, fault(code, b.Pos, int(length), 0)
	}
	w.cur = w.cur[length:]
	it.n++
	return true, f
}

// countV2 counts the records of a batch one by one, and the bytes that it takes uncompressed.
func (o *opener) countV2(b *Batch, whole []byte) (n, bytes int64, f decode.Fault) {
	sum := b.checksum(whole)
	l, it := o.openV2(b, whole)
	defer o.close(l)
	it.count = true
	var r Record
	for ok := true; ok; {
		ok, f = it.next(&r)
	}
	bytes = int64(b.Size)
	if b.Codec != None {
		if f.Code == decode.CountMismatch {
			l.win.skip(MaxBatch) // to the end, so that the size is known
		}
		bytes = headV2 + int64(l.inf.total)
	}
	n = int64(it.n)
	if f.Code != decode.CountMismatch && b.plausible() {
		n = int64(b.Count) // what could not be read still is there
	}
	if sum != b.CRC {
		f = fault(decode.CRCMismatch, b.Pos+17, int(b.CRC), int(sum))
	}
	return n, bytes, f
}

// first is a, or b where a is nothing.
func first(a, b decode.Code) decode.Code {
	if a != 0 {
		return a
	}
	return b
}
