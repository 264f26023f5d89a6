package session

import (
	"slices"

	"ksniff/decode"
	"ksniff/decode/records"
)

// reader reads a Produce, Fetch or ShareFetch message whose bytes may come in pieces and need not all
// come. It asks a View for the fields and a Scanner for the record sets, and allocates nothing.
type reader struct {
	view     decode.View
	scan     records.Scanner
	digester *records.Digester // in scan's place, where digests are wanted
	digest   bool
	session  *Session
	kind     decode.Kind
	key      int16
	version  int16
	opt      records.Options
	length   int
	req      *Request // of a response
	topic    *Topic
	parts    []Part
	drops    []Part // forgotten partitions of a Fetch request
	inSet    bool   // in a record set
	set      int    // where it begins
	at       int    // position of the scanner in it
	over     bool   // nothing more is needed
	hurt     bool   // a field fell into a hole
	where    int    // of the hole
	head     decode.RequestHeader
	client   *Client
}

// begin starts a message behind a header; false where there is no view of it.
func (rd *reader) begin(s *Session, key, version int16, kind decode.Kind, offset, length int) bool {
	if key != keyProduce && key != keyFetch && key != keyShareFetch {
		return false
	}
	rd.start(s, key, version, kind, length)
	rd.over, rd.digest = false, false
	return rd.view.Begin(key, version, kind, offset, length)
}

// start makes ready what is kept of a message: field by field, since the whole of it takes longer to clear than
// a small message to read. View and Scanner begin anew by themselves.
func (rd *reader) start(s *Session, key, version int16, kind decode.Kind, length int) {
	rd.session, rd.key, rd.version, rd.kind, rd.length = s, key, version, kind, length
	rd.parts, rd.drops = rd.parts[:0], rd.drops[:0]
	rd.req, rd.topic, rd.client = nil, nil, nil
	rd.inSet, rd.hurt, rd.where = false, false, 0
	rd.opt = records.Options{Deep: s.cfg.Deep, Exact: kind == decode.Request}
}

// run reads on with b, the body from offset off on, and says what it wants next.
func (rd *reader) run(b []byte, off int) (next, need int) {
	for !rd.over {
		if rd.inSet {
			pos := rd.set + rd.at
			var here []byte
			if pos >= off && pos < off+len(b) {
				here = b[pos-off:]
			}
			advance, need, done := rd.scan.Next(here)
			rd.at += advance
			if !done {
				return rd.set + rd.at, need
			}
			rd.endSet()
			continue
		}
		if need := rd.field(b, off); need > 0 {
			return rd.view.Pos(), need
		}
	}
	return rd.length, 0
}

// field asks the view for the next item. need is how many bytes it wants first, 0 where it has told one.
func (rd *reader) field(b []byte, off int) (need int) {
	pos := rd.view.Pos()
	if pos < off || pos > off+len(b) {
		b, off = nil, pos
	}
	item, status := rd.view.Next(b, off)
	switch status {
	case decode.More:
		return item.Need
	case decode.Topic, decode.ForgottenTopic:
		rd.topic = rd.session.named(&item)
	case decode.Partition:
		rd.partition(&item)
		rd.beginSet(&item)
	case decode.Forgotten:
		if rd.topic != nil && len(rd.drops) < maxSession {
			rd.drops = append(rd.drops, Part{Topic: rd.topic, Partition: item.Index})
		}
	default:
		rd.over = true
	}
	return 0
}

// lose takes a hole of wanted bytes from off to end, and says what is wanted after it.
func (rd *reader) lose(off, end int) (next, need int) {
	for rd.inSet && rd.set+rd.at < end {
		advance, done := rd.missing(end - max(off, rd.set+rd.at))
		rd.at += advance
		if done {
			rd.endSet()
		} else if advance == 0 {
			break
		}
	}
	if !rd.inSet && rd.view.Pos() < end && !rd.over {
		rd.over, rd.hurt, rd.where = true, true, off
	}
	if rd.digest {
		step := rd.digests(nil, end)
		return step.Next, step.Need
	}
	return rd.run(nil, end)
}

// all reads a message of which the given runs are there.
func (rd *reader) all(runs []decode.Run) {
	off := 0
	for _, run := range runs {
		if run.Off > off {
			rd.lose(off, run.Off)
		}
		rd.run(run.Bytes, run.Off)
		off = run.Off + len(run.Bytes)
	}
	if off < rd.length {
		rd.lose(off, rd.length)
	}
}

// partition adds what the frame says about a partition.
func (rd *reader) partition(item *decode.Item) *Part {
	rd.parts = append(rd.parts, Part{})
	p := &rd.parts[len(rd.parts)-1]
	p.Topic, p.Partition, p.Error, p.Offset, p.HighWatermark = rd.topic, item.Index, item.ErrorCode, -1, item.HighWatermark
	p.Sets.Uncompressed, p.LastStable = -1, item.LastStableOffset
	if rd.kind == decode.Request {
		p.Offset, p.MaxBytes = item.FetchOffset, item.MaxBytes
	}
	return p
}

// beginSet starts on the record set of the latest partition.
func (rd *reader) beginSet(item *decode.Item) {
	if item.Length > 0 {
		if rd.digest {
			rd.digester.Begin(item.Records, item.Length, rd.opt)
		} else {
			rd.scan.Begin(item.Length, rd.opt)
		}
		rd.inSet, rd.set, rd.at = true, item.Records, 0
	} else if rd.opt.Deep && item.Length == 0 {
		rd.parts[len(rd.parts)-1].Sets.Uncompressed = 0
	}
}

// endSet takes over what the scanner found.
func (rd *reader) endSet() {
	rd.inSet = false
	s := &rd.scan.Summary
	if rd.digest {
		s = &rd.digester.Summary
	}
	rd.parts[len(rd.parts)-1].Sets.take(s, rd.set)
}

// take takes over what a scanner found in a set that begins at off.
func (r *Records) take(s *records.Summary, off int) {
	r.At, r.Bytes, r.Batches, r.Messages, r.Control = off, s.Bytes, s.Batches, s.Messages, s.Control
	r.Codecs, r.Uncompressed, r.Fault, r.Faulty = s.Codecs, s.Uncompressed, s.Fault, s.Faulty
	if r.Faulty {
		r.Fault.Offset += off
	}
}

// finish tells what was read to the frame, to what is kept of a request, and to the fetch session of the connection.
func (rd *reader) finish(c *conn, out *Frame, r *Request) {
	v := &rd.view.Facts
	if rd.inSet {
		rd.endSet()
		rd.hurt = true
	}
	out.Parts, rd.parts = rd.parts, out.Parts[:0]
	if rd.digest {
		out.Digests, rd.digester.Digests = rd.digester.Digests, out.Digests[:0]
		rd.session.sums = rd.digester.Both
	}
	if !out.Faulty {
		out.Fault, out.Faulty = rd.view.Fault()
	}
	if !rd.over || rd.hurt {
		out.Fault = decode.Fault{Code: decode.Truncated, Class: decode.Incomplete, Offset: rd.where, Need: rd.length, Have: rd.where, Node: -1}
		out.Faulty = true
	}
	for i := range out.Parts {
		out.blame(&out.Parts[i].Sets)
	}
	if rd.kind == decode.Response {
		out.take(v)
	} else {
		rd.session.keepFacts(r, out, v)
	}
	if rd.kind == decode.Request || !rd.hurt {
		rd.session.follow(c, out, r, v, rd.drops)
	}
}

// take takes what a response says beside topics and partitions.
func (f *Frame) take(v *decode.Facts) {
	f.ErrorCode, f.Throttle, f.SessionID = v.ErrorCode, v.ThrottleTimeMs, v.SessionID
}

// keepFacts keeps what a request says beside topics and partitions, and which topics it names.
func (s *Session) keepFacts(r *Request, out *Frame, v *decode.Facts) {
	r.MaxWait, r.MinBytes, r.Replica = v.MaxWaitMs, v.MinBytes, v.ReplicaID
	r.MaxBytes, r.Isolation, r.SessionID, r.SessionEpoch = v.MaxBytes, v.IsolationLevel, v.SessionID, v.SessionEpoch
	if out.Key == keyProduce {
		r.Acks = v.Acks
		r.Silent = r.Acks == 0
	}
	s.topicsOf(r, out.Parts)
}

// blame names the fault of a record set as the frame's, where the frame has none of its own. All fields
// of the frame were read, so there it is a tolerated one.
func (f *Frame) blame(r *Records) {
	if r.Faulty && !f.Faulty {
		f.Fault, f.Faulty = r.Fault, true
		f.Fault.Tolerated = true
	}
}

// topicsOf notes the topics that a request names, each once.
func (s *Session) topicsOf(r *Request, parts []Part) {
	few := len(parts) <= 32
	clear(s.met)
	for i := range parts {
		t := parts[i].Topic
		if i > 0 && t == parts[i-1].Topic {
			continue
		}
		if few {
			if !slices.Contains(r.Topics, t) {
				r.Topics = append(r.Topics, t)
			}
		} else if _, have := s.met[t]; !have {
			s.met[t] = struct{}{}
			r.Topics = append(r.Topics, t)
		}
	}
}

// named finds the topic that a View has come to.
func (s *Session) named(item *decode.Item) *Topic {
	if item.ID != [16]byte{} {
		return s.topicByID(item.ID)
	}
	return s.topic(item.Name)
}
