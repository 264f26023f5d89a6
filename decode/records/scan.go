package records

import (
	"encoding/binary"

	"ksniff/decode"
)

// Options say how a Scanner or Reader takes a set.
type Options struct {
	Legacy bool // a message set of 0.6 or 0.7
	Deep   bool // decompress everything, check checksums, count records one by one
	Plain  bool // a Reader also opens batches of format 2 that are not compressed, without Deep
	// Exact is for sets of Produce requests: a partial batch at the end is a fault. In answers it is the cut that
	// brokers make; legacy ones may even begin anywhere, so that faults in them are tolerated.
	Exact bool
}

// Summary is what a record set holds.
type Summary struct {
	Bytes        int64    // of the set
	Batches      int64    // whole ones; messages of the old formats that stand alone are batches, as in Kafka's iterator
	Messages     int64    // records in whole batches, without control records
	Control      int64    // control records
	Codecs       [8]int64 // batches by codec
	Magic        [3]int64 // batches by format
	Uncompressed int64    // bytes that the set would have without compression; -1 unless Deep
	Trailing     int64    // bytes of a partial batch at the end
	Fault        decode.Fault
	Faulty       bool // Fault is set: the first thing that is wrong, also where it was tolerated
}

func (s *Summary) wrong(f decode.Fault) {
	if !s.Faulty {
		s.Fault, s.Faulty = f, true
	}
}

// Scanner adds up a record set whose bytes come in pieces and need not all come: what it does not need may
// be skipped. It allocates nothing, but for a pooled decompressor while a compressed batch is open.
type Scanner struct {
	Summary Summary
	opt     Options
	size    int
	pos     int // of the next batch in the set
	done    bool
	known   bool // batch has been read, and waits for the rest of its bytes
	batch   Batch
	opened  bool
	left    int // bytes that the set may still decompress to, once it was opened
}

// Begin starts on a set of size bytes. A set that was not read to its end is given up.
func (s *Scanner) Begin(size int, opt Options) {
	s.finish()
	*s = Scanner{opt: opt, size: max(size, 0)}
	s.Summary.Bytes = int64(s.size)
	s.Summary.Uncompressed = -1
	if opt.Deep {
		s.Summary.Uncompressed = 0
	}
	s.done = s.size == 0
}

// Next takes b, the set's bytes from the scanner's position on (more than the set may follow). The position
// moves on by advance, which may be more than len(b): those bytes need not be shown. Then, unless the set is
// done, at least need bytes from the new position on must be shown in the next call (or, where the capture
// lacks them, Missing is called). All advances together are the size of the set.
func (s *Scanner) Next(b []byte) (advance, need int, done bool) {
	for !s.done {
		rest := s.size - s.pos
		if rest == 0 {
			s.finish()
			break
		}
		var here []byte
		if advance < len(b) {
			here = b[advance:min(len(b), advance+rest)]
		}
		var step int
		if s.opt.Legacy {
			step, need = s.legacyEntry(here, rest)
		} else {
			step, need = s.entry(here, rest)
		}
		if need > 0 {
			return advance, need, false
		}
		s.known = false
		s.pos += step
		advance += step
	}
	return advance, 0, true
}

// Missing says that of the bytes that the last Next asked for n are not in the capture. It returns as Next
// does; the bytes that advance covers need not be shown, be they missing or not.
func (s *Scanner) Missing(n int) (advance int, done bool) {
	if s.done {
		return 0, true
	}
	rest := s.size - s.pos
	f := decode.Fault{Code: decode.Truncated, Class: decode.Incomplete, Offset: s.pos, Need: rest, Have: max(rest-n, 0), Node: -1}
	if !s.known {
		s.Summary.wrong(f)
		s.pos = s.size
		s.finish()
		return rest, true
	}
	f.Need, f.Have = s.batch.Size, max(s.batch.Size-n, 0)
	s.fromHead()
	if s.batch.Magic < 2 && s.batch.Codec != None {
		s.Summary.wrong(f) // how many messages are in it cannot be known
	}
	s.known = false
	s.pos += s.batch.Size
	if s.pos == s.size {
		s.finish()
	}
	return s.batch.Size, s.done
}

func (s *Scanner) finish() {
	s.done = true
}

// stop ends the set with what is left of it.
func (s *Scanner) stop(rest int) int {
	s.pos += rest
	s.finish()
	s.pos -= rest // Next adds it
	return rest
}

// partial ends the set with a batch that is not whole.
func (s *Scanner) partial(rest, need int) int {
	s.Summary.Trailing = int64(rest)
	if s.opt.Exact {
		f := fault(decode.Truncated, s.pos, need, rest)
		f.Tolerated = s.opt.Legacy // 0.7 brokers drop it and keep the rest
		s.Summary.wrong(f)
	}
	return s.stop(rest)
}

// entry takes one batch of the modern formats.
func (s *Scanner) entry(b []byte, rest int) (step, need int) {
	if want := min(rest, headV0); len(b) < want {
		return 0, want
	}
	size, f, bad := edge(b, rest, s.pos)
	if bad {
		s.Summary.wrong(f)
		return s.stop(rest), 0
	}
	if size == 0 {
		need := setHead
		if rest >= setHead {
			need += int(int32(binary.BigEndian.Uint32(b[8:])))
		}
		return s.partial(rest, need), 0
	}
	if b[magicAt] == 2 {
		if size < headV2 {
			s.Summary.wrong(fault(decode.BadLength, s.pos+8, headV2-setHead, size-setHead))
			return size, 0
		}
		if len(b) < headV2 {
			return 0, headV2
		}
		if !s.opt.Deep {
			s.head(b, size)
			return size, 0
		}
	}
	s.batch.parse(b, s.pos)
	s.known = true
	if (s.opt.Deep || s.batch.Magic < 2 && s.batch.Codec != None) && size <= MaxOpen {
		if len(b) < size {
			return 0, size
		}
		s.whole(b[:size])
		return size, 0
	}
	s.fromHead()
	if s.opt.Deep || s.batch.Magic < 2 && s.batch.Codec != None {
		s.Summary.wrong(fault(decode.TooLarge, s.pos, MaxOpen, size))
	}
	return size, 0
}

func (s *Scanner) add() {
	s.Summary.Batches++
	s.Summary.Codecs[s.batch.Codec&7]++
	s.Summary.Magic[s.batch.Magic]++
}

func (s *Scanner) messages(n int64) {
	if s.batch.Control() {
		s.Summary.Control += n
	} else {
		s.Summary.Messages += n
	}
}

// head counts a batch of format 2 by its head alone, without the fields that do not matter for that.
func (s *Scanner) head(h []byte, size int) {
	h = h[:headV2]
	attributes := h[22]
	s.batch.Codec = Codec(attributes & 7)
	delta, count := int32(binary.BigEndian.Uint32(h[23:])), int32(binary.BigEndian.Uint32(h[57:]))
	s.Summary.Batches++
	s.Summary.Codecs[attributes&7]++
	s.Summary.Magic[2]++
	switch {
	case !plausible(count, delta, s.batch.Codec, size):
		s.Summary.wrong(fault(decode.CountMismatch, s.pos+57, int(count), 0))
	case attributes&0x20 != 0:
		s.Summary.Control += int64(count)
	default:
		s.Summary.Messages += int64(count)
	}
	if s.batch.Codec > Zstd {
		s.Summary.wrong(fault(decode.BadCodec, s.pos, int(Zstd), int(s.batch.Codec)))
	}
}

// fromHead counts a batch by its head alone.
func (s *Scanner) fromHead() {
	s.add()
	b := &s.batch
	if s.Summary.Uncompressed >= 0 && b.Codec == None {
		s.Summary.Uncompressed += int64(b.Size)
	}
	switch {
	case b.Magic == 2 && !b.plausible():
		s.Summary.wrong(fault(decode.CountMismatch, b.Pos+57, int(b.Count), 0))
	case b.Magic == 2:
		s.messages(int64(b.Count))
	case b.Codec == None && !s.opt.Legacy && b.Magic == 1 && b.Size < minV1:
		s.Summary.wrong(fault(decode.BadLength, b.Pos, minV1, b.Size))
	case b.Codec == None:
		s.messages(1)
	}
	if b.Codec > Zstd {
		s.Summary.wrong(fault(decode.BadCodec, b.Pos, int(Zstd), int(b.Codec)))
	}
}

// whole counts a batch all of whose bytes are there.
func (s *Scanner) whole(b []byte) {
	s.add()
	// The decompressors are lent for a batch, not for the set, whose next bytes may be long in coming.
	o := newOpener(s.size)
	defer o.free()
	if s.opened {
		o.left = s.left
	}
	s.opened = true
	o.begin()
	var messages, bytes int64
	var f decode.Fault
	if s.batch.Magic == 2 {
		messages, bytes, f = o.countV2(&s.batch, b)
	} else {
		lay := modern
		if s.opt.Legacy {
			lay = legacy
		}
		l := o.open(0, None, s.batch.Magic, b)
		t := tally{}
		o.count(l, lay, 0, s.opt.Deep, &t)
		messages, bytes, f = t.messages, t.bytes, t.fault(s.pos)
	}
	s.left = o.left
	s.messages(messages)
	if s.Summary.Uncompressed >= 0 {
		s.Summary.Uncompressed += bytes
	}
	if f.Code == 0 && o.odd != 0 {
		f = fault(o.odd, s.pos, 0, 0)
	}
	if f.Code != 0 {
		s.wrong(f)
	}
}
