package frames

import (
	"strings"

	"ksniff/decode"
	"ksniff/decode/inner"
	"ksniff/decode/records"
	"ksniff/decode/schema"
)

// The topic of KRaft's metadata, whose records hold salts, passwords and token HMACs.
const metadataTopic = "__cluster_metadata"

var metadataTopicID = [16]byte{15: 1}

// keyFetchSnapshot is the API that carries the same records.
const keyFetchSnapshot = 59

// setBytes gives the beginning of a record set as far as it is there without a hole.
func setBytes(e decode.Extent) []byte {
	if b, ok := e.Bytes(); ok {
		return b
	}
	for _, run := range e.Frame.Runs {
		if at := e.Offset - run.Off; at >= 0 && at < len(run.Bytes) {
			return run.Bytes[at:min(len(run.Bytes), at+e.Length)]
		}
	}
	return nil
}

// appendRecords writes the JSON object of a record set that is not null.
func (p *Printer) appendRecords(b []byte, r decode.Ref) []byte {
	e := r.Records()
	p.sets.Records = p.options.Deep
	p.sets.Payload = p.payload(r)
	p.sets.Control, p.sets.Inner = p.inner.Control, nil
	if family := p.family(r); family != "" {
		p.sets.Inner = func(b []byte, r *records.Record) ([]byte, bool) { return p.holds(b, family, r) }
	}
	p.sets.Exact = p.exact()
	return p.sets.AppendSet(b, setBytes(e), e.Length)
}

// holds writes what a record of an internal topic holds, and says whether its value is secret: also a
// record of KRaft's metadata that nobody can read.
func (p *Printer) holds(b []byte, family string, r *records.Record) (out []byte, secret bool) {
	out, secret = p.inner.Record(b, family, r)
	return out, secret || len(out) == len(b) && family == inner.Family(metadataTopic)
}

// exact says that a partial batch at the end of a set is a fault: a broker's answer may end in one.
func (p *Printer) exact() bool {
	return p.frame.Kind == decode.Request
}

// payload says whether keys and values of a record set may be shown. Of an internal topic, those are hidden
// one by one that hold secrets.
func (p *Printer) payload(decode.Ref) bool { return p.options.Payload }

// family is that of the messages in the records of an internal topic, where they are to be shown.
func (p *Printer) family(r decode.Ref) string {
	if !p.options.Payload {
		return ""
	}
	return inner.Family(p.topicOf(r))
}

// topicOf is the name of the topic that a record set belongs to, "" where it is not known.
func (p *Printer) topicOf(r decode.Ref) string {
	if p.frame.Key == keyFetchSnapshot {
		return metadataTopic
	}
	for up := r.Parent(); up.OK(); up = up.Parent() {
		if up.Kind() != decode.Struct {
			continue
		}
		for field := range up.Children() {
			switch f := field.Schema(); {
			case f == nil:
			case f.Type == schema.String && f.Entity == "topicName":
				return field.String()
			case f.Type == schema.UUID && strings.HasSuffix(f.Name, "TopicId"):
				return p.topicName(field.UUID())
			}
		}
	}
	return ""
}

// topicName is the name of the topic with that id among those of the frame.
func (p *Printer) topicName(id [16]byte) string {
	if id == metadataTopicID {
		return metadataTopic
	}
	for i := range p.frame.Parts {
		if t := p.frame.Parts[i].Topic; t != nil && t.ID == id {
			return t.Name
		}
	}
	return ""
}
