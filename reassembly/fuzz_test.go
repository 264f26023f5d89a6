package reassembly

import (
	"math/rand/v2"
	"testing"
)

// FuzzAssembler feeds any segments of a few connections: each 8 bytes of script are one. All that
// wire.finish and tape check must hold: no byte vanishes or comes twice, calls are in order.
func FuzzAssembler(f *testing.F) {
	f.Add([]byte("\x00\x02\x00\x00\x00\x00\x00\x00\x01\x12\x00\x00\x00\x00\x00\x00\x00\x18\x00\x00\x00\x00\x10\x00"))
	for _, script := range seedScripts(f) {
		f.Add(script)
	}
	r := rand.New(rand.NewPCG(7, 7))
	for range 8 {
		script := make([]byte, 800)
		for i := range script {
			script[i] = byte(r.Uint32())
		}
		for i := 0; i < len(script); i += 8 {
			script[i] &= 0x8b
			script[i+1] &= 0x18
			script[i+2] = 0
		}
		f.Add(script)
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > 1<<14 {
			return
		}
		w := newWire(t, Config{Memory: 64 << 10})
		payload := make([]byte, 256)
		for i := range payload {
			payload[i] = byte(i)
		}
		for ; len(script) >= 8; script = script[8:] {
			b := script[:8]
			c, s := client, broker
			c.addr.Port += uint16(b[0] >> 1 & 3)
			from, to := &c, &s
			if b[0]&1 != 0 {
				from, to = to, from
			}
			off := int64(b[3])<<8 + int64(b[4])
			if b[2] != 0 { // far away
				off = int64(int32(uint32(b[2])<<24 | uint32(b[3])<<16 | uint32(b[4])))
			}
			n, wire := int(b[6]), int(b[6])
			if b[0]&0x40 != 0 {
				wire += int(b[7])
			}
			if b[0]&0x80 != 0 {
				w.time += int64(b[7]) * 1e8
			}
			if b[0]&0x20 != 0 && b[7]&7 == 0 {
				w.Idle()
			}
			w.packet++
			w.time += 1e6
			w.total += int64(n)
			w.Segment(&Segment{Packet: w.packet, Time: w.time, Src: from.addr.Addr, SrcPort: from.addr.Port, Dst: to.addr.Addr, DstPort: to.addr.Port,
				Seq: from.isn + uint32(off), Ack: to.isn + uint32(b[5])<<4, Flags: b[1], Wire: wire, Payload: payload[:n]})
		}
		w.finish()
	})
}
