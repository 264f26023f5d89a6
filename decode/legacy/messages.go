package legacy

import (
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"strconv"

	"ksniff/decode"
	"ksniff/decode/records"
)

// maxOpen bounds what the compressed messages of one set may decompress to, all levels together.
const maxOpen = records.MaxBatch

// setWriter writes message sets.
type setWriter struct {
	json     *JSON
	left     int  // bytes that may still be decompressed
	anywhere bool // the set is an answer's, which begins where the request asked: what is wrong in it is tolerated
	trailing int  // bytes at the end of the set that are no message
	badSize  bool // because a size is negative
	need     int  // bytes that the cut message asked for
}

// messages writes the list of a set's messages. offset is the set's place in the body or, of a set that was
// compressed, that of the message which held it.
func (s *setWriter) messages(dst, set []byte, offset, depth int) []byte {
	dst = append(dst, '[')
	s.trailing, s.badSize = 0, false
	for pos := 0; pos < len(set); {
		here := offset
		if depth == 0 {
			here += pos
		}
		rest := set[pos:]
		if len(rest) < 4 {
			s.trailing, s.need = len(rest), 4
			break
		}
		size := int(int32(binary.BigEndian.Uint32(rest)))
		if size < 0 {
			s.trailing, s.badSize = len(rest), true
			s.wrong(broken(decode.BadLength, here, 0, size))
			break
		}
		if size > len(rest)-4 {
			s.trailing, s.need = len(rest), 4+size
			break
		}
		w := object{dst: dst}
		w.element(pos)
		w.number("pos", int64(pos))
		w.number("size", int64(size))
		s.message(&w, rest[4:4+size], here, depth)
		dst = append(w.dst, '}')
		pos += 4 + size
	}
	return append(dst, ']')
}

func (s *setWriter) wrong(f decode.Fault) {
	f.Tolerated = f.Tolerated || s.anywhere
	s.json.wrong(f)
}

// message writes one message after its pos and size.
func (s *setWriter) message(w *object, m []byte, offset, depth int) {
	magic := -1
	if len(m) > 0 {
		magic = int(int8(m[0]))
		w.number("magic", int64(magic))
	}
	switch {
	case len(m) > 0 && (magic < 0 || magic > 1):
		s.wrong(broken(decode.BadMagic, offset+4, 1, magic))
		s.unreadable(w, "unknown magic", m)
		return
	case len(m) == 0 || len(m) < 5+magic:
		s.wrong(broken(decode.BadLength, offset, 5+max(magic, 0), len(m)))
		s.unreadable(w, "shorter than its header", m)
		return
	}
	codec := records.None
	if magic == 1 {
		codec = records.Codec(m[1] & 3)
		w.number("attributes", int64(m[1]))
	} else {
		w.name("attributes")
		w.dst = append(w.dst, "null"...)
	}
	at := 5 + magic
	crc, payload := binary.BigEndian.Uint32(m[at-4:]), m[at:]
	switch {
	case codec > records.Snappy:
		w.text("codec", "unknown(3)")
	default:
		w.text("codec", codec.String())
	}
	computed := crc32.ChecksumIEEE(payload)
	w.number("crc", int64(crc))
	w.name("crc_ok")
	w.dst = strconv.AppendBool(w.dst, crc == computed)
	s.bytes(w, "payload", payload)
	if crc != computed {
		f := broken(decode.CRCMismatch, offset+at, int(crc), int(computed))
		f.Tolerated = true
		s.wrong(f)
	}
	switch {
	case codec > records.Snappy:
		s.wrong(broken(decode.BadCodec, offset+5, int(records.Snappy), int(codec)))
	case codec != records.None:
		s.nested(w, codec, payload, offset, depth)
	}
}

// nested opens a compressed message. Its trailing bytes are its own.
func (s *setWriter) nested(w *object, codec records.Codec, payload []byte, offset, depth int) {
	if depth >= records.MaxDepth {
		s.limit(w, decode.TooDeep, offset, records.MaxDepth, depth+1)
		return
	}
	set, code := records.Inflate(nil, payload, codec, 1, s.left)
	s.left -= len(set)
	if code == decode.TooLarge {
		s.limit(w, code, offset, maxOpen, len(set))
		return
	}
	if code != 0 {
		s.wrong(broken(decode.DecompressError, offset, len(payload), len(set)))
		w.name("decompress_error")
		w.dst = append(w.dst, "true"...)
		return
	}
	w.number("uncompressed_size", int64(len(set)))
	w.name("nested")
	outer := *s
	w.dst = s.messages(w.dst, set, offset, depth+1)
	if s.trailing > 0 {
		w.number("nested_trailing_bytes", int64(s.trailing))
		if !s.badSize {
			f := broken(decode.Truncated, offset, s.need, s.trailing)
			f.Tolerated = true
			s.wrong(f)
		}
	}
	s.trailing, s.badSize, s.need = outer.trailing, outer.badSize, outer.need
}

// limit says that ksniff does not look into a message.
func (s *setWriter) limit(w *object, code decode.Code, offset, need, have int) {
	s.wrong(decode.Fault{Code: code, Class: decode.Limit, Offset: offset, Need: need, Have: have, Node: -1})
	w.text("error", code.String())
}

func (s *setWriter) unreadable(w *object, why string, m []byte) {
	w.text("error", why)
	s.bytes(w, "raw", m)
}

// bytes writes name_hex or, where payload is not to be shown, name_size.
func (s *setWriter) bytes(w *object, name string, b []byte) {
	if !s.json.Payload {
		w.number(name+"_size", int64(len(b)))
		return
	}
	w.name(name + "_hex")
	w.dst = append(hex.AppendEncode(append(w.dst, '"'), b), '"')
}
