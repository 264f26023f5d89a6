package session

import (
	"ksniff/decode"
	"ksniff/decode/records"
)

const keyShareFetch = 78

// scanner adds up record sets.
type scanner struct {
	session *Session
	scan    records.Scanner
}

// partsOf fills Parts and what a Request keeps from the tree of a Produce, Fetch or ShareFetch.
func (s *Session) partsOf(out *Frame, f decode.Frame, r *Request) {
	body := s.tree.Body()
	switch {
	case out.Key == keyProduce && out.Kind == decode.Request:
		if acks := body.Field("Acks"); acks.OnWire() {
			r.Acks = int16(acks.Int())
			r.Silent = r.Acks == 0
		}
		for topic := range body.Field("TopicData").Elements() {
			t := s.topicOf(topic)
			for p := range topic.Field("PartitionData").Elements() {
				s.part(out, f, t, p.Field("Index"), p.Field("Records"), 0, -1, true)
			}
		}
	case out.Key == keyProduce:
		for topic := range body.Field("Responses").Elements() {
			t := s.topicOf(topic)
			for p := range topic.Field("PartitionResponses").Elements() {
				s.part(out, f, t, p.Field("Index"), decode.Ref{}, int16(p.Field("ErrorCode").Int()), -1, false)
			}
		}
	case out.Key == keyFetch && out.Kind == decode.Request:
		r.MaxWait, r.MinBytes = int32(body.Field("MaxWaitMs").Int()), int32(body.Field("MinBytes").Int())
		if replica := body.Field("ReplicaId"); replica.OnWire() {
			r.Replica = int32(replica.Int())
		} else {
			r.Replica = int32(body.Field("ReplicaState").Field("ReplicaId").Int())
		}
		for topic := range body.Field("Topics").Elements() {
			t := s.topicOf(topic)
			for p := range topic.Field("Partitions").Elements() {
				s.part(out, f, t, p.Field("Partition"), decode.Ref{}, 0, p.Field("FetchOffset").Int(), false)
			}
		}
	case out.Key == keyFetch || out.Key == keyShareFetch && out.Kind == decode.Response:
		for topic := range body.Field("Responses").Elements() {
			t := s.topicOf(topic)
			for p := range topic.Field("Partitions").Elements() {
				s.part(out, f, t, p.Field("PartitionIndex"), p.Field("Records"), int16(p.Field("ErrorCode").Int()), -1, false)
				if mark := p.Field("HighWatermark"); mark.OnWire() && len(out.Parts) > 0 {
					out.Parts[len(out.Parts)-1].HighWatermark = mark.Int()
				}
			}
		}
	case out.Key == keyShareFetch:
		for topic := range body.Field("Topics").Elements() {
			t := s.topicOf(topic)
			for p := range topic.Field("Partitions").Elements() {
				s.part(out, f, t, p.Field("PartitionIndex"), decode.Ref{}, 0, -1, false)
			}
		}
	}
	if out.Kind == decode.Request {
		for i := range out.Parts {
			r.addTopic(out.Parts[i].Topic)
		}
	}
}

// addTopic notes a topic that a request names.
func (r *Request) addTopic(t *Topic) {
	for _, have := range r.Topics {
		if have == t {
			return
		}
	}
	r.Topics = append(r.Topics, t)
}

// topicOf finds the topic of a struct that names it, by name or id.
func (s *Session) topicOf(r decode.Ref) *Topic {
	if id := r.Field("TopicId"); id.OnWire() {
		return s.topicByID(id.UUID())
	}
	name := r.Field("Topic")
	if !name.OnWire() {
		name = r.Field("Name")
	}
	return s.topic(name.Bytes())
}

// part adds what a frame says about a partition.
func (s *Session) part(out *Frame, f decode.Frame, t *Topic, index, set decode.Ref, code int16, offset int64, exact bool) {
	if !index.OnWire() {
		return
	}
	out.Parts = append(out.Parts, Part{Topic: t, Partition: int32(index.Int()), Error: code, Offset: offset, HighWatermark: -1})
	p := &out.Parts[len(out.Parts)-1]
	p.Sets.Uncompressed = -1
	if set.OnWire() && !set.IsNull() {
		s.scanSet(f, set, &p.Sets, records.Options{Deep: s.cfg.Deep, Exact: exact})
		out.blame(&p.Sets)
	}
}

// blame makes the fault of a record set the frame's, where the frame has no worse.
func (f *Frame) blame(r *Records) {
	if r.Faulty && (!f.Faulty || f.Fault.Tolerated && !r.Fault.Tolerated) {
		f.Fault, f.Faulty = r.Fault, true
	}
}

// scanSet adds up the record set of a field; parts of it may be missing.
func (s *Session) scanSet(f decode.Frame, set decode.Ref, into *Records, opt records.Options) {
	sc := &s.parts.scan
	extent := set.Records()
	start, size := extent.Offset, extent.Length
	sc.Begin(size, opt)
	pos := 0
	for done := size == 0; !done; {
		b, missing := within(f, start+pos, start+size)
		var advance, need int
		advance, need, done = sc.Next(b)
		pos += advance
		if !done && need > len(b)-advance {
			advance, done = sc.Missing(max(missing, 1))
			pos += advance
		}
	}
	into.add(&sc.Summary, start)
}

// within gives the bytes of a frame from off on, up to end or the next hole, and how many are missing then.
func within(f decode.Frame, off, end int) (b []byte, missing int) {
	for _, run := range f.Runs {
		switch {
		case off < run.Off:
			return nil, min(run.Off, end) - off
		case off < run.Off+len(run.Bytes):
			b = run.Bytes[off-run.Off:]
			return b[:min(len(b), end-off)], end - off - min(len(b), end-off)
		}
	}
	return nil, end - off
}

// add takes over what a scanner found in a set that begins at off.
func (r *Records) add(s *records.Summary, off int) {
	*r = Records{Bytes: s.Bytes, Batches: s.Batches, Messages: s.Messages, Control: s.Control, Codecs: s.Codecs,
		Uncompressed: s.Uncompressed, Fault: s.Fault, Faulty: s.Faulty}
	r.Fault.Offset += off
}
