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
	t := &s.tree
	for _, api := range schema.APIs {
		for v := api.Response.Valid.Min; v <= api.Response.Valid.Max; v++ {
			t.Decode(decode.Whole(body), api.Key, v, decode.Response)
			if _, bad := t.Fault(); bad || t.Body().Node() < 0 {
				continue
			}
			if ok {
				return 0, 0, false
			}
			key, version, ok = api.Key, v, true
		}
	}
	return key, version, ok
}

// Responses alone prove Kafka where at least aloneFrames of them follow each other without a break, their
// correlation ids go up in small steps, and one of them can be nothing else. It is looked at when
// aloneBytes are there or no more will come.
const (
	aloneFrames = 3
	aloneStep   = 64
	aloneBytes  = 16 << 10
)

// answersAlone says whether one side sent responses, where nothing was captured of the other.
func (s *Session) answersAlone(sides *[2]reassembly.Window, skip [2]int, last bool) bool {
	side := 0
	if sides[0].Seen == 0 {
		side = 1
	}
	w := &sides[side]
	b := w.Bytes[min(skip[side], len(w.Bytes)):]
	if sides[1-side].Seen > 0 || !last && len(b) < aloneBytes {
		return false
	}
	frames, named, before := 0, false, int32(0)
	for ; len(b) >= 8; frames++ {
		length, id := int(int32(be32(b))), int32(be32(b[4:]))
		if length < 4 || length > maxRequest || id < 0 || frames > 0 && (id == before || id-before > aloneStep || before-id > aloneStep) {
			return false
		}
		if len(b) < 4+length {
			break
		}
		if !named && s.inferences < maxInferences {
			s.inferences++
			_, _, named = s.only(b[4 : 4+length])
			named = named || frames == 0 && s.isVersions(b[4:4+length])
		}
		before, b = id, b[4+length:]
	}
	return frames >= aloneFrames && named
}

// isVersions says whether a body reads as a response to ApiVersions, in any version.
func (s *Session) isVersions(body []byte) bool {
	for v := int16(0); v <= 4 && len(body) > 64; v++ {
		s.tree.Decode(decode.Whole(body), keyApiVersions, v, decode.Response)
		if _, bad := s.tree.Fault(); !bad {
			return true
		}
	}
	return false
}
