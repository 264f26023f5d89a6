package decode

import "encoding/binary"

// Straight reads Produce and Fetch messages that lie in one piece and are as nearly all are: nothing is wrong or
// tolerated, nothing is tagged, no partition has an error message. What it tells a View tells alike; whatever is
// not so it gives up, and a View must read the message from its beginning. It saves the View's plan, levels and
// faults, and the asking for each item: most of the time that a small message takes. The zero value is ready.
type Straight struct {
	Facts
	// Parts are the partitions that the message is about, Drops those that a Fetch request forgets of a session:
	// in order, valid until the next Read.
	Parts, Drops []Piece
	layout       *layout
}

// Piece is what a message says about a partition: as a View's Item, without what nobody asks a Straight for.
// (32 bits are enough: no frame is larger.)
type Piece struct {
	Topic            int32 // where the topic's name or id begins in the body
	Size             int32 // of the name, -1 of an id
	Index            int32
	MaxBytes         int32
	Records          int32 // where the record set begins in the body
	Length           int32 // its bytes; -1 where it is null or the message has none
	FetchOffset      int64
	HighWatermark    int64
	LastStableOffset int64
	ErrorCode        int16
}

// Name is the name of the topic, nil where it has an id.
func (x *Piece) Name(body []byte) []byte {
	if x.Size < 0 {
		return nil
	}
	return body[x.Topic : x.Topic+x.Size]
}

// ID is the id of the topic, which must have one.
func (x *Piece) ID(body []byte) *[16]byte { return (*[16]byte)(body[x.Topic:]) }

// layout is how the messages of a version lie: looked up once, so that no field asks for the version again.
type layout struct {
	known         bool
	flexible      bool
	ids           bool // topics have ids, not names
	transactional bool // a TransactionalId comes first
	which         which
	behind        behind
	lead          int // bytes of fixed size before the topics
	fixed         int // bytes of fixed size that a partition begins with
	// Of a partition: where FetchOffset begins in a request, LastStableOffset in a response, 0 where there is none.
	at int
	// replica is how many bytes of PreferredReadReplica stand behind the aborted transactions.
	replica int
}

// which is one of the four messages.
type which uint8

const (
	produceRequest which = iota
	produceResponse
	fetchRequest
	fetchResponse
)

// behind is what follows the fixed part of a partition.
type behind uint8

const (
	nothing     behind = iota
	plainErrors        // RecordErrors and ErrorMessage
	aborted            // AbortedTransactions, PreferredReadReplica and records
	onlyRecords
)

// layouts are those of each API, kind and version.
var layouts = func() (all [2][2][32]layout) {
	for version := range int16(19) {
		if version <= 13 {
			all[0][Request][version] = layoutOf(produceRequest, version, 9)
			all[0][Response][version] = layoutOf(produceResponse, version, 9)
		}
		all[1][Request][version] = layoutOf(fetchRequest, version, 12)
		all[1][Response][version] = layoutOf(fetchResponse, version, 12)
	}
	return all
}()

func layoutOf(m which, version, flexible int16) layout {
	f := layout{known: true, flexible: version >= flexible, ids: version >= 13, which: m}
	since := func(first int16, n int) int {
		if version >= first {
			return n
		}
		return 0
	}
	switch m {
	case produceRequest:
		f.lead, f.fixed, f.transactional, f.behind = 6, 4, version >= 3, onlyRecords
	case produceResponse: // LogAppendTimeMs, LogStartOffset
		f.fixed, f.behind = 14+since(2, 8)+since(5, 8), behind(since(8, int(plainErrors)))
	case fetchRequest:
		f.lead = 12 - since(15, 4) + since(3, 4) + since(4, 1) + since(7, 8)
		f.fixed = 16 + since(9, 4) + since(12, 4) + since(5, 8)
		f.at = 4 + since(9, 4)
	case fetchResponse:
		f.lead = since(1, 4) + since(7, 6)
		f.fixed = 14 + since(4, 8) + since(5, 8)
		if f.behind = onlyRecords; version >= 4 {
			f.behind = aborted
		}
		f.at, f.replica = since(4, 14), since(11, 4)
	}
	return f
}

// gaveUp is where a message goes on that a View must read: a place before all bytes, so that the test for the
// end of the body finds it too.
const gaveUp = -1

// Read reads the message that begins at an offset of a frame's body, all of which is there. Where it says false it
// gave up, perhaps after it told a part.
func (s *Straight) Read(key, version int16, kind Kind, body []byte, offset int) bool {
	if uint16(key) > 1 || uint16(version) >= uint16(len(layouts[0][0])) || len(body) > 1<<30 {
		return false
	}
	f := &layouts[key&1][kind&1][version]
	s.Facts, s.layout = noFacts, f
	s.Parts, s.Drops = s.Parts[:0], s.Drops[:0]
	p := offset
	if f.transactional {
		p = s.transactionalID(body, p)
	}
	if !f.known || uint(p) > uint(len(body)) || len(body)-p < f.lead {
		return false
	}
	switch head := body[p:]; f.which {
	case produceRequest:
		s.Acks = int16(binary.BigEndian.Uint16(head))
	case fetchRequest:
		s.fetches(head, version)
	case fetchResponse:
		s.answers(head, version)
	}
	p = s.topics(f, body, p+f.lead)
	switch f.which {
	case produceResponse:
		p = s.throttle(body, p, version)
	case fetchRequest:
		p = s.fetchTail(body, p, version)
	}
	return s.tags(body, p) == len(body)
}

// topics reads an array of topics, each with an array of partitions. As all that follows, it gives where it ends.
// Nothing that most messages have is read by a function of its own: around each call all that is at hand would be
// saved and loaded again, which takes longer than what is done here.
func (s *Straight) topics(f *layout, b []byte, p int) int {
	var n, m int
	if f.flexible && short(b, p) {
		n, p = int(b[p])-1, p+1
	} else {
		n, p = s.count(b, p)
	}
	if n < 0 {
		return gaveUp
	}
	for ; n > 0; n-- {
		topic, size := p, -1
		if f.ids {
			p += 16
		} else if size, topic, p = s.name(b, p); p < 0 {
			return gaveUp
		}
		if f.flexible && short(b, p) {
			m, p = int(b[p])-1, p+1
		} else {
			m, p = s.count(b, p)
		}
		if m < 0 {
			return gaveUp
		}
		for ; m > 0; m-- {
			if uint(p) > uint(len(b)) || len(b)-p < f.fixed {
				return gaveUp
			}
			x := add(&s.Parts)
			x.Topic, x.Size, x.Length = int32(topic), int32(size), -1
			switch here := b[p:]; f.which {
			case produceRequest:
				x.produced(here)
			case produceResponse:
				x.acknowledged(here)
			case fetchRequest:
				x.asked(here[:f.fixed], f)
			default:
				x.fetched(here, f)
			}
			p += f.fixed
			switch f.behind {
			case nothing:
			case plainErrors:
				if uint(p)+1 < uint(len(b)) && b[p] == 1 && b[p+1] == 0 {
					p += 2
				} else {
					p = s.noErrors(b, p)
				}
			case aborted:
				p = s.aborted(b, p)
				fallthrough
			default:
				var size int
				if f.flexible && short(b, p) {
					size, p = int(b[p])-1, p+1
				} else {
					size, p = s.size(b, p, 4)
				}
				if p < 0 || size > len(b)-p {
					return gaveUp
				}
				x.Records, x.Length = int32(p), int32(size)
				p += max(size, 0)
			}
			if f.flexible { // no tagged fields
				if uint(p) >= uint(len(b)) || b[p] != 0 {
					return gaveUp
				}
				p++
			}
		}
		if f.flexible {
			if uint(p) >= uint(len(b)) || b[p] != 0 {
				return gaveUp
			}
			p++
		}
	}
	return p
}

// short says whether a varint of one byte is at p, as nearly all are.
func short(b []byte, p int) bool { return uint(p) < uint(len(b)) && b[p] < 0x80 }

// add makes a piece more. What is in it is of another one: all of it must be set.
func add(to *[]Piece) *Piece {
	n := len(*to)
	if n == cap(*to) {
		*to = append(*to, Piece{})
	} else {
		*to = (*to)[:n+1]
	}
	return &(*to)[n]
}

// tags reads the tagged fields of a struct, of which there must be none.
func (s *Straight) tags(b []byte, p int) int {
	switch {
	case !s.layout.flexible:
		return p
	case uint(p) < uint(len(b)) && b[p] == 0:
		return p + 1
	}
	return gaveUp
}

// count reads the number of elements of an array that is not null. Each takes a byte at least.
func (s *Straight) count(b []byte, p int) (n, end int) {
	if n, end = s.size(b, p, 4); uint(n) > maxElements {
		return 0, gaveUp
	}
	return n, end
}

// name reads a string that is not null: its length, where it begins and where it ends.
func (s *Straight) name(b []byte, p int) (n, at, end int) {
	n, at = s.size(b, p, 2)
	if at < 0 || uint(n) > maxString || n > len(b)-at || invalidUTF8(b[at:at+n]) >= 0 {
		return 0, 0, gaveUp
	}
	return n, at, at + n
}

// size reads the length of a string (of 2 bytes) or of anything else (of 4), or a varint without superfluous
// bytes: -1 is null. Where it gives up the length is 0.
func (s *Straight) size(b []byte, p, width int) (n, end int) {
	switch {
	case uint(p) > uint(len(b)):
		return 0, gaveUp
	case s.layout.flexible && short(b, p):
		return int(b[p]) - 1, p + 1
	case s.layout.flexible:
		return varint(b, p)
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

// varint reads an unsigned varint of 32 bits, less one.
func varint(b []byte, p int) (n, end int) {
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
