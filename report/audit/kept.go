package audit

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"

	"ksniff/decode"
	"ksniff/reassembly/session"
)

// kept is what is kept of a request until its answer comes.
type kept struct {
	req    *session.Request
	packet uint64
	gaps   int          // of the connection when it was sent
	frame  decode.Frame // its bytes, where a look wants them: of Produce without record sets, and only where one is nameless
	buf    []byte
	passed bool // a younger request was answered before it
	marks  marks
	slots  []any

	// What rules about Produce and Fetch note of nearly every request is here: faster than slots.
	print    uint64 // of Produce, see produced: 0 where the request was not whole
	inFlight bool   // KS4012 counts it
	producer producing
	outcomes []outcomePart
	keyless  []keylessPart
	fetch    fetchAsked
}

// keep makes what is kept of the request of a frame.
func (a *Audit) keep(c *Conn, f *session.Frame, body bool) *kept {
	var k *kept
	if n := len(a.free); n > 0 {
		k = a.free[n-1]
		a.free = a.free[:n-1]
	} else {
		k = &kept{}
	}
	k.req, k.packet, k.gaps, k.passed = f.Request, f.Last.Packet, c.Gaps, false
	k.marks, k.print, k.inFlight, k.producer.known, k.producer.several = 0, 0, false, false, false
	k.outcomes, k.keyless = k.outcomes[:0], k.keyless[:0]
	k.fetch.reset()
	k.frame = decode.Frame{Length: f.Length, Runs: k.frame.Runs[:0]}
	x := &a.ctx
	if !body || x.Head == nil || x.Body == nil && len(x.Digests) == 0 {
		k.frame.Length = 0
		return k
	}
	if f.Key == keyProduce && f.Generation == session.Modern && len(f.Parts) > 0 {
		k.print = k.produced(x)
		if x.marks&nameless == 0 { // else lookZeroID looks at it once more
			k.frame.Length = 0
			return k
		}
	}
	k.copy(x)
	return k
}

// printSeed makes that nobody can tell which requests have the same print.
var printSeed = maphash.MakeSeed()

const printPrime = 1099511628211

// produced is what tells a Produce request from others: a hash of it without key, version and correlation id, of each
// record set only of the checksum of its first batch. It is never 0.
func (k *kept) produced(x *Ctx) uint64 {
	h := uint64(0)
	if p := &x.Parts[0]; len(x.Parts) == 1 && p.Sets.Bytes > 0 {
		h = k.around(x)*printPrime + uint64(uint32(p.Partition))
		return max(x.printSet(0, h), 1)
	}
	at := 8
	for i := range x.Parts {
		if s := &x.Parts[i].Sets; s.Bytes > 0 {
			h = x.printSet(i, h*printPrime+maphash.Bytes(printSeed, k.part(x, at, s.At)))
			at = s.At + int(s.Bytes)
		}
	}
	return max(h*printPrime+maphash.Bytes(printSeed, k.part(x, at, x.Length)), 1)
}

// printSet adds the record set of a part to a hash: its size and the checksum of its first batch.
func (x *Ctx) printSet(i int, h uint64) uint64 {
	s := &x.Parts[i].Sets
	h = h*printPrime + uint64(s.Bytes)
	b := x.Body
	if b != nil {
		b = b[s.At:]
	} else {
		b = x.setHead(i)
	}
	if len(b) < 21 || s.Bytes < 21 {
		return h
	}
	return (h*printPrime+binary.BigEndian.Uint64(b[12:]))*printPrime + uint64(b[20])
}

// around is a hash of what stands before the number of the only partition and behind its record set. Requests that are
// like one another have it in common.
func (k *kept) around(x *Ctx) uint64 {
	l := &x.Conn.alike
	if l.is(x.Frame) && l.around != 0 {
		return l.around
	}
	s := &x.Parts[0].Sets
	width := 4 // of the length of the records
	if x.Version >= 9 {
		width = (bits.Len64(uint64(s.Bytes+1)) + 6) / 7
	}
	h := maphash.Bytes(printSeed, k.part(x, 8, max(s.At-width-4, 8)))
	h = h*printPrime + maphash.Bytes(printSeed, k.part(x, s.At+int(s.Bytes), x.Length))
	if x.Like != nil {
		l.begin(x.Frame)
		l.around = h
	}
	return h
}

// part are the bytes of a frame from an offset to another one, as far as they are there. They are valid until the next call.
func (k *kept) part(x *Ctx, from, to int) []byte {
	if x.Body != nil {
		return x.Body[from:to]
	}
	k.buf, k.frame.Runs = k.buf[:0], k.frame.Runs[:0]
	k.take(x, from, to)
	return k.buf
}

// copy copies the bytes of a frame without its record sets.
func (k *kept) copy(x *Ctx) {
	k.buf, k.frame.Runs = k.buf[:0], k.frame.Runs[:0]
	at := 0
	if x.Key == keyProduce && x.Generation == session.Modern {
		for i := range x.Parts {
			if s := &x.Parts[i].Sets; s.Bytes > 0 {
				k.take(x, at, s.At)
				at = s.At + int(s.Bytes)
			}
		}
	}
	k.take(x, at, x.Length)
	for i, from := 0, 0; i < len(k.frame.Runs); i++ { // the buffer stands still now
		r := &k.frame.Runs[i]
		to := from + len(r.Bytes)
		r.Bytes = k.buf[from:to:to]
		from = to
	}
}

// take takes the bytes from an offset of the frame to another one: those of them that are there.
func (k *kept) take(x *Ctx, from, to int) {
	for i := range x.Runs {
		r := &x.Runs[i]
		if a, b := max(from, r.Off), min(to, r.Off+len(r.Bytes)); a < b || a == b && from == to {
			k.run(a, r.Bytes[a-r.Off:b-r.Off])
		}
	}
}

func (k *kept) run(off int, b []byte) {
	k.frame.Runs = append(k.frame.Runs, decode.Run{Off: off, Bytes: b})
	k.buf = append(k.buf, b...)
}

// drop takes back what was kept.
func (a *Audit) drop(k *kept) {
	k.req = nil
	if cap(k.buf) > 64<<10 {
		k.buf = nil
	}
	if len(a.free) < 1024 {
		a.free = append(a.free, k)
	}
}

// take removes a request from those that wait on a connection.
func (c *Conn) take(k *kept) {
	if len(c.out) == 1 && c.out[0] == k {
		c.out = c.out[:0]
		return
	}
	for i := range c.out {
		if c.out[i] == k {
			c.out = append(c.out[:i], c.out[i+1:]...)
			return
		}
	}
}
