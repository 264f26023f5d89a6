package filter

import (
	"encoding/base64"
	"strings"
	"unsafe"

	"ksniff/decode"
	"ksniff/decode/schema"
	"ksniff/reassembly/session"
)

// topics gives each name once or, where only its id is known, the id as Kafka prints it.
func (s *Frame) topics(test func(Value) bool) bool {
	var last *session.Topic
	for i := range s.Parts {
		t := s.Parts[i].Topic
		if t == nil || t == last {
			continue
		}
		last = t
		name := t.Name
		if name == "" && t.ID == ([16]byte{}) { // one of too many to be kept apart
			return s.named(test)
		}
		if name == "" {
			name = base64.RawURLEncoding.EncodeToString(t.ID[:]) // it may be kept longer than s.uuid
		}
		if said(name, test) {
			return true
		}
	}
	return len(s.Parts) == 0 && s.named(test)
}

// named gives the topics that the fields of the message name or, without their names, tell by id.
func (s *Frame) named(test func(Value) bool) bool {
	if s.entity("topicName", test) {
		return true
	}
	t := s.Tree()
	if t == nil {
		return false
	}
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Kind != decode.UUID || n.Field == nil || !strings.HasSuffix(n.Field.Name, "TopicId") {
			continue
		}
		r := t.At(int32(i))
		id := r.UUID()
		if id == ([16]byte{}) || hasName(r.Parent()) {
			continue
		}
		name := ""
		if s.Names != nil {
			name = s.Names(id)
		}
		if name == "" {
			name = base64.RawURLEncoding.EncodeToString(id[:])
		}
		if said(name, test) {
			return true
		}
	}
	return false
}

// hasName says whether a struct names a topic.
func hasName(r decode.Ref) bool {
	for c := range r.Children() {
		if f := c.Schema(); f != nil && f.Entity == "topicName" && c.Kind() == decode.String && c.String() != "" {
			return true
		}
	}
	return false
}

// id writes a uuid as Kafka does; the text is valid until the next call.
func (s *Frame) id(uuid []byte) string {
	base64.RawURLEncoding.Encode(s.uuid[:], uuid)
	return unsafe.String(&s.uuid[0], len(s.uuid))
}

// entity gives the strings of the message that hold such a thing, by Kafka's definitions.
func (s *Frame) entity(entity string, test func(Value) bool) bool {
	t := s.Tree()
	if t == nil {
		return false
	}
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Kind != decode.String || n.Field == nil || n.Field.Entity != entity {
			continue
		}
		if r := t.At(int32(i)); r.OnWire() && !r.IsNull() && said(r.String(), test) {
			return true
		}
	}
	return false
}

// errors gives the error codes of a response that are not 0 or, where there is none, 0.
func (s *Frame) errors(test func(Value) bool) bool {
	if s.Kind != decode.Response || s.Name() == "" {
		return false
	}
	none := true
	found := func(code int16) bool {
		if code == 0 {
			return false
		}
		none = false
		return test(Value{Kind: Text, Int: int64(code), Text: s.errorName(code)})
	}
	if found(s.Frame.ErrorCode) {
		return true
	}
	for i := range s.Parts {
		if found(s.Parts[i].Error) {
			return true
		}
	}
	if len(s.Parts) > 0 { // that was all; to make a tree takes long
		return none && test(Value{Kind: Text, Text: s.errorName(0)})
	}
	if t := s.Tree(); t != nil {
		for i := range t.Nodes {
			n := &t.Nodes[i]
			if n.Kind == decode.Int16 && n.Field != nil && strings.HasSuffix(n.Field.Name, "ErrorCode") && found(int16(t.At(int32(i)).Int())) {
				return true
			}
		}
	}
	return none && test(Value{Kind: Text, Text: s.errorName(0)})
}

// errorName is the name of a code in the frame's generation.
func (s *Frame) errorName(code int16) string {
	if s.Generation == session.Legacy {
		if e := schema.LookupLegacyError(code); e != nil {
			return e.Name
		}
	}
	return schema.ErrorName(code)
}
