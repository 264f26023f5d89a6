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
		k.copy(f)
	}
	return k
}

// copy copies the bytes of a frame that lies in one piece, without its record sets.
func (k *kept) copy(f *session.Frame) {
	k.buf = k.buf[:0]
	if len(f.Runs) != 1 || f.Runs[0].Off != 0 || len(f.Runs[0].Bytes) < f.Length {
		k.frame.Length = 0
		return
	}
	b, at := f.Runs[0].Bytes, 0
	if f.Key == keyProduce && f.Generation == session.Modern {
		for i := range f.Parts {
			if s := &f.Parts[i].Sets; s.Bytes > 0 {
				if s.Bytes >= 21 {
					k.sums = k.sums*1099511628211 + binary.BigEndian.Uint64(b[s.At+12:]) + uint64(b[s.At+20])
				}
				k.run(at, b[at:s.At])
				at = s.At + int(s.Bytes)
			}
		}
	}
	k.run(at, b[at:])
	for i, from := 0, 0; i < len(k.frame.Runs); i++ { // the buffer stands still now
		r := &k.frame.Runs[i]
		to := from + len(r.Bytes)
		r.Bytes = k.buf[from:to:to]
		from = to
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
