package session

import (
	"encoding/binary"

	"ksniff/decode"
	"ksniff/reassembly"
)

// wholeResponse takes a response all of which is there.
func (s *Session) wholeResponse(c *conn, f *reassembly.Frame, body []byte) reassembly.Fate {
	if c.answers > 0 && (len(body) < 4 || s.pendingFor(c, body) == nil) {
		return s.token(c, f, decode.Response)
	}
	c.turns.heard = f.Last.Packet
	id := int32(binary.BigEndian.Uint32(body))
	r := s.answered(c, id, body, f.Length)
	if r == nil {
		ordered := c.hasCorr && !c.repeats || !c.gapped[c.client] // else the id does not tell whose answer it is
		if (!c.hasCorr || id > c.corr-corrBehind) && ordered && !c.alone {
			if s.holdBack(c, f, body) {
				return reassembly.Undecodable // until it is known better
			}
		}
		return s.unmatched(c, f, body)
	}
	return s.answer(c, f, r, decode.Frame{Length: f.Length, Runs: f.Runs})
}

func (s *Session) pendingFor(c *conn, body []byte) *Request {
	r, _ := c.pending.find(int32(binary.BigEndian.Uint32(body)))
	return r
}

// answer hands on the response to a request.
func (s *Session) answer(c *conn, f *reassembly.Frame, r *Request, body decode.Frame) reassembly.Fate {
	out := s.beginResponse(c, f, r)
	header := decode.PlainResponseHeader(body.Runs[0].Bytes, r.Key, r.Version)
	if header == 0 {
		h, need, fault := decode.ParseResponseHeader(body.Runs[0].Bytes, r.Key, r.Version)
		if need == 0 && fault.Code == 0 {
			header = h.Length
		}
	}
	s.decode(c, out, body, header, r)
	return s.endResponse(c, out, r)
}

// beginResponse names a response by its request.
func (s *Session) beginResponse(c *conn, f *reassembly.Frame, r *Request) *Frame {
	out := s.fresh(c, f)
	out.Kind, out.Request, out.Client, out.Guessed = decode.Response, r, r.Client, r.guessed
	out.CorrelationID, out.HasHeader = r.CorrelationID, true
	out.name(r.Key, r.Version)
	return out
}

// endResponse hands a response on.
func (s *Session) endResponse(c *conn, out *Frame, r *Request) reassembly.Fate {
	if r.Key == keySaslHandshake && out.ErrorCode != 0 {
		c.tokens = false
	}
	s.sink.Frame(out)
	fate := fateOf(out)
	s.recycle(r)
	return fate
}

// unmatched hands on a response to nothing that is known.
func (s *Session) unmatched(c *conn, f *reassembly.Frame, body []byte) reassembly.Fate {
	if c.gen == Modern {
		if fate, ok := s.infer(c, f, body); ok {
			return fate
		}
	}
	c.turns.lost(false)
	out := s.fresh(c, f)
	out.Kind, out.Client = decode.Response, c.ident
	if len(body) >= 4 {
		out.CorrelationID, out.HasHeader = int32(binary.BigEndian.Uint32(body)), true
	}
	s.sink.Frame(out)
	return reassembly.Undecodable
}
