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
	layout *layout
	api    uint32 // key and version of a request
	from   int32  // where the same bytes begin
	at     int32  // where the fixed part of the partition begins, which may differ
	least  int32  // bytes of such a message
	// same is what stands from there to there and, from behind on, what stands behind that part, before a record set or
	// the end; all is its size.
	behind, all int32
	same        [patternSize]byte
	Facts       // of the message
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
	x.Facts, x.layout, x.from, x.at = s.Facts, f, int32(from), int32(at)
	x.api = binary.BigEndian.Uint32(body)
	x.behind = int32(copy(x.same[:], before))
	x.all = x.behind + int32(copy(x.same[x.behind:], behind))
	x.least = int32(at + f.fixed + len(behind))
	return true
}

// sets says whether the message brings record sets.
func (f *layout) sets() bool { return f.which == produceRequest || f.which == fetchResponse }

// Read reads a frame that is like the pattern. All of the piece is set but its topic, which is that of the pattern.
// Of a response the caller knows that it has the same key and version.
func (x *Pattern) Read(body []byte, to *Piece) bool {
	f, least := x.layout, int(x.least)
	if f == nil || len(body) < least || x.from == 8 && binary.BigEndian.Uint32(body) != x.api ||
		string(body[x.from:x.at]) != string(x.same[:x.behind]) {
		return false
	}
	if behind := x.same[x.behind:x.all]; len(behind) > 0 && string(body[least-len(behind):least]) != string(behind) {
		return false
	}
	if !f.sets() {
		if to.Records, to.Length = 0, -1; len(body) > least {
			return false
		}
	} else if width, n := f.records(body[least:]); width > 0 {
		to.Records, to.Length = int32(least+width), int32(n)
	} else {
		return false
	}
	switch here := body[x.at:]; f.which {
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

// records says how long the length of the records is that a message ends with, and how long they are: up to 2 MiB, with
// no tagged fields behind them. A width of 0: it must be read otherwise.
func (f *layout) records(b []byte) (width, n int) {
	if !f.flexible {
		if n = len(b) - 4; n < 0 || n != int(int32(binary.BigEndian.Uint32(b))) {
			return 0, 0
		}
		return 4, n
	}
	// Three empty sets of tagged fields stand behind the records, so the size of the rest tells what their length must be:
	// one more, in the fewest bytes.
	if len(b) < 6 || binary.LittleEndian.Uint32(b[len(b)-4:])&^0xff != 0 {
		return 0, 0
	}
	if l := len(b) - 3; l < 0x80 {
		if b[0] == byte(l) {
			return 1, l - 1
		}
	} else if l--; l < 0x4000 {
		if l >= 0x80 && b[0] == byte(l)|0x80 && b[1] == byte(l>>7) {
			return 2, l - 1
		}
	} else if l--; l >= 0x4000 && l < 0x200000 && b[0] == byte(l)|0x80 && b[1] == byte(l>>7)|0x80 && b[2] == byte(l>>14) {
		return 3, l - 1
	}
	return 0, 0
}
