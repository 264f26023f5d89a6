package session

import (
	"ksniff/decode"
	"ksniff/reassembly"
)

const (
	keySaslHandshake = 17
	keyApiVersions   = 18
	// maxToken is the broker's sasl.server.max.receive.size.
	maxToken = 512 << 10
)

// token takes a raw SASL token after a SaslHandshake v0: no header, no decoding.
func (s *Session) token(c *conn, f *reassembly.Frame, kind decode.Kind) reassembly.Fate {
	out := s.fresh(c, f)
	out.Kind, out.Token, out.Client = kind, true, c.ident
	if kind == decode.Request {
		c.answers++
	} else {
		c.answers--
	}
	s.incompleteIf(out)
	s.sink.Frame(out)
	return reassembly.Decoded
}
