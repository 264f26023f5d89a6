package audit

import (
	"cmp"
	"hash/crc32"
	"slices"

	"ksniff/decode"
	"ksniff/decode/records"
)

// sets goes through the record sets of a frame, batch by batch.
type sets struct {
	reader records.Reader
	batch  records.Batch // that is no Reader's
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
	if len(f.Parts) == 0 || x.Head == nil || (f.Kind == decode.Request) != (f.Key == keyProduce) {
		return
	}
	w := wants{a.table.cell(onBatch, f.Key), a.table.cell(onBatchEnd, f.Key)}
	ofSet := a.table.cell(onSet, f.Key)
	if w.batches == nil && w.records == nil && ofSet == nil && !a.cfg.Usage {
		return
	}
	x.Records, x.Seen = &a.sets.sums, &a.sets.set
	digests, frame := f.Digests, x.marks
	for i := range f.Parts {
		p := &f.Parts[i]
		if p.Sets.Bytes == 0 {
			continue
		}
		a.sets.set = setSeen{}
		x.Topic, x.Partition, x.Part, x.Set, x.SetBytes = p.Topic, p.Partition, i, p.Sets.At, int(p.Sets.Bytes)
		if x.Body != nil {
			a.set(x, x.Body[x.Set:x.Set+x.SetBytes], w)
		} else {
			n := 0
			for n < len(digests) && digests[n].Set <= x.Set {
				n++
			}
			a.digests(x, digests[:n], w)
			digests = digests[n:]
		}
		s := x.Seen
		x.marks = frame
		if s.bytes != x.SetBytes || s.batches != 1 {
			x.marks |= oddSet
		}
		if ofSet != nil {
			ofSet.run(x)
		}
		x.marks = frame
	}
	x.Batch, x.Raw, x.Topic = nil, nil, nil
}

// wants are the looks at what is in a record set, nil where there are none.
type wants struct{ batches, records *cell }

// set goes through a record set, batch by batch, as long as they are plain.
func (a *Audit) set(x *Ctx, b []byte, w wants) {
	at, batch, sums := 0, &a.sets.batch, &a.sets.sums
	for !a.cfg.Deep && at < len(b) && batch.ParsePlain(b, at) {
		whole := b[at : at+batch.Size]
		if w.batches != nil {
			x.Computed = checksum(whole, batch)
		}
		a.batch(x, batch, whole, w)
		at += batch.Size
		if w.records == nil || batch.Codec != records.None {
			continue
		}
		if !records.SumStraight(batch, whole, sums) {
			r := &a.sets.reader
			r.Reset(whole, len(whole), records.Options{Plain: true})
			r.NextBatch()
			r.Sum(sums)
			r.Close()
		}
		x.marks |= x.recordMarks()
		w.records.run(x)
	}
	if x.Raw, x.Left = nil, at; at < len(b) {
		a.rest(x, b[at:], at, w)
	}
}

// rest goes through what of a record set begins at offset at of it.
func (a *Audit) rest(x *Ctx, b []byte, at int, w wants) {
	r := &a.sets.reader
	r.Reset(b, len(b), records.Options{Deep: a.cfg.Deep, Plain: w.records != nil, Exact: x.Kind == decode.Request})
	for r.NextBatch() {
		whole := b[r.Batch.Pos:min(len(b), r.Batch.Pos+r.Batch.Size)]
		r.Batch.Pos += at
		x.Computed = r.Computed
		if w.batches != nil && !r.Checked {
			x.Computed = checksum(whole, &r.Batch)
		}
		a.batch(x, &r.Batch, whole, w)
		if w.records == nil || !r.Opened || r.Batch.Codec != records.None && !a.cfg.Deep {
			continue
		}
		if sums := &a.sets.sums; r.Batch.Codec != records.None || !records.SumStraight(&r.Batch, whole, sums) {
			r.Sum(sums)
		}
		x.marks |= x.recordMarks()
		w.records.run(x)
	}
	r.Close()
	x.Raw, x.Left, a.sets.set.trailing = b, at, r.Trailing()
}

// digests does the same for a set of which not all bytes are there.
func (a *Audit) digests(x *Ctx, digests []records.Digest, w wants) {
	x.Raw, x.Left = nil, x.SetBytes
	for i := range digests {
		d := &digests[i]
		if d.Left {
			if left := x.left(d); left != nil {
				a.rest(x, left, d.Pos, w)
			} else {
				x.Raw, x.Left, a.sets.set.trailing = d.First(), d.Pos, d.Size
			}
			return
		}
		a.sets.batch = d.Batch()
		x.Computed, x.IEEE = d.Sum, d.IEEE
		a.batch(x, &a.sets.batch, d.First(), w)
		if d.Summed && w.records != nil {
			a.sets.sums = d.Sums
			x.marks |= x.recordMarks()
			w.records.run(x)
		}
	}
}

// batch calls the looks at a batch.
func (a *Audit) batch(x *Ctx, b *records.Batch, raw []byte, w wants) {
	x.Batch, x.Raw = b, raw
	if a.cfg.Usage && x.Key == keyProduce && b.Magic < 2 {
		a.usage.count(x, b.Magic)
	}
	s := x.Seen
	x.marks = x.marks&^batchMarks | x.headMarks(s)
	if w.batches != nil {
		if x.Computed != b.CRC {
			x.marks |= badSum
		}
		w.batches.run(x)
	}
	s.batches++
	s.bytes += b.Size
	s.magic, s.last = b.Magic, b.LastOffset
}

// left are the bytes of what is left of a set, nil where they were not kept.
func (x *Ctx) left(d *records.Digest) []byte {
	at := d.Set + d.Pos
	for i := range x.Runs {
		if r := &x.Runs[i]; r.Off <= at && at+d.Size <= r.Off+len(r.Bytes) {
			return r.Bytes[at-r.Off : at-r.Off+d.Size]
		}
	}
	return nil
}

// setHead are the first bytes of the record set of a part, as many as a batch's head has or all.
func (x *Ctx) setHead(i int) []byte {
	s := &x.Parts[i].Sets
	if end := s.At + int(s.Bytes); x.Body != nil && end <= len(x.Body) {
		return x.Body[s.At:end]
	}
	n, ok := slices.BinarySearchFunc(x.Digests, s.At, func(d records.Digest, at int) int { return cmp.Compare(d.Set, at) })
	if !ok {
		return nil
	}
	return x.Digests[n].First()
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
	if x.Conn.topic != x.Topic {
		m |= elsewhere
	}
	if x.Kind == decode.Request {
		if now := x.First.Time / 1e6; b.MaxTimestamp-now > maxAhead || b.BaseTimestamp-now < -maxBehind || x.First.Time != x.Last.Time {
			m |= dated
		}
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
