package decode

import (
	"encoding/binary"
	"math/bits"
)

// Pattern is how a Produce or Fetch message about one partition lay in its frame. One with the same bytes, but for the
// correlation id, the fields of fixed size of its partition and its records, says the same but for these: so nearly
// all of a frame need only be compared, which takes a tenth of the time of reading it, header, names and all. The
// zero value knows no message.
type Pattern struct {
	Facts  // of the message
	layout *layout
	api    uint32 // key and version of a request
	from   int    // where the same bytes begin
	at     int    // where the fixed part of the partition begins, which may differ
	// before is what stands from there to there, behind what stands behind that part, before a record set or the end.
	before, behind []byte
	same           [patternSize]byte // holds both
}

const patternSize = 96

// Learn takes over the message that was just read, of which body is the frame. False: nothing was learnt.
func (x *Pattern) Learn(s *Straight, body []byte) bool {
	f := s.layout
	if len(s.Parts) != 1 || len(s.Drops) > 0 {
		return false
	}
	piece := &s.Parts[0]
	at := int(piece.Topic) + max(int(piece.Size), 0) + 4
	if f.flexible {
		at -= 3
	}
	if f.ids {
		at += 16
	}
	from, end := 4, len(body)
	if f.which == produceRequest || f.which == fetchRequest {
		from = 8
	}
	if f.sets() {
		if piece.Length < 0 {
			return false
		}
		if end = int(piece.Records) - 4; f.flexible {
			end = int(piece.Records) - (bits.Len32(uint32(piece.Length+1))+6)/7
		}
	}
	before, behind := body[from:at], body[at+f.fixed:end]
	if len(before)+len(behind) > patternSize {
		return false
	}
	x.Facts, x.layout, x.from, x.at = s.Facts, f, from, at
	x.api = binary.BigEndian.Uint32(body)
	both := append(append(x.same[:0], before...), behind...)
	x.before, x.behind = both[:len(before)], both[len(before):]
	return true
}

// sets says whether the message brings record sets.
func (f *layout) sets() bool { return f.which == produceRequest || f.which == fetchResponse }

// Read reads a frame that is like the pattern. All of the piece is set but its topic, which is that of the pattern.
// Of a response the caller knows that it has the same key and version.
func (x *Pattern) Read(body []byte, to *Piece) bool {
	f := x.layout
	if f == nil || len(body) < x.at+f.fixed+len(x.behind) || x.from == 8 && binary.BigEndian.Uint32(body) != x.api ||
		string(body[x.from:x.at]) != string(x.before) {
		return false
	}
	here := body[x.at:]
	p := f.fixed
	if len(x.behind) > 0 {
		if p += len(x.behind); string(here[f.fixed:p]) != string(x.behind) {
			return false
		}
	}
	rest := here[p:]
	if !f.sets() {
		if to.Records, to.Length = 0, -1; len(rest) > 0 {
			return false
		}
	} else {
		n, width := -1, 4
		switch {
		case !f.flexible && len(rest) >= 4:
			n = int(int32(binary.BigEndian.Uint32(rest)))
		case f.flexible && len(rest) >= 6: // a length of up to 21 bits, and no tagged fields behind the records
			n, width = int(rest[0]), 1
			if n >= 0x80 {
				n, width = n&0x7f|int(rest[1])<<7, 2
				if n >= 0x80<<7 {
					n, width = n&(1<<14-1)|int(rest[2])<<14, 3
				}
			}
			if len(rest)-width < 3 || rest[width-1] == 0 || rest[width-1] > 0x7f || rest[len(rest)-3]|rest[len(rest)-2]|rest[len(rest)-1] != 0 {
				return false
			}
			n--
			rest = rest[:len(rest)-3]
		default:
			return false
		}
		if n != len(rest)-width {
			return false
		}
		to.Records, to.Length = int32(x.at+p+width), int32(n)
	}
	switch f.which {
	case produceRequest:
		to.produced(here)
	case produceResponse:
		to.acknowledged(here)
	case fetchRequest:
		to.asked(here[:f.fixed], f)
	default:
		to.fetched(here, f)
	}
	return true
}
