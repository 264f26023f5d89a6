package session

import (
	"encoding/binary"

	"ksniff/decode"
	"ksniff/decode/schema"
	"ksniff/reassembly"
)

const (
	keyProduce    = 0
	keyFetch      = 1
	keyShareFetch = 78
)

// Whole implements reassembly.Judge.
func (j *judge) Whole(f *reassembly.Frame) reassembly.Fate {
	s, c := j.session(), of(f.Conn)
	c.seen[f.Side] = true
	if len(c.held) > 0 {
		if f == &s.out.Frame {
			s.aside = *f
			f = &s.aside
		}
		s.expire(c, int8(f.Side) == c.client, f.Last)
	}
	body := f.Runs[0].Bytes
	if c.gen == Legacy {
		return s.legacyFrame(c, f, body)
	}
	if int8(f.Side) == c.client {
		if c.model != nil && s.quick && !c.repeats {
			if fate, ok := s.likeRequest(c, f, body); ok {
				return fate
			}
		}
		return s.wholeRequest(c, f, body)
	}
	if c.model != nil && s.quick {
		if fate, ok := s.likeResponse(c, f, body); ok {
			return fate
		}
	}
	return s.wholeResponse(c, f, body)
}

// wholeRequest takes a request all of which is there.
func (s *Session) wholeRequest(c *conn, f *reassembly.Frame, body []byte) reassembly.Fate {
	if c.tokens {
		if g := s.grade(body, f.Length); g < odd || g == odd && !c.isIdent(body) {
			return s.token(c, f, decode.Request)
		}
		c.tokens = false
	}
	out, r, header := s.beginRequest(c, f, body)
	s.decode(c, out, decode.Frame{Length: f.Length, Runs: f.Runs}, header, r)
	return s.endRequest(c, out, r)
}

// beginRequest reads the header of a request, of which at least the first 8 bytes are there, and gives
// its length, 0 where it is not whole.
func (s *Session) beginRequest(c *conn, f *reassembly.Frame, body []byte) (out *Frame, r *Request, header int) {
	if key, version, correlation, client, header := decode.PlainRequestHeader(body); header > 0 {
		out, r = s.openRequest(c, f, key, version, correlation, s.client(c, client))
		return out, r, header
	}
	h, need, fault := decode.ParseRequestHeader(body)
	if need > f.Length {
		fault = decode.Fault{Code: decode.Truncated, Class: decode.Broken, Offset: min(8, f.Length), Need: need, Have: f.Length, Node: -1}
	}
	if header = h.Length; fault.Code != 0 || need > 0 {
		header = 0 // the client id is there where it is whole
	}
	out, r = s.openRequest(c, f, h.Key, h.Version, h.CorrelationID, s.client(c, h.ClientID))
	if fault.Code != 0 {
		out.Fault, out.Faulty = fault, true
	}
	return out, r, header
}

// maxCorr is the largest correlation id of the ordinary ones: Java clients number those of a login
// apart (SaslClientAuthenticator's reserved range), those of 0.10 with -1.
const maxCorr = 1<<31 - 1 - 8

// openRequest makes a frame and what is kept of it from a header.
func (s *Session) openRequest(c *conn, f *reassembly.Frame, key, version int16, correlation int32, k *Client) (*Frame, *Request) {
	out, r := s.fresh(c, f), s.request(f, Modern, k)
	out.Kind = decode.Request
	out.name(key, version)
	out.CorrelationID, out.HasHeader = correlation, true
	out.Client = k
	c.ident, c.alone = k, false
	if id := correlation; id >= 0 && id <= maxCorr {
		c.repeats = c.repeats || c.hasCorr && id == c.corr
		if !c.hasCorr {
			c.first = id
		}
		c.corr, c.hasCorr = id, true
	}
	r.Key, r.Version, r.CorrelationID = key, version, correlation
	return out, r
}

// endRequest hands a request on and lets it wait for its response.
func (s *Session) endRequest(c *conn, out *Frame, r *Request) reassembly.Fate {
	out.Request = r
	if r.Key == keySaslHandshake && r.Version == 0 {
		c.tokens = true
	}
	if s.cfg.Keep {
		r.Body = keep(out)
	}
	s.sink.Frame(out)
	fate := fateOf(out)
	if r.Silent {
		s.sink.Unanswered(c.tcp, r, Silent)
		s.recycle(r)
		return fate
	}
	if c.byOrder(r) {
		s.ask(c, r)
	}
	s.wait(c, r)
	if len(c.held) > 0 {
		s.release(c, r)
	}
	return fate
}

// fateOf says what became of the bytes of a whole frame.
func fateOf(f *Frame) reassembly.Fate {
	if f.Faulty && !f.Fault.Tolerated {
		return reassembly.Undecodable
	}
	return reassembly.Decoded
}

// keep copies the bytes of a frame.
func keep(f *Frame) decode.Frame {
	out := decode.Frame{Length: f.Length, Missing: f.Missing > 0, Runs: make([]decode.Run, len(f.Runs))}
	for i, run := range f.Runs {
		out.Runs[i] = decode.Run{Off: run.Off, Bytes: append([]byte(nil), run.Bytes...)}
	}
	return out
}

// decode reads the fields of a frame that is named: with a reader where there is one for the API, with
// the tree elsewhere, with both where all bytes are wanted.
func (s *Session) decode(c *conn, out *Frame, f decode.Frame, header int, r *Request) {
	if header > 0 && !s.cfg.Whole && f.OnePiece() && s.readStraight(c, out, r, f.Runs[0].Bytes, header) {
		return
	}
	viewed := header > 0 && s.whole.begin(s, out.Key, out.Version, out.Kind, header, f.Length)
	if !viewed || s.cfg.Whole {
		t := &s.tree
		version := out.Version
		if out.Kind == decode.Response {
			version = answeredAs(out.Key, version)
		}
		t.Decode(f, out.Key, version, out.Kind)
		out.Tree = t
		if fault, ok := t.Fault(); ok && !out.Faulty {
			out.Fault, out.Faulty = fault, true
		}
	}
	if viewed {
		s.whole.all(f.Runs)
		s.whole.finish(c, out, r)
		return
	}
	s.learn(out)
}

// learn takes what a tree tells beyond its frame.
func (s *Session) learn(out *Frame) {
	t := out.Tree
	if t.Body().Node() < 0 {
		return
	}
	if out.Kind == decode.Response {
		if e := t.Body().Field("ErrorCode"); e.OnWire() {
			out.ErrorCode = int16(e.Int())
		}
		if e := t.Body().Field("ThrottleTimeMs"); e.OnWire() {
			out.Throttle = int32(e.Int())
		}
	}
	s.software(out.Client, t)
	s.learnNames(t)
}

// grades of what bytes are as a request, worst first.
type grade uint8

const (
	not   grade = iota // cannot be a request
	open               // may be one: not all of it is there
	named              // the same, and it has a client id
	newer              // whole and has a client id, but nobody knows the API or version
	odd                // whole and has a client id, but a broker must bear something
	fits               // decodes to its last byte
	sure               // the same, and it has a client id
)

// grade says how well b, the beginning or all of a body of the given length, fits a modern request. How many bytes it
// had to read is in graded.
func (s *Session) grade(b []byte, length int) grade {
	s.graded = 16
	if length < 8 || length > maxRequest {
		return not
	}
	if len(b) < 8 {
		if len(b) >= 2 && schema.Lookup(int16(binary.BigEndian.Uint16(b))) == nil {
			return not
		}
		return open
	}
	b = b[:min(len(b), length)]
	h, need, fault := decode.ParseRequestHeader(b)
	api := schema.Lookup(h.Key)
	if fault.Code != 0 || need > length {
		return not
	}
	known := api != nil && api.Versions().Has(h.Version)
	if !known && (h.Key != keyApiVersions || h.Version < 0 || h.Version > 127 || length > 512) {
		if len(b) == length && need == 0 && ahead(&h) {
			return newer
		}
		return not
	}
	if need > 0 {
		if len(b) < 10 {
			return open
		}
		n := int(int16(binary.BigEndian.Uint16(b[8:])))
		switch id := b[10:min(len(b), 10+max(n, 0))]; {
		case n > 255 || !printable(id):
			return not
		case len(id) >= 4:
			return named
		}
		return open
	}
	if !printable(h.ClientID) || len(h.ClientID) > 255 {
		return not
	}
	whole := len(b) == length
	if known {
		t := &s.tree
		t.Decode(decode.Frame{Length: length, Runs: []decode.Run{{Off: 0, Bytes: b}}, Missing: !whole}, h.Key, h.Version, decode.Request)
		f, bad := t.Fault()
		if s.graded = len(b); bad {
			s.graded = min(128+f.Offset, len(b)) // to begin takes as long as to read so many
		}
		if bad && whole && t.Whole() && len(h.ClientID) > 0 && sensible(t) {
			return odd
		}
		if bad && (whole || f.Class != decode.Incomplete) || !sensible(t) {
			return not
		}
	}
	switch {
	case whole && len(h.ClientID) > 0 && known:
		return sure
	case whole && (known || len(h.ClientID) > 0):
		return fits
	case len(h.ClientID) > 0:
		return named
	}
	return open
}

// printable says that a client id is text, as clients choose it.
func printable(id []byte) bool {
	for _, b := range id {
		if b < 0x20 || b == 0x7f {
			return false
		}
	}
	return true
}

// sensible looks at values that a stray frame would have wrong.
func sensible(t *decode.Tree) bool {
	body := t.Body()
	switch t.Key {
	case keyProduce:
		acks, timeout := body.Field("Acks"), body.Field("TimeoutMs")
		return (!acks.OnWire() || acks.Int() >= -1 && acks.Int() <= 100) && (!timeout.OnWire() || timeout.Int() >= 0)
	case keyFetch:
		wait, least := body.Field("MaxWaitMs"), body.Field("MinBytes")
		return (!wait.OnWire() || wait.Int() >= 0) && (!least.OnWire() || least.Int() >= 0)
	}
	return true
}

// isIdent says whether a request has the client id of those before it.
func (c *conn) isIdent(body []byte) bool {
	h, need, _ := decode.ParseRequestHeader(body)
	return need == 0 && c.ident != nil && c.ident.ID == string(h.ClientID)
}
