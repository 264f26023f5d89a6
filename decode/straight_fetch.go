package decode

import "encoding/binary"

// fetches takes what stands before the topics of a Fetch request.
func (s *Straight) fetches(b []byte, version int16) {
	if version < 15 {
		s.ReplicaID = int32(binary.BigEndian.Uint32(b))
		b = b[4:]
	}
	s.MaxWaitMs, s.MinBytes = int32(binary.BigEndian.Uint32(b)), int32(binary.BigEndian.Uint32(b[4:]))
	if version >= 3 {
		s.MaxBytes = int32(binary.BigEndian.Uint32(b[8:]))
	}
	if version >= 4 {
		s.IsolationLevel = int8(b[12])
	}
	if version >= 7 {
		s.SessionID, s.SessionEpoch = int32(binary.BigEndian.Uint32(b[13:])), int32(binary.BigEndian.Uint32(b[17:]))
	}
}

// fetchTail reads what stands behind the topics of a Fetch request.
func (s *Straight) fetchTail(b []byte, p int, version int16) int {
	if version >= 7 {
		p = s.forgotten(b, p)
	}
	if version >= 11 { // RackId
		_, _, p = s.name(b, p)
	}
	return p
}

// asked takes what a client asks for of a partition.
func (x *Piece) asked(b []byte, f *layout) {
	x.Index = int32(binary.BigEndian.Uint32(b))
	x.FetchOffset = int64(binary.BigEndian.Uint64(b[f.at:]))
	x.MaxBytes = int32(binary.BigEndian.Uint32(b[len(b)-4:]))
	x.ErrorCode, x.Records = 0, 0
	x.HighWatermark, x.LastStableOffset = -1, -1
}

// forgotten reads the partitions that are dropped from a session, of which a request has few or none.
func (s *Straight) forgotten(b []byte, p int) int {
	n, p := s.count(b, p)
	for ; n > 0 && p >= 0; n-- {
		topic, size := p, -1
		if s.layout.ids {
			p += 16
		} else if size, topic, p = s.name(b, p); p < 0 {
			return gaveUp
		}
		var m int
		for m, p = s.count(b, p); m > 0; m-- {
			if len(b)-p < 4 {
				return gaveUp
			}
			*add(&s.Drops) = Piece{Topic: int32(topic), Size: int32(size), Index: int32(binary.BigEndian.Uint32(b[p:]))}
			p += 4
		}
		p = s.tags(b, p)
	}
	return p
}

// answers takes what stands before the topics of a Fetch response.
func (s *Straight) answers(b []byte, version int16) {
	if version >= 1 {
		s.ThrottleTimeMs = int32(binary.BigEndian.Uint32(b))
	}
	if version >= 7 {
		s.ErrorCode, s.SessionID = int16(binary.BigEndian.Uint16(b[4:])), int32(binary.BigEndian.Uint32(b[6:]))
	}
}

// fetched takes what an answer says about a partition; what goes before the records follows.
func (x *Piece) fetched(b []byte, f *layout) {
	x.Index = int32(binary.BigEndian.Uint32(b))
	x.ErrorCode = int16(binary.BigEndian.Uint16(b[4:]))
	x.HighWatermark = int64(binary.BigEndian.Uint64(b[6:]))
	if x.LastStableOffset = -1; f.at > 0 {
		x.LastStableOffset = int64(binary.BigEndian.Uint64(b[f.at:]))
	}
	x.FetchOffset, x.MaxBytes = -1, 0
}

// aborted steps over what stands before the records: aborted transactions, of two numbers each, and
// PreferredReadReplica.
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
	if p >= 0 {
		p += s.layout.replica
	}
	return p
}
