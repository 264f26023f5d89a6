package decode

import "encoding/binary"

func (s *Straight) produceRequest(b []byte, p int, to Told) int {
	if s.version >= 3 { // TransactionalId
		n, at := s.size(b, p, 2)
		if s.Transactional = n >= 0 && at >= 0; s.Transactional {
			at = s.text(b, p)
		}
		p = at
	}
	if p < 0 || len(b)-p < 6 {
		return gaveUp
	}
	s.Acks = int16(binary.BigEndian.Uint16(b[p:]))
	return s.topics(b, p+6, to, (*Straight).produced)
}

func (s *Straight) produced(b []byte, p int) int {
	if len(b)-p < 4 {
		return gaveUp
	}
	s.item.Index = int32(binary.BigEndian.Uint32(b[p:]))
	return s.records(b, p+4)
}

func (s *Straight) produceResponse(b []byte, p int, to Told) int {
	p = s.topics(b, p, to, (*Straight).acknowledged)
	if s.version < 1 {
		return p
	}
	if p < 0 || len(b)-p < 4 {
		return gaveUp
	}
	s.ThrottleTimeMs = int32(binary.BigEndian.Uint32(b[p:]))
	return p + 4
}

func (s *Straight) acknowledged(b []byte, p int) int {
	size := 14
	if s.version >= 2 {
		size += 8 // LogAppendTimeMs
	}
	if s.version >= 5 {
		size += 8 // LogStartOffset
	}
	if len(b)-p < size {
		return gaveUp
	}
	b, end := b[p:], p+size
	s.item.Index = int32(binary.BigEndian.Uint32(b))
	s.item.ErrorCode = int16(binary.BigEndian.Uint16(b[4:]))
	s.item.BaseOffset = int64(binary.BigEndian.Uint64(b[6:]))
	if s.version >= 5 {
		s.item.LogStartOffset = int64(binary.BigEndian.Uint64(b[22:]))
	}
	if s.version < 8 {
		return end
	}
	n, at := s.count(b, size)    // RecordErrors
	null, at := s.size(b, at, 2) // ErrorMessage
	if n > 0 || null >= 0 {
		return gaveUp
	}
	return p + at
}
