package frames

import (
	"strconv"

	"ksniff/decode"
	"ksniff/decode/records"
	"ksniff/report/escape"
)

// appendBatches appends the batches of a record set, a line each with its place in the frame, and
// below each its records where they are to be opened.
func (p *Printer) appendBatches(b []byte, r decode.Ref, depth int) []byte {
	e := r.Records()
	show := p.payload(r)
	set := &p.reader
	family := p.family(r)
	set.Reset(setBytes(e), e.Length, records.Options{Deep: p.options.Deep, Exact: p.exact()})
	for set.NextBatch() {
		lines := p.scratch[:0]
		for set.NextRecord() {
			if p.options.Deep {
				lines = p.appendRecord(lines, &set.Record, set.Batch.Control(), show, family, depth+1)
			}
		}
		p.scratch = lines
		b = p.appendRange(b, e.Offset+set.Batch.Pos, set.Batch.Size, depth)
		b = append(appendBatch(b, set), '\n')
		b = append(b, lines...)
	}
	if n := set.Trailing(); n > 0 {
		b = p.appendRange(b, e.Offset+e.Length-n, n, depth)
		b = append(b, "a batch that is cut off\n"...)
	}
	if f, faulty := set.Fault(); faulty {
		b = p.appendRange(b, e.Offset+f.Offset, 0, depth)
		b = append(append(append(append(b, f.Code.String()...), ": "...), f.Message()...), '\n')
	}
	set.Close()
	return b
}

// appendBatch appends what the head of a batch says.
func appendBatch(b []byte, set *records.Reader) []byte {
	h := &set.Batch
	b = strconv.AppendInt(append(b, "batch "...), h.BaseOffset, 10)
	if h.LastOffset != h.BaseOffset {
		b = strconv.AppendInt(append(b, '-'), h.LastOffset, 10)
	}
	b = append(append(b, ", "...), h.Codec.String()...)
	count := int64(set.Iterated)
	if h.Magic == 2 {
		count = int64(h.Count)
	}
	b = append(strconv.AppendInt(append(b, ", "...), count, 10), " records, format "...)
	b = strconv.AppendInt(b, int64(h.Magic), 10)
	if h.MaxTimestamp >= 0 {
		b = appendMillisTime(append(b, ", newest "...), h.MaxTimestamp)
		if h.LogAppendTime() {
			b = append(b, " (broker's clock)"...)
		}
	}
	if h.ProducerID >= 0 {
		b = strconv.AppendInt(append(b, ", producer "...), h.ProducerID, 10)
		b = strconv.AppendInt(append(b, " epoch "...), int64(h.ProducerEpoch), 10)
		b = strconv.AppendInt(append(b, " sequence "...), int64(h.BaseSequence), 10)
	}
	if h.LeaderEpoch >= 0 {
		b = strconv.AppendInt(append(b, ", leader epoch "...), int64(h.LeaderEpoch), 10)
	}
	if h.Transactional() {
		b = append(b, ", transactional"...)
	}
	if h.Control() {
		b = append(b, ", control"...)
	}
	if set.Checked && set.Computed != h.CRC {
		b = append(b, ", WRONG CHECKSUM"...)
	}
	return b
}

// appendRecord appends one record; without show only the sizes of what it holds.
func (p *Printer) appendRecord(b []byte, r *records.Record, control, show bool, family string, depth int) []byte {
	held := p.held[:0]
	secret := false
	if control {
		held = p.inner.Control(append(held, `,"control":`...), r.ControlType(), r.Value)
	} else if family != "" {
		held, secret = p.holds(held, family, r)
	}
	p.held = held
	b = strconv.AppendInt(append(appendIndent(b, margin+depth), "record "...), r.Offset, 10)
	if r.Timestamp >= 0 {
		b = appendMillisTime(append(b, ' '), r.Timestamp)
	}
	if control {
		b = append(append(b, ", "...), records.ControlName(r.ControlType())...)
	}
	b = appendPart(append(b, ", key "...), r.Key, show)
	b = append(b, ", value "...)
	if secret && show && !p.options.Secrets {
		b = append(b, redacted...)
	} else {
		b = appendPart(b, r.Value, show)
	}
	if r.Headers > 0 {
		b = append(b, ", headers"...)
	}
	n := 0
	for name, value := range r.AllHeaders() {
		if n++; n > 1 {
			b = append(b, ',')
		}
		b = escape.Text(append(b, ' '), string(name))
		b = appendPart(append(b, '='), value, show)
	}
	if b = append(b, '\n'); len(held) > 0 && held[len(held)-1] == '}' {
		held[0] = '{'
		p.held = append(held, '}')
		b = p.appendIndented(b, p.held, depth+1)
	}
	return b
}

func appendPart(b, data []byte, show bool) []byte {
	switch {
	case data == nil:
		return append(b, "null"...)
	case show:
		return appendPayload(b, data)
	}
	return append(strconv.AppendInt(b, int64(len(data)), 10), " B"...)
}
