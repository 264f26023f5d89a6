package filter

import (
	"ksniff/decode"
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

// Latency is the time from request to response in nanoseconds. There is none where a time is not known, or
// only near, nor where the response was captured first.
func (s *Frame) Latency() (ns int64, ok bool) {
	if s.Kind != decode.Response || s.Request == nil || s.Request.Time == NoTime || s.Last.Time == NoTime || s.Unseen || s.Request.Unseen {
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
	case Unmatched:
		return yes(s.Kind == decode.Response && s.Request == nil && !s.Frame.Inferred && !s.Token, test)
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

var _ Subject = (*Frame)(nil)
