package reassembly

import (
	"fmt"
	"testing"
)

// The snap length cuts each packet: nothing is waited for, and a request's lost tail is known before
// the response is handed out.
func TestSnapLength(t *testing.T) {
	w, c, b := newWire(t, Config{}), client, broker
	w.handshake(&c, &b)
	cut := func(from, to *host, off, ack int64, p string, wire int) {
		w.packet++
		w.total += int64(len(p))
		w.Segment(&Segment{Packet: w.packet, Time: w.time, Src: from.addr.Addr, SrcPort: from.addr.Port, Dst: to.addr.Addr, DstPort: to.addr.Port,
			Seq: from.isn + 1 + uint32(off), Ack: to.isn + 1 + uint32(ack), Flags: psh, Wire: wire, Payload: []byte(p)})
	}
	cut(&c, &b, 0, 0, "abc", 10)
	cut(&c, &b, 10, 0, "kl", 5)
	if got, want := w.tape.String(), "1.0 ^abc(7)kl\n1.1 \n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	cut(&b, &c, 0, 15, "ABC", 4)
	if got, want := w.tape.String(), "1.0 ^abc(7)kl(3)\n1.1 ^ABC\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	cut(&b, &c, 3, 15, "D", 1) // another copy has the tail
	cut(&b, &c, 4, 15, "", 5)  // headers only
	if got, want := w.finish(), "1.0 ^abc(7)kl(3).5\n1.1 ^ABCD(5).5\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// What was cut off and is sent again came with the packet that was cut, also where it waits for what is before it, or
// brings new bytes.
func TestSnapLengthSentAgain(t *testing.T) {
	w, c, b := newWire(t, Config{}), client, broker
	w.handshake(&c, &b) // three packets
	w.snap = 4
	w.send(&c, &b, psh, 0, 0, "abcdefghij") // packet 4
	w.snap = 0
	w.send(&c, &b, psh, 8, 0, "ijkl")
	w.send(&c, &b, psh, 12, 0, "mn")
	w.snap = 4
	w.send(&c, &b, psh, 16, 0, "qrstuv") // packet 7, behind a hole
	w.snap = 0
	w.send(&c, &b, psh, 20, 0, "uv")
	w.send(&c, &b, psh, 14, 0, "op") // packet 9
	w.snap = 2
	w.send(&c, &b, psh, 22, 0, "wxyz") // packet 10
	w.snap = 0
	w.send(&c, &b, psh, 24, 0, "yz")
	w.send(&c, &b, psh, 26, 0, "A")
	if got, want := w.tape.String(), "1.0 ^abcd(4)ijklmnopqrstuvwxyzA\n1.1 \n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	var order string
	for _, h := range w.tape.conns[0].hands {
		order += fmt.Sprint(h.n, "@", h.at.Packet, " ")
	}
	if want := "4@4 4@4 2@4 2@5 2@6 2@9 4@9 2@9 2@10 2@10 1@12 "; order != want {
		t.Errorf("bytes at packets %s, want %s", order, want)
	}
	w.finish()
}

// In mid-stream, packets that were sent before the first one that was captured keep their own moments.
func TestBeforeTheFirstPacket(t *testing.T) {
	w, c, b := newWire(t, Config{}), client, broker
	w.send(&c, &b, psh, 30, 0, "efgh")
	w.send(&c, &b, psh, 10, 0, "ab")
	w.send(&c, &b, psh, 12, 0, "cd")
	w.send(&b, &c, psh, 0, 14, "AB")
	w.finish()
	var order string
	for _, h := range w.tape.conns[0].hands {
		order += fmt.Sprint(h.n, "@", h.at.Packet, " ")
	}
	if want := "2@2 2@3 16@3 4@3 2@4 "; order != want {
		t.Errorf("bytes at packets %s, want %s", order, want)
	}
}
