package session

// Ease makes the session do only what counts need, as long as it is on: nothing is decompressed, frames are
// not kept whole, and Produce and Fetch frames have no tree (Config.Deep, Whole, Bytes). It says whether that
// makes a difference. What is not known then is marked as for a session without these.
func (s *Session) Ease(on bool) bool {
	if on {
		s.cfg.Deep, s.cfg.Whole, s.cfg.Bytes = false, false, false
	} else {
		s.cfg.Deep, s.cfg.Whole, s.cfg.Bytes = s.asked.Deep, s.asked.Whole, s.asked.Bytes
	}
	s.quick = !s.cfg.Deep && !s.cfg.Whole && !s.cfg.Keep
	return s.asked.Deep || s.asked.Whole || s.asked.Bytes
}
