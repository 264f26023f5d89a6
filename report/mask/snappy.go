package mask

import (
	"bytes"
	"encoding/binary"

	"github.com/golang/snappy"
	"github.com/klauspost/compress/s2"
)

// xerial begins snappy-java's framing: 16 bytes, then blocks with their length in front.
const (
	xerial     = "\x82SNAPPY\x00"
	xerialHead = 16
)

// packSnappy fills up by cutting elements of the encoding into smaller ones.
func packSnappy(plain, old []byte) ([]byte, bool) {
	var head []byte
	if bytes.HasPrefix(old, []byte(xerial)) && len(old) >= xerialHead+4 {
		head = append(head, old[:xerialHead]...)
		head = binary.BigEndian.AppendUint32(head, uint32(len(old)-xerialHead-4))
	}
	want := len(old) - len(head)
	block := snappy.Encode(nil, plain)
	if len(block) > want {
		block = s2.EncodeSnappyBest(nil, plain)
	}
	block, ok := stretch(block, plain, want)
	return append(head, block...), ok
}

// stretch makes the encoding of plain want bytes long. A literal cut in two takes a byte more; a copy whose
// first byte becomes a literal takes two more, and a short copy in its longer form one more.
func stretch(block, plain []byte, want int) ([]byte, bool) {
	pad := want - len(block)
	if pad < 0 {
		return nil, false
	}
	_, n := binary.Uvarint(block)
	out := append(make([]byte, 0, want), block[:n]...)
	block = block[n:]
	literals, copies, short := room(block)
	single := pad % 2 // the bytes that come one by one
	pairs := min(pad-single, copies) / 2
	single = pad - 2*pairs
	if single > literals+short {
		return nil, false
	}
	for len(block) > 0 {
		size, length, literal := element(block)
		if size > len(block) || length > len(plain) {
			return nil, false
		}
		this := block[:size]
		block = block[size:]
		if literal {
			for ; single > 0 && length > 1 && length <= maxShort; length-- {
				out, plain, single = append(out, 0, plain[0]), plain[1:], single-1
			}
			out = appendLiteral(out, plain[:length])
			plain = plain[length:]
			continue
		}
		if this[0]&3 == 1 && single > literals { // what literals cannot give
			this, single = []byte{byte(length-1)<<2 | 2, this[1], this[0] >> 5}, single-1
		}
		if this[0]&3 == 2 {
			for ; pairs > 0 && length > 1; length-- {
				out, plain, pairs = append(out, 0, plain[0]), plain[1:], pairs-1
			}
			this = []byte{byte(length-1)<<2 | 2, this[1], this[2]}
		}
		out = append(out, this...)
		plain = plain[length:]
	}
	return out, len(out) == want && len(plain) == 0
}

// maxShort is the longest literal with its length in the tag.
const maxShort = 60

// room says how many bytes the elements of an encoding can grow: by cutting literals, by cutting copies (an
// even number), by longer forms of short copies.
func room(block []byte) (literals, copies, short int) {
	for len(block) > 0 {
		size, length, literal := element(block)
		switch {
		case literal && length <= maxShort:
			literals += length - 1
		case literal:
		case block[0]&3 == 2:
			copies += 2 * (length - 1)
		case block[0]&3 == 1:
			short++
		}
		block = block[min(size, len(block)):]
	}
	return literals, copies, short
}

// element gives the bytes of the next element and the bytes that it stands for.
func element(b []byte) (size, length int, literal bool) {
	switch tag := int(b[0]); tag & 3 {
	case 0:
		length, size = tag>>2+1, 1
		if extra := length - 60; extra > 0 && len(b) > extra {
			length = 0
			for i := extra; i > 0; i-- {
				length = length<<8 | int(b[i])
			}
			length, size = length+1, size+extra
		}
		return size + length, length, true
	case 1:
		return 2, tag>>2&7 + 4, false
	case 2:
		return 3, tag>>2 + 1, false
	default:
		return 5, tag>>2 + 1, false
	}
}

func appendLiteral(b, literal []byte) []byte {
	switch n := len(literal) - 1; {
	case n < 60:
		b = append(b, byte(n)<<2)
	case n < 1<<8:
		b = append(b, 60<<2, byte(n))
	case n < 1<<16:
		b = append(b, 61<<2, byte(n), byte(n>>8))
	default:
		b = append(b, 62<<2, byte(n), byte(n>>8), byte(n>>16))
	}
	return append(b, literal...)
}
