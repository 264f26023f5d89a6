package decode

import "encoding/binary"

// produceHead reads what is before the topics of a Produce request.
func (s *Straight) produceHead() bool {
	if s.version >= 3 {
		n, ok := s.length(2)
		if !ok || n > maxString || n > len(s.b)-s.p {
			return false
		}
		if n > 0 && invalidUTF8(s.take(n)) >= 0 {
			return false
		}
		s.Transactional = n >= 0
	}
	b := s.take(6)
	if b == nil {
		return false
	}
	s.Acks = int16(binary.BigEndian.Uint16(b))
	var ok bool
	s.topics, ok = s.count()
	return ok
}

// produced reads the topics of a Produce request.
func (s *Straight) produced(item *Item) Status {
	switch {
	case s.parts > 0:
		b := s.take(4)
		if b == nil {
			return Bad
		}
		*item = noPartition
		item.Index = int32(binary.BigEndian.Uint32(b))
		if !s.records(item) || !s.behind() {
			return Bad
		}
		return Partition
	case s.topics > 0:
		return s.topic(item, Topic)
	}
	return s.end()
}

// acknowledged reads the topics of a Produce response, and the throttle time behind them.
func (s *Straight) acknowledged(item *Item) Status {
	switch {
	case s.parts > 0:
		return s.acknowledgement(item)
	case s.topics > 0:
		return s.topic(item, Topic)
	}
	if s.version >= 1 {
		b := s.take(4)
		if b == nil {
			return Bad
		}
		s.ThrottleTimeMs = int32(binary.BigEndian.Uint32(b))
	}
	return s.end()
}

func (s *Straight) acknowledgement(item *Item) Status {
	size := 14
	if s.version >= 2 {
		size += 8 // LogAppendTimeMs
	}
	if s.version >= 5 {
		size += 8 // LogStartOffset
	}
	b := s.take(size)
	if b == nil {
		return Bad
	}
	*item = noPartition
	item.Index = int32(binary.BigEndian.Uint32(b))
	item.ErrorCode = int16(binary.BigEndian.Uint16(b[4:]))
	item.BaseOffset = int64(binary.BigEndian.Uint64(b[6:]))
	if s.version >= 5 {
		item.LogStartOffset = int64(binary.BigEndian.Uint64(b[22:]))
	}
	if s.version >= 8 { // RecordErrors, ErrorMessage
		if n, ok := s.count(); !ok || n > 0 {
			return Bad
		}
		if n, ok := s.length(2); !ok || n >= 0 {
			return Bad
		}
	}
	if !s.behind() {
		return Bad
	}
	return Partition
}
