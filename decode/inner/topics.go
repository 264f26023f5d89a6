package inner

import (
	"encoding/binary"
	"strconv"

	"ksniff/decode"
	"ksniff/decode/records"
	"ksniff/decode/schema"
)

// families are the internal topics whose records are messages.
var families = map[string]string{
	"__consumer_offsets":    "consumer-offsets",
	"__transaction_state":   "transaction-state",
	"__share_group_state":   "share-state",
	"__cluster_metadata":    "metadata",
	"__remote_log_metadata": "remote-log",
}

// Family is the family of messages in the records of a topic, "" where they are the users' own.
func Family(topic string) string { return families[topic] }

// RecordsOf fits the hooks of a writer of record sets to a topic: control records always, and the records of
// internal topics.
func (d *Decoder) RecordsOf(topic string, j *records.JSON) {
	j.Control = d.Control
	j.Inner = nil
	if family := Family(topic); family != "" {
		j.Inner = func(dst []byte, r *records.Record) ([]byte, bool) { return d.Record(dst, family, r) }
	}
}

// Control is a records.JSON.Control: it writes what the value of a control record says.
func (d *Decoder) Control(dst []byte, typ int16, value []byte) []byte {
	what := ""
	switch typ {
	case records.Abort, records.Commit:
		what = "EndTxnMarker"
	case records.LeaderChange:
		what = "LeaderChangeMessage"
	case records.SnapshotHeader:
		what = "SnapshotHeaderRecord"
	case records.SnapshotFooter:
		what = "SnapshotFooterRecord"
	case records.KRaftVersion:
		what = "KRaftVersionRecord"
	case records.KRaftVoters:
		what = "VotersRecord"
	default:
		return dst
	}
	rec, m := schema.LookupInner(what)
	if what == "EndTxnMarker" {
		// Kafka's converters leave the marker's version out, but its readers tell it.
		return d.marker(dst, rec, m, value)
	}
	dst, _ = d.tiled(dst, rec, m, value)
	return dst
}

// marker writes the value of a transaction marker with its version.
func (d *Decoder) marker(dst []byte, rec *schema.Record, m *schema.Message, value []byte) []byte {
	start := len(dst)
	dst, ok := d.tiled(dst, rec, m, value)
	if !ok || len(dst) < start+2 {
		return dst[:start]
	}
	fields := string(dst[start+1:])
	dst = strconv.AppendInt(append(dst[:start], `{"version":`...), int64(int16(binary.BigEndian.Uint16(value))), 10)
	if fields != "}" {
		dst = append(dst, ',')
	}
	return append(dst, fields...)
}

// Record is a records.JSON.Inner for the records of an internal topic: it writes ,"keyDecoded":{…} and
// ,"valueDecoded":{…}, each an object with the message's name and fields, where they read their bytes to the end.
// secret says that the value holds a secret, so that its raw bytes must not be shown.
func (d *Decoder) Record(dst []byte, family string, r *records.Record) (out []byte, secret bool) {
	rec := lookupRecord(family, r)
	if rec == nil {
		return dst, family == "metadata" // what is not known may be a secret
	}
	if rec.Key != nil {
		dst, _ = d.part(dst, "keyDecoded", rec, rec.Key, r.Key)
	}
	return d.part(dst, "valueDecoded", rec, rec.Value, r.Value)
}

// lookupRecord finds the kind of a record: its type stands in front of the key or, in metadata, of the value.
func lookupRecord(family string, r *records.Record) *schema.Record {
	if family == "metadata" || family == "remote-log" {
		_, n := binary.Uvarint(r.Value)
		if n <= 0 {
			return nil
		}
		typ, n := binary.Uvarint(r.Value[n:])
		if n <= 0 || typ > 32767 {
			return nil
		}
		return schema.LookupRecord(family, int16(typ))
	}
	if len(r.Key) < 2 {
		return nil
	}
	return schema.LookupRecord(family, int16(binary.BigEndian.Uint16(r.Key)))
}

func (d *Decoder) part(dst []byte, name string, rec *schema.Record, m *schema.Message, b []byte) (out []byte, secret bool) {
	if b == nil || m == nil {
		return dst, false
	}
	start := len(dst)
	dst = append(append(append(dst, `,"`...), name...), `":{"`...)
	dst = append(append(append(dst, m.Name...), '"'), ':')
	t := d.push()
	defer d.pop()
	if t == nil {
		return dst[:start], rec.Family == "metadata"
	}
	if _, faulty := read(t, rec, m, -1, b); faulty {
		return dst[:start], rec.Family == "metadata"
	}
	return append(d.body(dst, t), '}'), holdsSecret(t)
}

// holdsSecret says that a field of the message is secret.
func holdsSecret(t *decode.Tree) bool {
	for i := range t.Nodes {
		if r := t.At(int32(i)); r.Schema() != nil && !r.IsNull() && decode.Secret(r) {
			return true
		}
	}
	return false
}

func appendInt(dst []byte, name string, v int16) []byte {
	return strconv.AppendInt(append(dst, name...), int64(v), 10)
}
