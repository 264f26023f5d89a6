package records

import (
	"encoding/binary"

	"ksniff/decode"
)

// Reader gives the batches of a set that is there, and the records of each. After a fault it goes on with the
// next batch wherever the set still shows where that is. It is meant to be used again; Close gives back its
// decompressors.
//
//	r.Reset(set, len(set), records.Options{Deep: true})
//	for r.NextBatch() {
//		for r.NextRecord() {
//			use(r.Batch, r.Record)
//		}
//	}
//	f, faulty := r.Fault()
type Reader struct {
	Batch  Batch
	Record Record
	// Opened says that the batch's records can be read: those of formats 0 and 1 always, of format 2 with Deep,
	// and none of a batch of which only the head is there.
	Opened bool
	// Checked says that the checksum was computed (Deep), Computed what it is.
	Checked  bool
	Computed uint32
	// Iterated counts the records that NextRecord has given of this batch.
	Iterated int
	// RecordFault is what ended the reading of the batch's records, or of the wrapper that they are in; its Code is
	// 0 where nothing did. A wrong checksum is none.
	RecordFault decode.Fault

	set      []byte
	size     int
	opt      Options
	pos      int
	trailing int
	fault    decode.Fault
	faulty   bool
	batchBad bool // a fault belongs to this batch
	opener   *opener
	level    *level
	flat     *level // of batches of format 2 that are not compressed: it borrows nothing
	v2       recordsV2
	old      recordsOld
}

// Reset starts on a set of size bytes of which set has the first ones, usually all. Legacy sets have a
// reader of their own in package legacy.
func (r *Reader) Reset(set []byte, size int, opt Options) {
	r.Close()
	*r = Reader{set: set[:min(len(set), size)], size: size, opt: opt, flat: r.flat}
}

// Close gives back what the Reader has borrowed. Batch, Fault and Trailing stay.
func (r *Reader) Close() {
	r.endBatch()
	if r.opener != nil {
		r.opener.free()
		r.opener = nil
	}
}

// Fault is the first thing that is wrong in the set, also where it was tolerated.
func (r *Reader) Fault() (f decode.Fault, faulty bool) { return r.fault, r.faulty }

// BatchFaulty says that something is wrong with the current batch.
func (r *Reader) BatchFaulty() bool { return r.batchBad }

// Trailing is the bytes of a partial batch at the end, once NextBatch has returned false.
func (r *Reader) Trailing() int { return r.trailing }

func (r *Reader) wrong(f decode.Fault) {
	r.batchBad = true
	if r.RecordFault.Code == 0 && f.Code != decode.CRCMismatch {
		r.RecordFault = f
	}
	if !r.faulty {
		r.fault, r.faulty = f, true
	}
}

func (r *Reader) endBatch() {
	if r.level != nil {
		r.opener.close(r.level)
		r.level = nil
	}
}

// NextBatch goes to the next batch that is whole in the set, and says whether there is one.
func (r *Reader) NextBatch() bool {
	r.endBatch()
	r.Opened, r.Checked, r.Iterated, r.batchBad, r.RecordFault = false, false, 0, false, decode.Fault{}
	for r.pos < r.size {
		b, rest := r.set[min(r.pos, len(r.set)):], r.size-r.pos
		if len(b) < min(rest, headV0) {
			return r.missing(rest, len(b))
		}
		size, f, bad := edge(b, rest, r.pos)
		if bad {
			r.wrong(f)
			r.pos = r.size
			return false
		}
		if size == 0 {
			r.trailing, r.pos = rest, r.size
			if r.opt.Exact {
				r.wrong(fault(decode.Truncated, r.size-rest, setHead, rest))
			}
			return false
		}
		if b[magicAt] == 2 && size < headV2 {
			r.wrong(fault(decode.BadLength, r.pos+8, headV2-setHead, size-setHead))
			r.pos += size
			continue
		}
		if b[magicAt] == 2 && len(b) < headV2 {
			return r.missing(rest, len(b))
		}
		r.Batch.parse(b, r.pos)
		r.pos += size
		if len(b) < size {
			r.wrong(decode.Fault{Code: decode.Truncated, Class: decode.Incomplete, Offset: r.Batch.Pos, Need: size, Have: len(b), Node: -1})
			return true
		}
		r.open(b[:size])
		return true
	}
	return false
}

// missing ends a set whose next head is not in the capture.
func (r *Reader) missing(need, have int) bool {
	r.wrong(decode.Fault{Code: decode.Truncated, Class: decode.Incomplete, Offset: r.pos, Need: need, Have: have, Node: -1})
	r.pos = r.size
	return false
}

// open checks a batch that is there, and gets at its records where it may.
func (r *Reader) open(whole []byte) {
	b := &r.Batch
	if r.opt.Deep {
		r.Checked, r.Computed = true, b.checksum(whole)
		if r.Computed != b.CRC {
			at := 12
			if b.Magic == 2 {
				at = 17
			}
			r.wrong(fault(decode.CRCMismatch, b.Pos+at, int(b.CRC), int(r.Computed)))
		}
	}
	if b.Magic == 2 && !r.opt.Deep && (!r.opt.Plain || b.Codec != None) {
		return
	}
	r.Opened = true
	if b.Magic == 2 && b.Codec == None {
		if r.flat == nil {
			r.flat = new(level)
		}
		r.flat.win.reset(nil, whole[headV2:])
		r.level, r.v2 = r.flat, recordsV2{batch: b, win: &r.flat.win}
		return
	}
	if r.opener == nil {
		r.opener = newOpener(r.size)
	}
	r.opener.begin()
	if b.Magic == 2 {
		r.level, r.v2 = r.opener.openV2(b, whole)
		r.noteOdd()
		return
	}
	r.level = r.old.open(r, whole)
	r.noteOdd()
}

func (r *Reader) noteOdd() {
	if odd := r.opener.odd; odd != 0 {
		r.wrong(fault(odd, r.Batch.Pos, 0, 0))
	}
}

// NextRecord goes to the batch's next record, and says whether there is one. Record is valid until the next call.
func (r *Reader) NextRecord() bool {
	if r.level == nil {
		return false
	}
	var ok bool
	var f decode.Fault
	if r.Batch.Magic == 2 {
		ok, f = r.v2.next(&r.Record)
	} else {
		ok, f = r.old.next(&r.Record)
	}
	if f.Code != 0 {
		r.wrong(f)
	}
	if !ok {
		r.endBatch()
		return false
	}
	r.Iterated++
	return true
}

// Control types (Kafka's ControlRecordType).
const (
	Abort int16 = iota
	Commit
	LeaderChange
	SnapshotHeader
	SnapshotFooter
	KRaftVersion
	KRaftVoters
)

var controlNames = [...]string{"ABORT", "COMMIT", "LEADER_CHANGE", "SNAPSHOT_HEADER", "SNAPSHOT_FOOTER", "KRAFT_VERSION", "KRAFT_VOTERS"}

// ControlType is the type in the key of a control record, -1 where the key has none.
func (r *Record) ControlType() int16 {
	if len(r.Key) < 4 {
		return -1
	}
	return int16(binary.BigEndian.Uint16(r.Key[2:]))
}

// ControlName is Kafka's name of a control type.
func ControlName(t int16) string {
	if t < 0 || int(t) >= len(controlNames) {
		return "UNKNOWN"
	}
	return controlNames[t]
}
