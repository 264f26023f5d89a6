package audit

import (
	"ksniff/decode"
	"ksniff/decode/records"
)

// sets goes through the record sets of a frame, batch by batch.
type sets struct {
	reader records.Reader
}

// batches calls the looks at batches and records of a frame that was read to its end.
func (a *Audit) batches(x *Ctx) {
	f := x.Frame
	if len(f.Parts) == 0 || x.Body == nil || (f.Kind == decode.Request) != (f.Key == keyProduce) {
		return
	}
	w := wants{a.table.cell(onBatch, f.Key) != nil, a.table.cell(onRecord, f.Key) != nil, a.table.cell(onBatchEnd, f.Key) != nil}
	if w == (wants{}) && !a.cfg.Usage && a.table.cell(onSet, f.Key) == nil {
		return
	}
	for i := range f.Parts {
		p := &f.Parts[i]
		if p.Sets.Bytes == 0 {
			continue
		}
		x.Topic, x.Partition, x.Part, x.Set, x.SetBytes = p.Topic, p.Partition, i, p.Sets.At, int(p.Sets.Bytes)
		a.set(x, x.Body[x.Set:x.Set+x.SetBytes], w)
	}
	x.Batch, x.Record, x.Raw, x.Topic = nil, nil, nil, nil
}

// wants says what of a record set somebody looks at.
type wants struct{ batches, records, ends bool }

// set goes through one record set.
func (a *Audit) set(x *Ctx, b []byte, w wants) {
	r := &a.sets.reader
	open := w.records || w.ends
	r.Reset(b, len(b), records.Options{Deep: a.cfg.Deep, Plain: open, Exact: x.Kind == decode.Request})
	x.Reader = r
	for first := true; r.NextBatch(); first = false {
		x.Batch, x.Raw, x.Opening = &r.Batch, b[r.Batch.Pos:min(len(b), r.Batch.Pos+r.Batch.Size)], first
		if a.cfg.Usage && x.Key == keyProduce && r.Batch.Magic < 2 {
			a.usage.count(x, r.Batch.Magic)
		}
		if w.batches {
			a.run(onBatch, x.Key)
		}
		if !open || !r.Opened || r.Batch.Codec != records.None && !a.cfg.Deep {
			continue
		}
		for x.Index = 0; r.NextRecord(); x.Index++ {
			if w.records {
				x.Record = &r.Record
				a.run(onRecord, x.Key)
			}
		}
		x.Record = nil
		if w.ends {
			a.run(onBatchEnd, x.Key)
		}
	}
	r.Close()
	x.Batch, x.Record, x.Raw = nil, nil, b
	a.run(onSet, x.Key)
}
