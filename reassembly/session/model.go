package session

import (
	"encoding/binary"

	"ksniff/decode"
	"ksniff/decode/records"
	"ksniff/decode/schema"
	"ksniff/reassembly"
)

// model is what the latest Produce or Fetch frames of a connection were like: those that follow mostly differ from
// them in a few fields only, and are taken by likeRequest and likeResponse.
type model struct {
	request, response modelFrame
	client            *Client // of the request
}

// modelFrame is the one of one side.
type modelFrame struct {
	decode.Pattern
	known        bool
	key, version int16
	api          *schema.API
	topic        *Topic
	like         Like
}

const (
	modelAfter = 16   // so many frames of a connection are read before it has a model: most have fewer than a model costs
	modelCost  = 1536 // bytes, with what a sink keeps of it
)

// learn makes a frame about one topic the model of those that follow. Topics and clients beyond the limit, and those
// without a name, are looked up and counted each time.
func (s *Session) learnModel(c *conn, out *Frame, body []byte, t *Topic) {
	if t == nil || t == &s.names.overflow || t.Name == "" && t.ID == [16]byte{} || out.Client == &s.names.excess || out.Client == nil || out.Request == nil && out.Kind == decode.Response {
		return
	}
	if c.model == nil {
		if c.frames++; c.frames < s.modelAfter || s.models >= s.maxModels {
			return
		}
		c.model = s.newModel()
	}
	m := &c.model.response
	if out.Kind == decode.Request {
		m, c.model.client = &c.model.request, out.Client
	}
	m.known = m.Learn(&s.straight, body)
	m.like.Round++
	m.key, m.version, m.api, m.topic = out.Key, out.Version, out.API, t
}

// newModel lends a model. Who had it before has ended.
func (s *Session) newModel() *model {
	s.models++
	if n := len(s.spare); n > 0 {
		m := s.spare[n-1]
		s.spare = s.spare[:n-1]
		return m
	}
	return &model{}
}

// leaveModel takes the model of a connection back: with it, what the sink keeps of its frames.
func (s *Session) leaveModel(c *conn) {
	if m := c.model; m != nil {
		m.request.known, m.response.known, m.client = false, false, nil
		s.spare = append(s.spare, m)
		s.models--
		c.model = nil
	}
}

// likeRequest takes a request that is like the one before it: it does what wholeRequest does, for less than a third of
// the time. False: nothing was done.
func (s *Session) likeRequest(c *conn, f *reassembly.Frame, body []byte) (reassembly.Fate, bool) {
	m := &c.model.request
	if !m.known || c.tokens || len(c.held) > 0 || !m.Read(body, &s.piece) {
		return 0, false
	}
	id := int32(binary.BigEndian.Uint32(body[4:]))
	if c.hasCorr && (id == c.corr || id == c.first) { // it may be that the client gives all the same: turns begin with this one
		return 0, false
	}
	k := c.model.client
	r := s.request(f, Modern, k)
	if c.ident, c.alone = k, false; id >= 0 && id <= maxCorr {
		c.corr, c.hasCorr = id, true
	}
	r.Key, r.Version, r.CorrelationID = m.key, m.version, id
	out := s.alike(c, f, m, r, id, body)
	out.Kind, out.Client = decode.Request, k
	out.ErrorCode, out.SessionID, out.Throttle = 0, 0, -1
	v := &m.Facts
	r.MaxWait, r.MinBytes, r.Replica, r.MaxBytes = v.MaxWaitMs, v.MinBytes, v.ReplicaID, v.MaxBytes
	r.Isolation, r.SessionID, r.SessionEpoch = v.IsolationLevel, v.SessionID, v.SessionEpoch
	r.Topics = append(r.Topics, m.topic)
	if m.key == keyProduce {
		r.Acks, r.Silent = v.Acks, v.Acks == 0
	} else {
		s.follow(c, out, r, v, nil)
	}
	s.sink.Frame(out)
	if fate := fateOf(out); !r.Silent {
		s.wait(c, r)
		return fate, true
	}
	s.sink.Unanswered(c.tcp, r, Silent)
	s.recycle(r)
	return fateOf(out), true
}

// likeResponse takes a response that is like the one before it and answers the oldest request: it does what
// wholeResponse does. False: nothing was done.
func (s *Session) likeResponse(c *conn, f *reassembly.Frame, body []byte) (reassembly.Fate, bool) {
	m, p := &c.model.response, &c.pending
	if !m.known || p.head == len(p.reqs) || c.gapped[0] || c.gapped[1] || c.answers > 0 {
		return 0, false
	}
	r := p.reqs[p.head]
	id := int32(binary.BigEndian.Uint32(body))
	if r.CorrelationID != id || r.Key != m.key || r.Version != m.version || c.byOrder(r) || !m.Read(body, &s.piece) {
		return 0, false
	}
	p.pop()
	s.enlist(c, -1)
	c.turns.heard = f.Last.Packet
	out := s.alike(c, f, m, r, id, body)
	out.Kind, out.Client = decode.Response, r.Client
	out.take(&m.Facts)
	if m.key == keyFetch {
		s.follow(c, out, r, &m.Facts, nil)
	}
	s.sink.Frame(out)
	fate := fateOf(out)
	s.recycle(r)
	return fate, true
}

// alike does what fresh does, for a frame that is like the one before it, and takes its partition from s.piece. What such
// frames leave as it was need not be set where the last frame was one too.
func (s *Session) alike(c *conn, f *reassembly.Frame, m *modelFrame, r *Request, id int32, body []byte) *Frame {
	out, x := &s.out, &s.piece
	if !s.likes {
		s.fresh(c, f)
		out.part()
		out.HasHeader, s.likes = true, true
	} else if f != &out.Frame {
		out.Frame = *f
	}
	out.Generation, out.CorrelationID, out.Key, out.Version = c.gen, id, m.key, m.version
	out.API, out.Request, out.Like = m.api, r, &m.like
	p := &out.Parts[0]
	p.Topic, p.Partition, p.Error, p.MaxBytes = m.topic, x.Index, x.ErrorCode, x.MaxBytes
	p.Offset, p.HighWatermark, p.LastStable = x.FetchOffset, x.HighWatermark, x.LastStableOffset
	sets, at, n := &p.Sets, int(x.Records), int(x.Length)
	if n <= 0 {
		sets.At, sets.Bytes, sets.Batches, sets.Messages, sets.Control, sets.Codecs[s.likeCodec] = 0, 0, 0, 0, 0, 0
	} else if batches, messages, control, codec, ok := records.Plain(body[at : at+n]); ok {
		sets.Codecs[s.likeCodec], s.likeCodec = 0, codec&7
		sets.At, sets.Bytes, sets.Batches, sets.Messages, sets.Control, sets.Codecs[codec&7] = at, int64(n), batches, messages, control, batches
	} else {
		s.likes = false // what the scanner sets must be cleared
		sets.Codecs[s.likeCodec] = 0
		s.readSet(out, sets, body, at, n)
	}
	return out
}
