package audit

import (
	"hash/crc32"

	"ksniff/decode"
	"ksniff/decode/records"
)

// sets goes through the record sets of a frame, batch by batch.
type sets struct {
	reader records.Reader
	sums   records.Sums
	set    setSeen
}

// setSeen is what was seen of a record set before the batch that is looked at; at its end, of all of it.
type setSeen struct {
	batches  int
	bytes    int // of the batches
	magic    int8
	last     int64 // offset of the last message of the batch before
	trailing int   // bytes of a partial batch at the end
}

// batches calls the looks at batches and records of a frame that was read to its end.
func (a *Audit) batches(x *Ctx) {
	f := x.Frame
	if len(f.Parts) == 0 || x.Body == nil || (f.Kind == decode.Request) != (f.Key == keyProduce) {
		return
	}
	w := wants{a.table.cell(onBatch, f.Key) != nil, a.table.cell(onBatchEnd, f.Key) != nil}
	if w == (wants{}) && !a.cfg.Usage && a.table.cell(onSet, f.Key) == nil {
		return
	}
	x.Records, x.Seen = &a.sets.sums, &a.sets.set
	for i := range f.Parts {
		p := &f.Parts[i]
		if p.Sets.Bytes == 0 {
			continue
		}
		x.Topic, x.Partition, x.Part, x.Set, x.SetBytes = p.Topic, p.Partition, i, p.Sets.At, int(p.Sets.Bytes)
		a.set(x, x.Body[x.Set:x.Set+x.SetBytes], w)
	}
	x.Batch, x.Raw, x.Topic = nil, nil, nil
}

// wants says what of a record set somebody looks at.
type wants struct{ batches, records bool }

// set goes through one record set.
func (a *Audit) set(x *Ctx, b []byte, w wants) {
	s := &a.sets.set
	*s = setSeen{}
	frame := x.marks
	r := &a.sets.reader
	r.Reset(b, len(b), records.Options{Deep: a.cfg.Deep, Plain: w.records, Exact: x.Kind == decode.Request})
	for r.NextBatch() {
		x.Batch, x.Raw = &r.Batch, b[r.Batch.Pos:min(len(b), r.Batch.Pos+r.Batch.Size)]
		if a.cfg.Usage && x.Key == keyProduce && r.Batch.Magic < 2 {
			a.usage.count(x, r.Batch.Magic)
		}
		x.marks = frame | x.headMarks(s)
		if w.batches {
			x.Computed = r.Computed
			if !r.Checked {
				x.Computed = checksum(x.Raw, &r.Batch)
			}
			if x.Computed != r.Batch.CRC {
				x.marks |= badSum
			}
			a.run(onBatch, x.Key)
		}
		s.batches++
		s.bytes += r.Batch.Size
		s.magic, s.last = r.Batch.Magic, r.Batch.LastOffset
		if !w.records || !r.Opened || r.Batch.Codec != records.None && !a.cfg.Deep {
			continue
		}
		if sums := &a.sets.sums; r.Batch.Codec != records.None || !records.SumStraight(&r.Batch, x.Raw, sums) {
			r.Sum(sums)
		}
		x.marks |= x.recordMarks()
		a.run(onBatchEnd, x.Key)
	}
	r.Close()
	s.trailing = r.Trailing()
	x.Raw, x.marks = b, frame
	if s.bytes != x.SetBytes || s.batches != 1 {
		x.marks |= oddSet
	}
	a.run(onSet, x.Key)
	x.marks = frame
}

// checksum computes what the checksum of a batch should be, all of which is there; else it is what it is.
func checksum(whole []byte, b *records.Batch) uint32 {
	switch {
	case len(whole) != b.Size:
		return b.CRC
	case b.Magic == 2:
		return crc32.Checksum(whole[21:], castagnoli)
	}
	return crc32.ChecksumIEEE(whole[16:])
}

// headMarks are the marks of a batch by its head.
func (x *Ctx) headMarks(s *setSeen) (m marks) {
	b := x.Batch
	if s.batches > 0 {
		m |= later
	}
	if x.Kind == decode.Request {
		if b.ProducerID >= 0 || b.ProducerEpoch >= 0 || b.Transactional() {
			m |= named
		}
		if b.Magic != 2 || b.Codec >= records.LZ4 || b.BaseOffset != 0 || b.Count <= 0 || b.LastOffset != int64(b.Count-1) || b.Attributes&^0x17 != 0 || s.batches > 0 {
			m |= oddHead
		}
	} else if b.Magic != 2 || b.Codec >= records.LZ4 || b.Attributes&^0x7f != 0 || x.Version < 4 && x.Key == keyFetch {
		m |= oddHead
	}
	return m
}

// recordMarks are the marks of a batch by its records.
func (x *Ctx) recordMarks() (m marks) {
	b, s := x.Batch, x.Records
	if s.Fault.Code != 0 {
		m |= badRecords
	}
	if s.Keyless >= 0 {
		m |= keylessOne
	}
	if s.Bits != 0 || s.Disorder >= 0 || s.Timeless > 0 || s.First != b.BaseTimestamp || s.Most != b.MaxTimestamp {
		m |= oddRecords
	}
	return m
}
