package decode

import "encoding/binary"

// transactionalID steps over the TransactionalId of a Produce request, mostly null.
func (s *Straight) transactionalID(b []byte, p int) int {
	if s.layout.flexible && uint(p) < uint(len(b)) && b[p] == 0 {
		return p + 1
	}
	n, at := s.size(b, p, 2)
	if n < 0 || at < 0 {
		return at
	}
	s.Transactional = true
	_, _, at = s.name(b, p)
	return at
}

// produced takes the number of a partition whose records follow.
func (x *Piece) produced(b []byte) {
	x.Index = int32(binary.BigEndian.Uint32(b))
	x.ErrorCode, x.MaxBytes = 0, 0
	x.FetchOffset, x.HighWatermark, x.LastStableOffset = -1, -1, -1
}

// throttle takes what stands behind the topics of a Produce response.
func (s *Straight) throttle(b []byte, p int, version int16) int {
	if version < 1 {
		return p
	}
	if uint(p) > uint(len(b)) || len(b)-p < 4 {
		return gaveUp
	}
	s.ThrottleTimeMs = int32(binary.BigEndian.Uint32(b[p:]))
	return p + 4
}

// acknowledged takes what a broker says about a partition that was written.
func (x *Piece) acknowledged(b []byte) {
	x.Index = int32(binary.BigEndian.Uint32(b))
	x.ErrorCode = int16(binary.BigEndian.Uint16(b[4:]))
	x.MaxBytes, x.Records = 0, 0
	x.FetchOffset, x.HighWatermark, x.LastStableOffset = -1, -1, -1
}

// noErrors steps over RecordErrors and ErrorMessage, which must be empty and null.
func (s *Straight) noErrors(b []byte, p int) int {
	n, p := s.count(b, p)
	null, p := s.size(b, p, 2)
	if n > 0 || null >= 0 {
		return gaveUp
	}
	return p
}
