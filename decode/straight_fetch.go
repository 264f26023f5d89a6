package decode

import "encoding/binary"

// askHead reads what is before the topics of a Fetch request.
func (s *Straight) askHead() bool {
	if s.version < 15 {
		b := s.take(4)
		if b == nil {
			return false
		}
		s.ReplicaID = int32(binary.BigEndian.Uint32(b))
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
	b := s.take(size)
	if b == nil {
		return false
	}
	s.MaxWaitMs, s.MinBytes = int32(binary.BigEndian.Uint32(b)), int32(binary.BigEndian.Uint32(b[4:]))
	if s.version >= 3 {
		s.MaxBytes = int32(binary.BigEndian.Uint32(b[8:]))
	}
	if s.version >= 4 {
		s.IsolationLevel = int8(b[12])
	}
	if s.version >= 7 {
		s.SessionID, s.SessionEpoch = int32(binary.BigEndian.Uint32(b[13:])), int32(binary.BigEndian.Uint32(b[17:]))
	}
	var ok bool
	s.topics, ok = s.count()
	return ok
}

// asked reads the topics of a Fetch request.
func (s *Straight) asked(item *Item) Status {
	switch {
	case s.parts > 0:
		return s.askedFor(item)
	case s.topics > 0:
		return s.topic(item, Topic)
	case s.version < 7:
		return s.end()
	}
	var ok bool
	if s.topics, ok = s.count(); !ok {
		return Bad
	}
	s.read = (*Straight).forgotten
	return s.forgotten(item)
}

func (s *Straight) askedFor(item *Item) Status {
	at := 4 // of the offset
	if s.version >= 9 {
		at += 4 // CurrentLeaderEpoch
	}
	start := at + 8
	if s.version >= 12 {
		start += 4 // LastFetchedEpoch
	}
	size := start
	if s.version >= 5 {
		size += 8
	}
	b := s.take(size + 4)
	if b == nil {
		return Bad
	}
	*item = noPartition
	item.Index = int32(binary.BigEndian.Uint32(b))
	item.FetchOffset = int64(binary.BigEndian.Uint64(b[at:]))
	if s.version >= 5 {
		item.LogStartOffset = int64(binary.BigEndian.Uint64(b[start:]))
	}
	item.MaxBytes = int32(binary.BigEndian.Uint32(b[size:]))
	if !s.behind() {
		return Bad
	}
	return Partition
}

// forgotten reads the topics that a Fetch request drops from its session, and the rack behind them.
func (s *Straight) forgotten(item *Item) Status {
	switch {
	case s.parts > 0:
		b := s.take(4)
		if b == nil {
			return Bad
		}
		*item = Item{Index: int32(binary.BigEndian.Uint32(b))}
		if s.parts--; s.parts == 0 && !s.tags() {
			return Bad
		}
		return Forgotten
	case s.topics > 0:
		return s.topic(item, ForgottenTopic)
	}
	if s.version >= 11 {
		if _, null := s.text(); null {
			return Bad
		}
	}
	return s.end()
}

// fetchHead reads what is before the topics of a Fetch response.
func (s *Straight) fetchHead() bool {
	size := 0
	if s.version >= 1 {
		size += 4
	}
	if s.version >= 7 {
		size += 6
	}
	b := s.take(size)
	if b == nil {
		return false
	}
	if s.version >= 1 {
		s.ThrottleTimeMs = int32(binary.BigEndian.Uint32(b))
	}
	if s.version >= 7 {
		s.ErrorCode, s.SessionID = int16(binary.BigEndian.Uint16(b[4:])), int32(binary.BigEndian.Uint32(b[6:]))
	}
	var ok bool
	s.topics, ok = s.count()
	return ok
}

// fetched reads the topics of a Fetch response.
func (s *Straight) fetched(item *Item) Status {
	switch {
	case s.parts > 0:
		return s.fetch(item)
	case s.topics > 0:
		return s.topic(item, Topic)
	}
	return s.end()
}

func (s *Straight) fetch(item *Item) Status {
	size := 14
	if s.version >= 4 {
		size += 8
	}
	if s.version >= 5 {
		size += 8
	}
	b := s.take(size)
	if b == nil {
		return Bad
	}
	*item = noPartition
	item.Index = int32(binary.BigEndian.Uint32(b))
	item.ErrorCode = int16(binary.BigEndian.Uint16(b[4:]))
	item.HighWatermark = int64(binary.BigEndian.Uint64(b[6:]))
	if s.version >= 4 {
		item.LastStableOffset = int64(binary.BigEndian.Uint64(b[14:]))
	}
	if s.version >= 5 {
		item.LogStartOffset = int64(binary.BigEndian.Uint64(b[22:]))
	}
	if s.version >= 4 && !s.aborted() {
		return Bad
	}
	if s.version >= 11 && s.take(4) == nil { // PreferredReadReplica
		return Bad
	}
	if !s.records(item) || !s.behind() {
		return Bad
	}
	return Partition
}

// aborted steps over the aborted transactions: two numbers each.
func (s *Straight) aborted() bool {
	n, ok := s.length(4)
	if !ok || n > maxElements {
		return false
	}
	for ; n > 0; n-- {
		if s.take(16) == nil || !s.tags() {
			return false
		}
	}
	return true
}
