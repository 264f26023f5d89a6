package audit

import (
	"encoding/binary"

	"ksniff/decode"
	"ksniff/reassembly/session"
)

// kept is what is kept of a request until its answer comes.
type kept struct {
	req    *session.Request
	packet uint64
	gaps   int          // of the connection when it was sent
	frame  decode.Frame // its bytes without record sets, where a look wants them
	buf    []byte
	passed bool // a younger request was answered before it
	marks  marks
	slots  []any

	// What rules about Produce and Fetch note of nearly every request is here: faster than slots.
	sums     uint64 // of Produce: mixes the checksums of its batches
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
	k.marks, k.sums, k.inFlight, k.producer.known, k.producer.several = 0, 0, false, false, false
	k.outcomes, k.keyless = k.outcomes[:0], k.keyless[:0]
	k.fetch.reset()
	k.frame = decode.Frame{Length: f.Length, Runs: k.frame.Runs[:0]}
	if body {
		k.copy(&a.ctx)
	}
	return k
}

// copy copies the bytes of a frame without its record sets.
func (k *kept) copy(x *Ctx) {
	k.buf = k.buf[:0]
	if x.Head == nil || x.Body == nil && len(x.Digests) == 0 {
		k.frame.Length = 0
		return
	}
	at := 0
	if x.Key == keyProduce && x.Generation == session.Modern {
		for i := range x.Parts {
			if s := &x.Parts[i].Sets; s.Bytes > 0 {
				if b := x.setHead(i); len(b) >= 21 {
					k.sums = k.sums*1099511628211 + binary.BigEndian.Uint64(b[12:]) + uint64(b[20])
				}
				if x.Body != nil {
					k.run(at, x.Body[at:s.At])
				} else {
					k.take(x, at, s.At)
				}
				at = s.At + int(s.Bytes)
			}
		}
	}
	if x.Body != nil {
		k.run(at, x.Body[at:])
	} else {
		k.take(x, at, x.Length)
	}
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
	for i := range c.out {
		if c.out[i] == k {
			c.out = append(c.out[:i], c.out[i+1:]...)
			return
		}
	}
}
