package session

import (
	"bytes"
	"encoding/binary"
)

// Most places in a stream cannot begin a frame. They are passed in steps of eight bytes, or of as many as have no
// such byte, whatever the stream is full of: zeros, text, noise.

// nextAsked gives the next place from p on and before end where a length that is not 0 is followed by a byte 0, as by
// the high byte of an API key or legacy type; end where there is none. b goes on for 8 bytes behind end at least.
func nextAsked(b []byte, p, end int) int {
	for p < end {
		if b[p+4] != 0 {
			i := bytes.IndexByte(b[p+4:end+4], 0)
			if i < 0 {
				return end
			}
			p += i
		}
		if binary.BigEndian.Uint64(b[p:]) != 0 {
			return p
		}
		p += 5 // where eight bytes are 0, so are five lengths
	}
	return end
}

// nextAnswer gives the next place from p on where a length of 4 or more is followed by a correlation id from low to
// high; len(b) where there is none.
func nextAnswer(b []byte, p int, low, high int32) int {
	end := len(b) - 7
	top, alike := byte(low>>24), low>>24 == high>>24
	for p < end {
		if alike && b[p+4] != top {
			i := bytes.IndexByte(b[p+4:end+4], top)
			if i < 0 {
				break
			}
			p += i
		}
		head := binary.BigEndian.Uint64(b[p:])
		switch id := int32(head); {
		case head == 0:
			p += 5
		case int32(head>>32) < 4 || id < low || id > high:
			p++
		default:
			return p
		}
	}
	return len(b)
}
