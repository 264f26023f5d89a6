package filter

import (
	"encoding/base64"
	"strings"
	"unsafe"

	"ksniff/decode"
	"ksniff/decode/schema"
	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

// Frame is a frame of a session as a Subject. It decodes the message when a field of it is asked
// for, once. Use it again for the next frame with Set; then nothing is allocated in steady state.
type Frame struct {
	*session.Frame
	// Names gives the name of a topic by its id, "" where it is not known (Session.TopicName); nil:
	// ids stay ids.
	Names   func(id [16]byte) string
	tree    decode.Tree
	decoded bool
	uuid    [22]byte
}

// Set takes the next frame.
func (s *Frame) Set(f *session.Frame) { s.Frame, s.decoded = f, false }

// Tree is the field tree of the frame, nil where it has none: legacy frames, raw SASL tokens and
// responses that could not be named. It is valid until the next Set.
func (s *Frame) Tree() *decode.Tree {
	f := s.Frame
	switch {
	case f.Tree != nil:
		return f.Tree
	case f.Generation != session.Modern || f.Token || f.Key < 0:
		return nil
	}
	if !s.decoded {
		s.decoded = true
		s.tree.Decode(decode.Frame{Length: f.Length, Runs: f.Runs, Missing: f.Missing > 0 || f.Cut}, f.Key, f.Version, f.Kind)
	}
	return &s.tree
}

// Name is the name of the API: legacy ones in capitals, "" where it is not known.
func (s *Frame) Name() string {
	switch {
	case s.Token:
		return ""
	case s.API != nil:
		return s.API.Name
	case s.Generation == session.Legacy && s.Key >= 0 && int(s.Key) < len(legacyNames):
		return legacyNames[s.Key]
	}
	return ""
}

// Latency is the time from request to response in nanoseconds. There is none where a time is not known,
// nor where the response was captured first.
func (s *Frame) Latency() (ns int64, ok bool) {
	if s.Kind != decode.Response || s.Request == nil || s.Request.Time == NoTime || s.Last.Time == NoTime {
		return 0, false
	}
	ns = s.Last.Time - s.Request.Time
	return ns, ns >= 0
}

// Ends gives the sender and the receiver.
func (s *Frame) Ends() (src, dst reassembly.Endpoint) {
	return s.Conn.Ends[s.Side], s.Conn.Ends[1-s.Side]
}

func one(i int64, test func(Value) bool) bool   { return test(Value{Int: i}) }
func said(t string, test func(Value) bool) bool { return test(Value{Kind: Text, Text: t}) }

func yes(b bool, test func(Value) bool) bool {
	if b {
		return one(1, test)
	}
	return one(0, test)
}

func at(e reassembly.Endpoint, test func(Value) bool) bool {
	return test(Value{Addr: e.Addr, Int: int64(e.Port)})
}

// Any implements Subject.
func (s *Frame) Any(f Field, test func(Value) bool) bool {
	src, dst := s.Ends()
	switch f {
	case API:
		name := s.Name()
		return name != "" && test(Value{Kind: Text, Text: name, Int: int64(s.Key)})
	case Key:
		return s.Key >= 0 && !s.Token && one(int64(s.Key), test)
	case Version:
		return s.Version >= 0 && one(int64(s.Version), test)
	case KindOf:
		return said(s.Kind.String(), test)
	case IsRequest:
		return yes(s.Kind == decode.Request, test)
	case IsResponse:
		return yes(s.Kind == decode.Response, test)
	case GenerationOf:
		if s.Generation == session.Legacy {
			return said("legacy", test)
		}
		return s.Generation == session.Modern && said("modern", test)
	case Client:
		return s.Frame.Client != nil && !s.Frame.Client.NullID && said(s.Frame.Client.ID, test)
	case Software:
		return s.Frame.Client != nil && s.Frame.Client.Software != "" && said(s.Frame.Client.Software, test)
	case Correlation:
		return s.HasHeader && one(int64(s.CorrelationID), test)
	case Acks:
		return s.Request != nil && s.Request.Acks != noAcks && one(int64(s.Request.Acks), test)
	case Size:
		return one(int64(s.Length), test)
	case Latency, LatencyMS:
		ns, ok := s.Latency()
		if f == LatencyMS {
			return ok && test(Value{Kind: Real, Float: float64(ns) / 1e6})
		}
		return ok && one(ns, test)
	case Throttle:
		return s.Throttle >= 0 && s.Kind == decode.Response && one(int64(s.Frame.Throttle)*1e6, test)
	case Time:
		return s.Last.Time != NoTime && one(s.Last.Time, test)
	case Packet:
		return one(int64(s.Last.Packet), test)
	case Connection:
		return one(int64(s.Conn.ID), test)
	case Src:
		return at(src, test)
	case Dst:
		return at(dst, test)
	case Host:
		return at(src, test) || at(dst, test)
	case Port:
		return one(int64(src.Port), test) || one(int64(dst.Port), test)
	case SrcPort:
		return one(int64(src.Port), test)
	case DstPort:
		return one(int64(dst.Port), test)
	case FaultCode:
		return s.Faulty && said(s.Fault.Code.String(), test)
	case FaultClass:
		return s.Faulty && said(s.Fault.Class.String(), test)
	case Inferred:
		return yes(s.Frame.Inferred, test)
	case ErrorCode:
		return s.errors(test)
	case Topic:
		return s.topics(test)
	case Group:
		return s.entity("groupId", test)
	case Transaction:
		return s.entity("transactionalId", test)
	}
	return s.parts(f, test)
}

// noAcks is session.Request.Acks of what is no Produce.
const noAcks = -128

// parts gives the fields that lie in the partitions of Produce and Fetch.
func (s *Frame) parts(f Field, test func(Value) bool) bool {
	var sum int64
	for i := range s.Parts {
		p := &s.Parts[i]
		switch f {
		case Partition:
			if one(int64(p.Partition), test) {
				return true
			}
		case Offset:
			if p.Offset >= 0 && one(p.Offset, test) {
				return true
			}
		case Codec:
			for codec, n := range p.Sets.Codecs {
				if n > 0 && codec < len(codecs) && said(codecs[codec], test) {
					return true
				}
			}
		case Messages:
			sum += p.Sets.Messages
		case Batches:
			sum += p.Sets.Batches
		}
	}
	return (f == Messages || f == Batches) && len(s.Parts) > 0 && one(sum, test)
}

var codecs = [...]string{"none", "gzip", "snappy", "lz4", "zstd"}

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
	if t := s.Tree(); t != nil && len(s.Parts) == 0 {
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

// AnyAt implements Subject.
func (s *Frame) AnyAt(f Field, path []string, test func(Value) bool) bool {
	t := s.Tree()
	if t == nil {
		return false
	}
	top := t.Body().Node()
	if f == Header {
		top = t.Header().Node()
	}
	last := path[len(path)-1]
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Field == nil || n.Kind >= decode.Tags || !strings.EqualFold(n.Field.Name, last) || !within(t, int32(i), top, path) {
			continue
		}
		if v, ok := s.value(t.At(int32(i))); ok && test(v) {
			return true
		}
	}
	return false
}

// value reads a field; null and what could not be read has no value.
func (s *Frame) value(r decode.Ref) (Value, bool) {
	if !r.OnWire() || r.IsNull() {
		return Value{}, false
	}
	switch r.Kind() {
	case decode.Bool:
		return Value{Kind: Flag, Int: r.Int()}, true
	case decode.Float64:
		return Value{Kind: Real, Float: r.Float()}, true
	case decode.String, decode.Bytes:
		b := r.Bytes()
		return Value{Kind: Text, Text: unsafe.String(unsafe.SliceData(b), len(b))}, true
	case decode.UUID:
		id := r.UUID()
		return Value{Kind: Text, Text: s.id(id[:])}, true
	case decode.Struct, decode.Array, decode.RecordSet:
		return Value{Kind: Flag, Int: 1}, true
	}
	return Value{Int: r.Int()}, true
}

var _ Subject = (*Frame)(nil)

// within says whether the fields from below top down to node i end in path. An element of an array
// has no name of its own.
func within(t *decode.Tree, i, top int32, path []string) bool {
	for k := len(path) - 1; i >= 0; i = t.Nodes[i].Parent {
		n := &t.Nodes[i]
		if i == top {
			return k < 0
		}
		if k < 0 || n.Field == nil || n.Parent >= 0 && t.Nodes[n.Parent].Kind == decode.Array {
			continue
		}
		if !strings.EqualFold(n.Field.Name, path[k]) {
			return false
		}
		k--
	}
	return false
}
