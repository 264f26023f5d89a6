package session

import "ksniff/reassembly"

// legacyFrame takes a frame of 0.6 or 0.7.
func (s *Session) legacyFrame(c *conn, f *reassembly.Frame, body []byte) reassembly.Fate {
	return reassembly.Undecodable
}
