package session

import (
	"bytes"
	"encoding/binary"

	"ksniff/reassembly"
)

// presumed is what is known of a request in mid-stream that is too large to be held, or lacks bytes, until what
// follows it proves that it was one.
type presumed struct {
	side   int
	packet uint64 // with its first byte
	header [8]byte
	corr   int32
	client []byte // as much of it as there is
	length int    // of the client id, -1 where it is null
	doubt  bool   // it may be an answer, see likeFetched
}

// minAnonymous is how much must be there of a request without a client id.
const minAnonymous = 1 << 10

// Presume implements reassembly.Judge: a request begins with a packet, says who sends it, and decodes as far
// as it is there.
func (j *judge) Presume(rc *reassembly.Conn, side int, w *reassembly.Window) (int, bool) {
	s, c := j.session(), of(rc)
	if c.presume != nil {
		return 0, false
	}
	b, cost := w.Bytes, 0
	for _, m := range w.Marks {
		p := m.Off
		if cost += 16; len(b)-p < 14 || cost > searchCost*len(b) {
			break
		}
		if b[p] > 6 || b[p+4] != 0 || b[p+6] != 0 || b[p+8] > 0x7f || b[p+5] > 127 {
			continue
		}
		length, have := int(be32(b[p:])), b[p+4:]
		if length <= len(have) {
			continue // whole, and has been looked at
		}
		g := s.grade(have, length)
		cost += len(have)
		if g != named && (g != open || len(have) < minAnonymous) {
			continue
		}
		id, n := clientID(have)
		k := &presumed{side: side, packet: m.At.Packet, corr: int32(be32(have[4:])), client: bytes.Clone(id), length: n, doubt: s.likeFetched(have)}
		copy(k.header[:], have)
		c.presume, c.gen, c.client = k, Modern, int8(side)
		return p, true
	}
	return 0, false
}

// unpresume forgets what was presumed, and with it what the connection would speak.
func (c *conn) unpresume() {
	if c.presume == nil {
		return
	}
	c.seen[c.presume.side] = false
	if c.speech != Kafka {
		c.gen, c.client = Undecided, -1
	}
	c.presume = nil
}

// presumption says whether what follows a presumed request proves it: the next request, which begins where
// it ends, has the same client id and goes on with the correlation ids; or its answer; or, where it was whole,
// that it decodes to its last byte, which a packet ends with.
func (s *Session) presumption(c *conn, sides *[2]reassembly.Window, last bool) claim {
	p := c.presume
	w, o := &sides[p.side], &sides[1-p.side]
	if w.Presumed == nil {
		return claim{gen: Modern, grade: named}
	}
	if b := w.Bytes; w.Adjoins && len(b) >= 14 && (len(b) >= minNext || int(be32(b)) <= len(b)-4 || w.Ended || last) {
		id, n := clientID(b[4:])
		step, both := int64(int32(be32(b[8:])))-int64(p.corr), min(len(id), len(p.client))
		switch {
		case s.grade(b[4:], int(int32(be32(b)))) == not, n != p.length, !bytes.Equal(id[:both], p.client[:both]), step < 0, step > aloneStep,
			p.doubt && (step == 0 || !bytes.Equal(b[4:8], p.header[:4])): // answers would have one number of topics, and ids for versions
			return claim{refused: true}
		case both >= min(n, minCommon):
			return claim{gen: Modern, grade: sure}
		}
	}
	if w.Even && !p.doubt && s.exact(c, w.Presumed) {
		return claim{gen: Modern, grade: sure}
	}
	for _, k := range answersAfter(o, p.packet) {
		a := o.Bytes[k.Off:]
		if len(a) < 8 || !s.answers(p.header[:], a) {
			continue
		}
		if length := int(be32(a)); length <= len(a)-4 && o.Aligned(k.Off+4+length) || length > len(a)-4 && len(a) >= minCutAnswer {
			return claim{gen: Modern, grade: sure}
		}
	}
	return claim{gen: Modern, grade: named}
}

// minCommon is how much of a client id two requests must share where a snap length cut it.
const minCommon = 8

// clientID gives as much as there is of the client id of a request, of which the first 10 bytes are there, and its
// length, -1 for null.
func clientID(b []byte) ([]byte, int) {
	n := int(int16(binary.BigEndian.Uint16(b[8:])))
	return b[10:min(len(b), 10+max(n, 0))], max(n, -1)
}

// minNext is how much of the next request is waited for, if it has so much.
const minNext = 64

// minCutAnswer is how much must be there of an answer that is not all there, to prove what it answers.
const minCutAnswer = 28

// exact says whether a presumed request was whole and decoded to its last byte.
func (s *Session) exact(c *conn, f *reassembly.Frame) bool {
	if rd := c.readers[f.Side]; rd != nil {
		_, bad := rd.view.Fault()
		return f.Missing == 0 && rd.over && !rd.hurt && !bad
	}
	return len(f.Runs) == 1 && len(f.Runs[0].Bytes) == f.Length && s.grade(f.Runs[0].Bytes, f.Length) == sure
}
