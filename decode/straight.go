package decode

import "encoding/binary"

// Straight reads Produce and Fetch messages that lie in one piece and are as nearly all are: nothing is wrong or
// tolerated, nothing is tagged, no partition has an error message. What it tells a View tells alike; whatever is
// not so it gives up, and a View must read the message from its beginning. It saves the View's plan, levels and
// faults, and the asking for each item: most of the time that a small message takes. The zero value is ready.
type Straight struct {
	Facts
	item     Item
	version  int16
	flexible bool
	ids      bool // topics have ids, not names
}

// Told takes what a Straight reads, in order. Slices and items are valid during the call.
type Told interface {
	// Topic has a name or, where id is not nil, an id. Partitions of it follow, or forgotten ones.
	Topic(name []byte, id *[16]byte)
	// Partition is of the topic before. All fields are set as those of a View's item.
	Partition(item *Item)
	// Forgotten is a partition of the topic before, dropped from a fetch session.
	Forgotten(index int32)
}

// gaveUp is where a message goes on that a View must read.
const gaveUp = -1

// Read reads the message that begins at an offset of a frame's body, all of which is there. Where it says false it
// gave up, perhaps after it told a part.
func (s *Straight) Read(key, version int16, kind Kind, body []byte, offset int, to Told) bool {
	s.Facts = noFacts // one after the other: together they would be copied aside first
	s.item = noPartition
	s.version = version
	p := offset
	switch {
	case version < 0 || p > len(body):
		return false
	case key == 0 && version <= 13:
		s.flexible, s.ids = version >= 9, version >= 13
		if kind == Request {
			p = s.produceRequest(body, p, to)
		} else {
			p = s.produceResponse(body, p, to)
		}
	case key == 1 && version <= 18:
		s.flexible, s.ids = version >= 12, version >= 13
		if kind == Request {
			p = s.fetchRequest(body, p, to)
		} else {
			p = s.fetchResponse(body, p, to)
		}
	default:
		return false
	}
	return p >= 0 && s.tags(body, p) == len(body)
}

// topics reads an array of topics, each with an array of partitions that are read by partition (nil: numbers of
// forgotten ones). As all that follows, it gives where it ends.
func (s *Straight) topics(b []byte, p int, to Told, partition func(*Straight, []byte, int) int) int {
	n, p := s.count(b, p)
	for ; n > 0 && p >= 0; n-- {
		if s.ids {
			if len(b)-p < 16 {
				return gaveUp
			}
			to.Topic(nil, (*[16]byte)(b[p:]))
			p += 16
		} else {
			start := p
			size, at := s.size(b, p, 2)
			if p = s.text(b, start); p < 0 {
				return gaveUp
			}
			to.Topic(b[at:at+size:at+size], nil)
		}
		var m int
		for m, p = s.count(b, p); m > 0 && p >= 0; m-- {
			if partition == nil {
				if len(b)-p < 4 {
					return gaveUp
				}
				to.Forgotten(int32(binary.BigEndian.Uint32(b[p:])))
				p += 4
				continue
			}
			if p = partition(s, b, p); p < 0 {
				return gaveUp
			}
			if p = s.tags(b, p); p >= 0 {
				to.Partition(&s.item)
			}
		}
		p = s.tags(b, p)
	}
	return p
}

// tags reads the tagged fields of a struct, of which there must be none.
func (s *Straight) tags(b []byte, p int) int {
	switch {
	case !s.flexible:
		return p
	case uint(p) < uint(len(b)) && b[p] == 0:
		return p + 1
	}
	return gaveUp
}

// count reads the number of elements of an array that is not null. Each takes a byte at least.
func (s *Straight) count(b []byte, p int) (n, end int) {
	if n, end = s.size(b, p, 4); n < 0 || n > maxElements {
		return 0, gaveUp
	}
	return n, end
}

// text steps over a string that is not null.
func (s *Straight) text(b []byte, p int) int {
	n, p := s.size(b, p, 2)
	if p < 0 || n < 0 || n > maxString || n > len(b)-p || invalidUTF8(b[p:p+n]) >= 0 {
		return gaveUp
	}
	return p + n
}

// records reads the size of a record set and steps over it.
func (s *Straight) records(b []byte, p int) int {
	n, p := s.size(b, p, 4)
	if p < 0 || n > len(b)-p {
		return gaveUp
	}
	s.item.Records, s.item.Length = p, n
	return p + max(n, 0)
}

// size reads the length of a string (of 2 bytes) or of anything else (of 4), or a varint without superfluous
// bytes: -1 is null. Where it gives up the length is 0.
func (s *Straight) size(b []byte, p, width int) (n, end int) {
	switch {
	case p < 0:
		return 0, gaveUp
	case s.flexible && p < len(b) && b[p] < 0x80:
		return int(b[p]) - 1, p + 1
	case s.flexible:
		return wideVarint(b, p)
	case len(b)-p < width:
		return 0, gaveUp
	case width == 2:
		n = int(int16(binary.BigEndian.Uint16(b[p:])))
	default:
		n = int(int32(binary.BigEndian.Uint32(b[p:])))
	}
	if n < -1 {
		return 0, gaveUp
	}
	return n, p + width
}

// wideVarint reads an unsigned varint of 32 bits, less one.
func wideVarint(b []byte, p int) (n, end int) {
	x := 0
	for shift := 0; p < len(b); shift += 7 {
		c := b[p]
		if c == 0 || shift == 28 && c > 0x0f {
			return 0, gaveUp
		}
		p++
		x |= int(c&0x7f) << shift
		if c < 0x80 {
			return x - 1, p
		}
	}
	return 0, gaveUp
}
