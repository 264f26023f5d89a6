package session

import (
	"strings"

	"ksniff/decode"
	"ksniff/decode/schema"
)

// learnNames takes from a frame the topic names that it tells with their ids, wherever a struct has both.
func (s *Session) learnNames(t *decode.Tree) {
	if t.API == nil {
		return
	}
	m := t.API.Response
	if t.Kind == decode.Request {
		m = t.API.Request
	}
	if !s.names.tells(m) {
		return
	}
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Kind != decode.UUID || n.Field == nil || n.Field.Array || n.Field.Name != "TopicId" && n.Field.Name != "Id" {
			continue
		}
		id := t.At(int32(i))
		for field := range id.Parent().Children() {
			if f := field.Schema(); f != nil && f.Entity == "topicName" && field.Kind() == decode.String {
				s.tell(field.Bytes(), id.UUID())
			}
		}
	}
}

// tells says whether a message has a struct with a topic's name and its id.
func (n *names) tells(m *schema.Message) bool {
	told, known := n.told[m]
	if !known {
		told = tellsBoth(m.Fields)
		n.told[m] = told
	}
	return told
}

func tellsBoth(fields []schema.Field) bool {
	var name, id bool
	for i := range fields {
		f := &fields[i]
		if f.Type == schema.Struct && tellsBoth(f.Fields) {
			return true
		}
		name = name || f.Entity == "topicName" && f.Type == schema.String && !f.Array
		id = id || f.Type == schema.UUID && !f.Array
	}
	return name && id
}

// software notes what a client says it is (KIP-511).
func (s *Session) software(k *Client, t *decode.Tree) {
	if k == nil || k == &s.names.excess || t.Key != keyApiVersions || t.Kind != decode.Request {
		return
	}
	name := t.Body().Field("ClientSoftwareName")
	if !name.OnWire() || name.String() == "" {
		return
	}
	version := t.Body().Field("ClientSoftwareVersion").String()
	if len(k.Software) == len(name.String())+1+len(version) && strings.HasPrefix(k.Software, name.String()) && strings.HasSuffix(k.Software, version) {
		return
	}
	k.Software = name.String() + "/" + version
}
