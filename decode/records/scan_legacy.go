package records

import (
	"encoding/binary"

	"ksniff/decode"
)

// legacyEntry takes one message of a legacy set.
func (s *Scanner) legacyEntry(b []byte, rest int) (step, need int) {
	if want := min(rest, legacy.head+2); len(b) < want {
		return 0, want
	}
	if rest < legacy.head {
		return s.partial(rest, legacy.head), 0
	}
	length := int(int32(binary.BigEndian.Uint32(b)))
	if length < 0 {
		s.wrong(fault(decode.BadLength, s.pos, 0, length))
		return s.stop(rest), 0
	}
	size := legacy.head + length
	if size > rest {
		return s.partial(rest, size), 0
	}
	if length < legacy.min {
		s.wrong(fault(decode.BadLength, s.pos, legacy.min, length))
		return size, 0
	}
	s.batch = Batch{Pos: s.pos, Size: size, Magic: int8(b[4])}
	if s.batch.Magic < 0 || s.batch.Magic > 1 {
		s.wrong(fault(decode.BadMagic, s.pos+legacy.head, 1, int(s.batch.Magic)))
		return size, 0
	}
	if least := legacy.min + int(s.batch.Magic); length < least {
		s.wrong(fault(decode.BadLength, s.pos, least, length))
		return size, 0
	}
	if s.batch.Magic == 1 {
		s.batch.Codec = Codec(b[5] & 3)
	}
	s.known = true
	if (s.opt.Deep || s.batch.Codec != None) && size <= MaxOpen {
		if len(b) < size {
			return 0, size
		}
		s.whole(b[:size])
		return size, 0
	}
	s.fromHead()
	if s.opt.Deep || s.batch.Codec != None {
		s.wrong(fault(decode.TooLarge, s.pos, MaxOpen, size))
	}
	return size, 0
}

// wrong notes a fault.
func (s *Scanner) wrong(f decode.Fault) {
	if s.opt.Legacy && !s.opt.Exact {
		f.Tolerated = true
	}
	s.Summary.wrong(f)
}
