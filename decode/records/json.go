package records

import (
	"encoding/hex"
	"strconv"
	"unsafe"

	"ksniff/decode"
)

// JSON says how sets are written. The names are those of the Kafka classes that read them.
type JSON struct {
	Records bool // list the records of each batch; with it everything is opened
	Payload bool // keys, values and headers' values; without it their sizes
	Exact   bool // a partial batch at the end is a fault
	// Control may write what the value of a control record says; it gives dst back as it is where it knows nothing.
	Control func(dst []byte, typ int16, value []byte) []byte
	// Inner may write what key and value of a record hold, as fields that begin with a comma; secret says that
	// the value's own bytes must not be shown (ShowSecrets overrules).
	Inner       func(dst []byte, r *Record) (out []byte, secret bool)
	ShowSecrets bool

	reader Reader
	list   []byte // records, while the batches are written
}

// AppendSet writes {"sizeInBytes":0,"batches":[…]}, with the records of a batch within it, and where there is
// one with "trailing_partial_bytes" and "fault" (its offset counts from the set's start). set has the first bytes of the size that the set has.
func (j *JSON) AppendSet(dst, set []byte, size int) []byte {
	dst = strconv.AppendInt(append(dst, `{"sizeInBytes":`...), int64(size), 10)
	dst = append(dst, `,"batches":[`...)
	r := &j.reader
	r.Reset(set, size, Options{Deep: j.Records, Exact: j.Exact})
	for n := 0; r.NextBatch(); n++ {
		j.list = j.readRecords(j.list[:0], -1)
		if n > 0 {
			dst = append(dst, ',')
		}
		dst = r.appendBatch(dst)
		if j.Records {
			dst = append(append(append(dst, `,"records":[`...), j.list...), ']')
		}
		dst = append(dst, '}')
	}
	dst = append(dst, ']')
	if r.trailing > 0 {
		dst = strconv.AppendInt(append(dst, `,"trailing_partial_bytes":`...), int64(r.trailing), 10)
	}
	if f, faulty := r.Fault(); faulty {
		dst = append(append(append(dst, `,"fault":{"code":"`...), f.Code.String()...), `","class":"`...)
		dst = strconv.AppendInt(append(append(dst, f.Class.String()...), `","offset":`...), int64(f.Offset), 10)
		dst = append(dst, '}')
	}
	r.Close()
	return append(dst, '}')
}

// AppendLists writes `"batches":[…],"records":[…],"trailing_partial_bytes":0` for a set that is all there, with
// every record and its batch's index, and gives the first fault.
func (j *JSON) AppendLists(dst, set []byte) (out []byte, f decode.Fault, faulty bool) {
	dst = append(dst, `"batches":[`...)
	r := &j.reader
	j.list = j.list[:0]
	r.Reset(set, len(set), Options{Deep: true, Exact: j.Exact})
	for n := 0; r.NextBatch(); n++ {
		j.list = j.readRecords(j.list, n)
		if n > 0 {
			dst = append(dst, ',')
		}
		dst = append(r.appendBatch(dst), '}')
	}
	dst = append(append(append(dst, `],"records":[`...), j.list...), `],"trailing_partial_bytes":`...)
	dst = strconv.AppendInt(dst, int64(r.trailing), 10)
	f, faulty = r.Fault()
	r.Close()
	return dst, f, faulty
}

// readRecords reads the records of the batch, and writes them where they are wanted.
func (j *JSON) readRecords(dst []byte, batch int) []byte {
	r := &j.reader
	for r.NextRecord() {
		if !j.Records && batch < 0 {
			continue
		}
		if len(dst) > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '{')
		if batch >= 0 {
			dst = append(strconv.AppendInt(append(dst, `"batch":`...), int64(batch), 10), ',')
		}
		dst = j.appendRecord(dst, &r.Record, r.Batch.Control())
	}
	return dst
}

func (j *JSON) appendRecord(dst []byte, rec *Record, control bool) []byte {
	dst = strconv.AppendInt(append(dst, `"offset":`...), rec.Offset, 10)
	dst = strconv.AppendInt(append(dst, `,"timestamp":`...), rec.Timestamp, 10)
	dst = j.appendPayload(dst, "key", rec.Key)
	secret := false
	if j.Inner != nil && !control {
		dst, secret = j.Inner(dst, rec)
	}
	if secret && j.Payload && !j.ShowSecrets {
		dst = append(dst, `,"value_hex":"(redacted)"`...)
	} else {
		dst = j.appendPayload(dst, "value", rec.Value)
	}
	dst = append(dst, `,"headers":[`...)
	n := 0
	for key, value := range rec.AllHeaders() {
		if n++; n > 1 {
			dst = append(dst, ',')
		}
		dst = decode.AppendString(append(dst, '['), unsafe.String(unsafe.SliceData(key), len(key)))
		if j.Payload {
			dst = appendHex(append(dst, ','), value)
		}
		dst = append(dst, ']')
	}
	dst = strconv.AppendInt(append(dst, `],"sequence":`...), int64(rec.Sequence), 10)
	if control {
		t := rec.ControlType()
		dst = append(append(append(dst, `,"control_type":"`...), ControlName(t)...), '"')
		if j.Control != nil {
			before := len(dst)
			dst = append(dst, `,"control_value":`...)
			after := len(dst)
			if dst = j.Control(dst, t, rec.Value); len(dst) == after {
				dst = dst[:before]
			}
		}
	}
	return append(dst, '}')
}

// appendPayload writes name_hex or, where payload is not to be shown, name_size; null is null in both.
func (j *JSON) appendPayload(dst []byte, name string, b []byte) []byte {
	dst = append(append(dst, `,"`...), name...)
	switch {
	case j.Payload:
		return appendHex(append(dst, `_hex":`...), b)
	case b == nil:
		return append(dst, `_size":null`...)
	}
	return strconv.AppendInt(append(dst, `_size":`...), int64(len(b)), 10)
}

func appendHex(dst, b []byte) []byte {
	if b == nil {
		return append(dst, "null"...)
	}
	return append(hex.AppendEncode(append(dst, '"'), b), '"')
}

// appendBatch writes the batch without its closing brace. What is only known when a batch is opened or checked
// is left out where it was not.
func (r *Reader) appendBatch(dst []byte) []byte {
	b := &r.Batch
	number := func(name string, v int64) {
		dst = strconv.AppendInt(append(append(append(dst, ',', '"'), name...), `":`...), v, 10)
	}
	text := func(name, v string) {
		dst = append(append(append(append(dst, ',', '"'), name...), `":`...), v...)
	}
	dst = strconv.AppendInt(append(dst, `{"magic":`...), int64(b.Magic), 10)
	text("codec", `"`+b.Codec.String()+`"`)
	number("base_offset", b.BaseOffset)
	number("last_offset", b.LastOffset)
	number("partition_leader_epoch", int64(b.LeaderEpoch))
	number("crc", int64(b.CRC))
	if r.Checked {
		text("crc_ok", strconv.FormatBool(r.Computed == b.CRC))
	}
	number("attributes", int64(b.Attributes))
	switch {
	case b.Magic == 0:
		text("timestamp_type", `"NoTimestampType"`)
	case b.LogAppendTime():
		text("timestamp_type", `"LogAppendTime"`)
	default:
		text("timestamp_type", `"CreateTime"`)
	}
	if b.Magic == 2 {
		number("base_timestamp", b.BaseTimestamp)
	} else {
		text("base_timestamp", "null")
	}
	number("max_timestamp", b.MaxTimestamp)
	number("producer_id", b.ProducerID)
	number("producer_epoch", int64(b.ProducerEpoch))
	number("base_sequence", int64(b.BaseSequence))
	number("last_sequence", int64(b.LastSequence()))
	text("is_transactional", strconv.FormatBool(b.Transactional()))
	text("is_control", strconv.FormatBool(b.Control()))
	if ms, ok := b.DeleteHorizon(); ok {
		number("delete_horizon_ms", ms)
	} else {
		text("delete_horizon_ms", "null")
	}
	if b.Magic == 2 {
		number("count", int64(b.Count))
	} else {
		text("count", "null")
	}
	number("size_in_bytes", int64(b.Size))
	if r.Opened {
		number("records_iterated", int64(r.Iterated))
	}
	return dst
}
