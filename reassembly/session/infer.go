package session

import (
	"ksniff/decode"
	"ksniff/decode/schema"
	"ksniff/reassembly"
)

// Bounds of inference: of the length of a response, and of how many are looked at in one capture.
const (
	minInferred   = 16
	maxInferred   = 64 << 10
	maxInferences = 20_000
)

// infer hands on a response to nothing that is known. Where its bytes read to the last one as the
// response of a single API and version, it is named so and marked as inferred.
func (s *Session) infer(c *conn, f *reassembly.Frame, body []byte) (reassembly.Fate, bool) {
	if s.inferences >= maxInferences || len(body) < minInferred {
		return 0, false
	}
	if id := int32(be32(body)); c.hasCorr && (id > c.corr+corrAhead || id < c.corr-corrAhead) {
		return 0, false // no id of this client
	}
	s.inferences++
	key, version, ok := s.only(body)
	if !ok {
		return 0, false
	}
	out := s.fresh(c, f)
	out.Kind, out.Client, out.Inferred = decode.Response, c.ident, true
	out.CorrelationID, out.HasHeader = int32(be32(body)), true
	out.name(key, version)
	h, _, _ := decode.ParseResponseHeader(body, key, version)
	s.decode(c, out, decode.Frame{Length: f.Length, Runs: f.Runs}, h.Length, nil)
	s.sink.Frame(out)
	return fateOf(out), true
}

// only gives the single API and version as whose response a body reads to its last byte.
func (s *Session) only(body []byte) (key, version int16, ok bool) {
	if len(body) < minInferred || len(body) > maxInferred {
		return 0, 0, false
	}
	n, key, version := s.readings(body)
	return key, version, n == 1
}

// readings counts the APIs and versions as whose response a body reads to its last byte, up to 2, and gives
// the first.
func (s *Session) readings(body []byte) (n int, key, version int16) {
	t := &s.tree
	for _, api := range schema.APIs {
		for v := api.Response.Valid.Min; v <= api.Response.Valid.Max; v++ {
			t.Decode(decode.Whole(body), api.Key, v, decode.Response)
			if _, bad := t.Fault(); bad || t.Body().Node() < 0 {
				continue
			}
			if n++; n == 2 {
				return n, key, version
			}
			key, version = api.Key, v
		}
	}
	return n, key, version
}
