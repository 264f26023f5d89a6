package decode

import "encoding/binary"

// Straight reads Produce and Fetch messages that lie in one piece and are as nearly all are: nothing is wrong or
// tolerated, nothing is tagged, no partition has an error message. What it tells a View tells alike, and of
// whatever is not so it says Bad: then a View must read the message from its beginning. It saves a View's plan,
// levels and faults, three quarters of the time that a small message takes. The zero value is ready for Begin.
type Straight struct {
	Facts
	b        []byte
	p        int
	read     func(*Straight, *Item) Status // what comes next
	version  int16
	flexible bool
	ids      bool // topics have ids, not names
	topics   int  // to come
	parts    int  // of the topic, to come
}

// Begin starts the message that begins at an offset of a frame's body, all of which is there. It says false
// where a View must read it.
func (s *Straight) Begin(key, version int16, kind Kind, body []byte, offset int) bool {
	s.Facts = noFacts
	s.b, s.p, s.version, s.topics, s.parts = body, offset, version, 0, 0
	switch {
	case version < 0:
		return false
	case key == 0 && version <= 13:
		s.flexible, s.ids = version >= 9, version >= 13
		if kind == Request {
			s.read = (*Straight).produced
			return s.produceHead()
		}
		s.read = (*Straight).acknowledged
	case key == 1 && version <= 18:
		s.flexible, s.ids = version >= 12, version >= 13
		if kind == Request {
			s.read = (*Straight).asked
			return s.askHead()
		}
		s.read = (*Straight).fetched
		return s.fetchHead()
	default:
		return false
	}
	var ok bool
	s.topics, ok = s.count()
	return ok
}

// Next reads on to the next item: Topic, Partition, ForgottenTopic, Forgotten, End or Bad, nothing after these two.
func (s *Straight) Next(item *Item) Status { return s.read(s, item) }

// topic reads on to a topic or to what follows the last one; head of the partitions is left to the caller.
func (s *Straight) topic(item *Item, status Status) Status {
	s.topics--
	if s.ids {
		b := s.take(16)
		if b == nil {
			return Bad
		}
		*item = Item{ID: [16]byte(b)}
	} else {
		b, null := s.text()
		if null {
			return Bad
		}
		*item = Item{Name: b}
	}
	var ok bool
	if s.parts, ok = s.count(); !ok {
		return Bad
	}
	if s.parts == 0 && !s.tags() {
		return Bad
	}
	return status
}

// behind reads what is behind a partition: its tagged fields and, after the last one, the topic's.
func (s *Straight) behind() bool {
	s.parts--
	return s.tags() && (s.parts > 0 || s.tags())
}

// end is behind the last topic.
func (s *Straight) end() Status {
	if s.tags() && s.p == len(s.b) {
		return End
	}
	return Bad
}

// records reads the size of a record set and steps over it.
func (s *Straight) records(item *Item) bool {
	n, ok := s.length(4)
	if !ok || n > len(s.b)-s.p {
		return false
	}
	item.Records, item.Length = s.p, n
	s.p += max(n, 0)
	return true
}

// take gives the next n bytes, nil where they are not there.
func (s *Straight) take(n int) []byte {
	if len(s.b)-s.p < n {
		return nil
	}
	b := s.b[s.p : s.p+n : s.p+n]
	s.p += n
	return b
}

// tags reads the tagged fields of a struct, of which there must be none.
func (s *Straight) tags() bool {
	if !s.flexible {
		return true
	}
	if s.p >= len(s.b) || s.b[s.p] != 0 {
		return false
	}
	s.p++
	return true
}

// count reads the number of elements of an array that is not null. Each takes a byte at least.
func (s *Straight) count() (int, bool) {
	n, ok := s.length(4)
	return n, ok && n >= 0 && n <= maxElements
}

// text reads a string; null where it is null or not as it should be.
func (s *Straight) text() (b []byte, null bool) {
	n, ok := s.length(2)
	if !ok || n < 0 || n > maxString || n > len(s.b)-s.p {
		return nil, true
	}
	if n == 0 {
		return nil, false
	}
	b = s.take(n)
	return b, invalidUTF8(b) >= 0
}

// length reads the length of a string (of 2 bytes) or of anything else (of 4), or a varint: -1 is null.
func (s *Straight) length(size int) (int, bool) {
	if s.flexible {
		n, ok := s.uvarint()
		return n - 1, ok
	}
	b := s.take(size)
	if b == nil {
		return 0, false
	}
	n := int(int16(binary.BigEndian.Uint16(b)))
	if size == 4 {
		n = int(int32(binary.BigEndian.Uint32(b)))
	}
	return n, n >= -1
}

// uvarint reads an unsigned varint of 32 bits without superfluous bytes.
func (s *Straight) uvarint() (int, bool) {
	if s.p < len(s.b) && s.b[s.p] < 0x80 {
		s.p++
		return int(s.b[s.p-1]), true
	}
	x := 0
	for shift := 0; s.p < len(s.b); shift += 7 {
		b := s.b[s.p]
		if b == 0 || shift == 28 && b > 0x0f {
			return 0, false
		}
		s.p++
		x |= int(b&0x7f) << shift
		if b < 0x80 {
			return x, true
		}
	}
	return 0, false
}
