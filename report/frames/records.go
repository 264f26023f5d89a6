package frames

import (
	"strings"

	"ksniff/decode"
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
	p.sets.Exact = p.exact()
	return p.sets.AppendSet(b, setBytes(e), e.Length)
}

// exact says that a partial batch at the end of a set is a fault: a broker's answer may end in one.
func (p *Printer) exact() bool {
	return p.frame.Kind == decode.Request
}

// payload says whether keys and values of a record set may be shown.
func (p *Printer) payload(r decode.Ref) bool {
	return p.options.Payload && (p.options.Secrets || !p.metadata(r))
}

// metadata says whether a record set holds records of KRaft's metadata.
func (p *Printer) metadata(r decode.Ref) bool {
	if p.frame.Key == keyFetchSnapshot {
		return true
	}
	for up := r.Parent(); up.OK(); up = up.Parent() {
		if up.Kind() != decode.Struct {
			continue
		}
		for field := range up.Children() {
			switch f := field.Schema(); {
			case f == nil:
			case f.Type == schema.String && f.Entity == "topicName" && field.String() == metadataTopic:
				return true
			case f.Type == schema.UUID && strings.HasSuffix(f.Name, "TopicId") && field.UUID() == metadataTopicID:
				return true
			}
		}
	}
	return false
}
