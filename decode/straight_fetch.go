package decode

import "encoding/binary"

func (s *Straight) fetchRequest(b []byte, p int, to Told) int {
	if s.version < 15 {
		if len(b)-p < 4 {
			return gaveUp
		}
		s.ReplicaID = int32(binary.BigEndian.Uint32(b[p:]))
		p += 4
	}
	size := 8
	if s.version >= 3 {
		size += 4
	}
	if s.version >= 4 {
		size++
	}
	if s.version >= 7 {
		size += 8
	}
	if len(b)-p < size {
		return gaveUp
	}
	head := b[p : p+size]
	s.MaxWaitMs, s.MinBytes = int32(binary.BigEndian.Uint32(head)), int32(binary.BigEndian.Uint32(head[4:]))
	if s.version >= 3 {
		s.MaxBytes = int32(binary.BigEndian.Uint32(head[8:]))
	}
	if s.version >= 4 {
		s.IsolationLevel = int8(head[12])
	}
	if s.version >= 7 {
		s.SessionID, s.SessionEpoch = int32(binary.BigEndian.Uint32(head[13:])), int32(binary.BigEndian.Uint32(head[17:]))
	}
	p = s.topics(b, p+size, to, (*Straight).asked)
	if s.version >= 7 {
		p = s.topics(b, p, to, nil)
	}
	if s.version >= 11 { // RackId
		p = s.text(b, p)
	}
	return p
}

func (s *Straight) asked(b []byte, p int) int {
	offset := 4
	if s.version >= 9 {
		offset += 4 // CurrentLeaderEpoch
	}
	start := offset + 8
	if s.version >= 12 {
		start += 4 // LastFetchedEpoch
	}
	most := start
	if s.version >= 5 {
		most += 8
	}
	if len(b)-p < most+4 {
		return gaveUp
	}
	b = b[p : p+most+4]
	s.item.Index = int32(binary.BigEndian.Uint32(b))
	s.item.FetchOffset = int64(binary.BigEndian.Uint64(b[offset:]))
	if s.version >= 5 {
		s.item.LogStartOffset = int64(binary.BigEndian.Uint64(b[start:]))
	}
	s.item.MaxBytes = int32(binary.BigEndian.Uint32(b[most:]))
	return p + most + 4
}

func (s *Straight) fetchResponse(b []byte, p int, to Told) int {
	size := 0
	if s.version >= 1 {
		size += 4
	}
	if s.version >= 7 {
		size += 6
	}
	if len(b)-p < size {
		return gaveUp
	}
	if s.version >= 1 {
		s.ThrottleTimeMs = int32(binary.BigEndian.Uint32(b[p:]))
	}
	if s.version >= 7 {
		s.ErrorCode, s.SessionID = int16(binary.BigEndian.Uint16(b[p+4:])), int32(binary.BigEndian.Uint32(b[p+6:]))
	}
	return s.topics(b, p+size, to, (*Straight).fetched)
}

func (s *Straight) fetched(b []byte, p int) int {
	size := 14
	if s.version >= 4 {
		size += 8
	}
	if s.version >= 5 {
		size += 8
	}
	if len(b)-p < size {
		return gaveUp
	}
	head := b[p : p+size]
	s.item.Index = int32(binary.BigEndian.Uint32(head))
	s.item.ErrorCode = int16(binary.BigEndian.Uint16(head[4:]))
	s.item.HighWatermark = int64(binary.BigEndian.Uint64(head[6:]))
	if s.version >= 4 {
		s.item.LastStableOffset = int64(binary.BigEndian.Uint64(head[14:]))
	}
	if s.version >= 5 {
		s.item.LogStartOffset = int64(binary.BigEndian.Uint64(head[22:]))
	}
	if p += size; s.version >= 4 {
		p = s.aborted(b, p)
	}
	if s.version >= 11 { // PreferredReadReplica
		if p < 0 || len(b)-p < 4 {
			return gaveUp
		}
		p += 4
	}
	return s.records(b, p)
}

// aborted steps over the aborted transactions: two numbers each.
func (s *Straight) aborted(b []byte, p int) int {
	n, p := s.size(b, p, 4)
	if n > maxElements {
		return gaveUp
	}
	for ; n > 0 && p >= 0; n-- {
		if len(b)-p < 16 {
			return gaveUp
		}
		p = s.tags(b, p+16)
	}
	return p
}
