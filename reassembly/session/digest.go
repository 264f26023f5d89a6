package session

import (
	"encoding/binary"

	"ksniff/decode/records"
	"ksniff/reassembly"
)

// gathers says whether all bytes of a frame are gathered before it is read; sets, whether it may have record sets.
func (s *Session) gathers(f *reassembly.Frame, sets bool) bool {
	if f.Length > maxGathered {
		return false
	}
	return s.cfg.Whole || s.cfg.Bytes && !(s.digests() && sets)
}

func (s *Session) digests() bool { return s.cfg.Bytes && s.cfg.Digests && !s.cfg.Deep }

// beginDigests makes ready for digests where they are wanted; begin comes before it.
func (rd *reader) beginDigests(f *reassembly.Frame) {
	if !rd.session.digests() || f.Length > maxGathered {
		return
	}
	if rd.digest = true; rd.digester == nil {
		rd.digester = &records.Digester{}
	}
	rd.digester.Both = rd.session.sums
	if rd.digester.Digests = rd.digester.Digests[:0]; cap(rd.digester.Digests) > 1024 {
		rd.digester.Digests = nil
	}
}

// digests reads on with b, the body from offset off on: either fields, which are kept, or bytes of a record set.
func (rd *reader) digests(b []byte, off int) reassembly.Step {
	if rd.inSet {
		pos := rd.set + rd.at
		if pos > off+len(b) { // a batch that is not whole in the capture
			return reassembly.Step{Next: pos, Need: 1}
		}
		var here []byte
		if pos >= off {
			here = b[pos-off:]
		}
		advance, need, keep, done := rd.digester.Next(here)
		rd.at += advance
		end := rd.set + rd.at
		if done {
			rd.endSet()
			for need = 0; need == 0 && !rd.over; { // the message may end here
				need = rd.field(nil, end)
			}
			need = 1
		}
		return reassembly.Step{Next: end, Need: need, Keep: keep}
	}
	need := 0
	for need == 0 && !rd.over && !rd.inSet {
		need = rd.field(b, off)
	}
	to := rd.view.Pos()
	switch {
	case rd.inSet:
		to, need = rd.set, 1
	case rd.over:
		to = rd.length
	}
	if have := off + len(b); to > have {
		to, need = have, 1
	}
	return reassembly.Step{Next: to, Need: need, Keep: true}
}

// strange says that what was read of the first bytes of a frame is not as it should be: the message ends before it has
// records, or they begin with no batch.
func (rd *reader) strange(b []byte) bool {
	if !rd.inSet {
		return rd.over
	}
	if set := b[min(rd.set, len(b)):]; len(set) > 16 {
		return set[16] > 2 || int32(binary.BigEndian.Uint32(set[8:])) < 14
	}
	return false
}

// missing says that of the bytes of the set that are wanted next n are not in the capture.
func (rd *reader) missing(n int) (advance int, done bool) {
	if rd.digest {
		return rd.digester.Missing(n)
	}
	return rd.scan.Missing(n)
}
