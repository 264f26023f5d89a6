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
	if f.Tree == nil || (f.Kind == decode.Request) != (f.Key == keyProduce) {
		return
	}
	batch, record, set := a.table.cell(onBatch, f.Key), a.table.cell(onRecord, f.Key), a.table.cell(onSet, f.Key)
	if batch == nil && record == nil && set == nil {
		return
	}
	part := 0
	for i := range f.Tree.Nodes {
		if f.Tree.Nodes[i].Kind != decode.RecordSet {
			continue
		}
		if part < len(f.Parts) {
			x.Topic, x.Partition, x.Part = f.Parts[part].Topic, f.Parts[part].Partition, part
		}
		part++
		e := f.Tree.At(int32(i)).Records()
		b, whole := e.Bytes()
		if !whole || e.Length <= 0 {
			continue
		}
		x.Set, x.SetBytes = e.Offset, e.Length
		a.set(x, b, batch != nil, record != nil)
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
