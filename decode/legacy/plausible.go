package legacy

import (
	"encoding/binary"
	"unicode"
	"unicode/utf8"

	"ksniff/decode"
)

// Plausible judges whether a body of length bytes, of which b is the beginning, is a legacy request: its fields
// must tile the frame exactly, topics must be text, and message sets must begin with a message. A modern request
// has its version where the topic's length is and its correlation id where the topic's text is, so it fails.
// ok is the proof; where it is false, need > 0 asks for that many bytes of the body, and 0 is a no.
func Plausible(b []byte, length int) (ok bool, need int) {
	if length < 4 || length > MaxFrame {
		return false, 0
	}
	if len(b) < 2 {
		return false, 2
	}
	var v View
	v.Begin(decode.Request, int16(binary.BigEndian.Uint16(b)), length)
	for at := 0; ; {
		advance, more, state := v.Next(b[min(at, len(b)):])
		at += advance
		switch state {
		case More:
			if more > 2+maxTopic+16 {
				return false, 0
			}
			return false, at + more
		case Done:
			return !v.Faulty && v.entry > 0, 0
		}
		if !plainTopic(v.Part.Topic) || v.Part.Partition < -1 {
			return false, 0
		}
		if !v.plausibleEntry() {
			return false, 0
		}
		if v.Part.SetSize <= 0 {
			continue
		}
		if head := at + min(v.Part.SetSize, 6); len(b) < head {
			return false, head
		}
		if !plausibleSet(b[at:], v.Part.SetSize) {
			return false, 0
		}
		at += v.Part.SetSize
	}
}

// maxTopic is the longest topic that a 0.7.2 broker takes.
const maxTopic = 255

// plausibleEntry judges the numbers of a FETCH or OFFSETS entry; those of PRODUCE have a set to be judged by.
func (v *View) plausibleEntry() bool {
	switch v.typ {
	case Fetch, MultiFetch:
		return v.Part.Offset >= -2
	case Offsets:
		return v.Part.Offset >= -3
	}
	return true
}

// plainTopic says that a topic is text.
func plainTopic(topic []byte) bool {
	if len(topic) == 0 || len(topic) > maxTopic {
		return false
	}
	for len(topic) > 0 {
		r, n := utf8.DecodeRune(topic)
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return false
		}
		topic = topic[n:]
	}
	return true
}

// plausibleSet says that a set of size bytes begins with a message.
func plausibleSet(b []byte, size int) bool {
	if size < 4 {
		return false
	}
	n := int(int32(binary.BigEndian.Uint32(b)))
	return n >= 5 && n <= size-4 && b[4] <= 1
}
