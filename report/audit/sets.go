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
	batch, record, set := a.table.cell(onBatch, f.Key), a.table.cell(onRecord, f.Key), a.table.cell(onSet, f.Key)
	if batch == nil && record == nil && set == nil {
		return
	}
	for i := range f.Parts {
		p := &f.Parts[i]
		if p.Sets.Bytes == 0 {
			continue
		}
		x.Topic, x.Partition, x.Part, x.Set, x.SetBytes = p.Topic, p.Partition, i, p.Sets.At, int(p.Sets.Bytes)
		a.set(x, x.Body[x.Set:x.Set+x.SetBytes], batch != nil, record != nil)
	}
	x.Batch, x.Record, x.Raw, x.Topic = nil, nil, nil, nil
}

// set goes through one record set.
func (a *Audit) set(x *Ctx, b []byte, batches, recs bool) {
	r := &a.sets.reader
	r.Reset(b, len(b), records.Options{Deep: a.cfg.Deep, Plain: recs, Exact: x.Kind == decode.Request})
	x.Reader = r
	for first := true; r.NextBatch(); first = false {
		x.Batch, x.Raw, x.Opening = &r.Batch, b[r.Batch.Pos:min(len(b), r.Batch.Pos+r.Batch.Size)], first
		if batches {
			a.run(onBatch, x.Key)
		}
		if !recs || !r.Opened || r.Batch.Codec != records.None && !a.cfg.Deep {
			continue
		}
		for x.Index = 0; r.NextRecord(); x.Index++ {
			x.Record = &r.Record
			a.run(onRecord, x.Key)
		}
	}
	r.Close()
	x.Batch, x.Record, x.Raw = nil, nil, b
	a.run(onSet, x.Key)
}
