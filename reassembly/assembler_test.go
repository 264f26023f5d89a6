package reassembly

import (
	"fmt"
	"strings"
	"testing"
)

const (
	psh = flagPSH | flagACK
	ack = flagACK
	fin = flagFIN | flagACK
	rst = flagRST
	syn = flagSYN
)

// Each case is a schedule of segments, and what must come out of it.
var schedules = []struct {
	name string
	feed func(w *wire, c, b *host)
	want string
}{
	{"order", func(w *wire, c, b *host) {
		w.handshake(c, b)
		w.send(c, b, psh, 0, 0, "abc")
		w.send(b, c, psh, 0, 3, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") // passes the sequence wrap
		w.send(c, b, psh, 3, 26, "def")
		w.send(c, b, fin, 6, 26, "")
		w.send(b, c, fin, 26, 7, "")
		w.send(c, b, ack, 7, 27, "")
	}, "1.0 ^abcdef.1\n1.1 ^ABCDEFGHIJKLMNOPQRSTUVWXYZ.1\n"},
	{"reordered", func(w *wire, c, b *host) {
		w.handshake(c, b)
		w.send(c, b, psh, 6, 0, "ghi")
		w.send(c, b, psh, 3, 0, "def")
		w.send(b, c, ack, 0, 9, "")
		w.send(c, b, psh, 0, 0, "abc")
	}, "1.0 ^abcdefghi.5\n1.1 .5\n"},
	{"overlaps", func(w *wire, c, b *host) {
		w.handshake(c, b)
		w.send(c, b, psh, 0, 0, "abc")
		w.send(c, b, psh, 0, 0, "xyz") // the first copy wins
		w.send(c, b, psh, 1, 0, "xxd")
		w.send(c, b, psh, 6, 0, "g")
		w.send(c, b, psh, 5, 0, "fXh") // again
		w.send(c, b, psh, 2, 0, "XXefX")
	}, "1.0 ^abcdefgh.5\n1.1 .5\n"},
	{"keep-alive", func(w *wire, c, b *host) {
		w.handshake(c, b)
		w.send(c, b, psh, 0, 0, "abc")
		w.send(b, c, ack, 0, 3, "")
		w.send(c, b, ack, 2, 0, "\x00")
		w.send(b, c, ack, 0, 3, "")
		w.send(c, b, psh, 3, 0, "def")
	}, "1.0 ^abcdef.5\n1.1 .5\n"},
	{"keep-alive in a hole", func(w *wire, c, b *host) {
		w.handshake(c, b)
		w.send(c, b, psh, 0, 0, "abc")
		w.send(b, c, ack, 0, 6, "")
		w.send(c, b, ack, 5, 0, "\x00")
		w.send(c, b, psh, 6, 0, "ghi")
	}, "1.0 ^abc(3)ghi.5\n1.1 .5\n"},
	{"keep-alive first", func(w *wire, c, b *host) {
		w.send(c, b, ack, 5, 0, "\x00")
		w.send(b, c, ack, 0, 6, "")
		w.send(c, b, psh, 6, 0, "ghi")
	}, "1.0 ghi.5\n1.1 .5\n"},
	{"zero window", func(w *wire, c, b *host) {
		w.handshake(c, b)
		w.send(c, b, ack, 0, 0, "a")
		w.send(b, c, ack, 0, 0, "")
		w.send(c, b, ack, 0, 0, "a")
		w.send(c, b, psh, 0, 0, "abc")
	}, "1.0 ^abc.5\n1.1 .5\n"},
	{"mid-stream", func(w *wire, c, b *host) {
		w.send(b, c, psh, 100, 50, "ABC")
		w.send(c, b, psh, 50, 103, "abc")
	}, "1.0 ABC.5\n1.1 abc.5\n"},
	{"only a SYN-ACK", func(w *wire, c, b *host) {
		w.send(b, c, syn|ack, 0, 0, "")
		w.send(c, b, psh, 0, 0, "abc")
		w.send(b, c, psh, 0, 3, "ABC")
	}, "1.0 ^abc.5\n1.1 ^ABC.5\n"},
	{"no SYN-ACK", func(w *wire, c, b *host) {
		w.send(c, b, syn, 0, 0, "")
		w.send(c, b, ack, 0, 0, "")
		w.send(c, b, psh, 0, 0, "abc")
		w.send(b, c, psh, 2, 3, "CDE")
	}, "1.0 ^abc.5\n1.1 ^(2)CDE.5\n"},
	{"lost start", func(w *wire, c, b *host) {
		w.handshake(c, b)
		w.send(c, b, psh, 3, 0, "def")
		w.send(b, c, psh, 0, 6, "ABC")
	}, "1.0 ^(3)def.5\n1.1 ^ABC.5\n"},
	{"lost end", func(w *wire, c, b *host) {
		w.handshake(c, b)
		w.send(c, b, psh, 0, 0, "abc")
		w.send(b, c, psh, 0, 9, "ABC")
		w.send(b, c, fin, 7, 9, "")
	}, "1.0 ^abc(6).5\n1.1 ^ABC(4).1\n"},
	{"fast open", func(w *wire, c, b *host) {
		w.send(c, b, syn, 0, 0, "abc")
		w.send(b, c, syn|ack, 0, 3, "")
		w.send(c, b, psh, 3, 0, "def")
		w.send(b, c, psh, 0, 6, "ABC")
	}, "1.0 ^abcdef.5\n1.1 ^ABC.5\n"},
	{"repeated SYN", func(w *wire, c, b *host) {
		w.send(c, b, syn, 0, 0, "")
		w.handshake(c, b)
		w.send(c, b, psh, 0, 0, "abc")
		w.send(c, b, syn, 0, 0, "")
		w.send(c, b, psh, 3, 0, "def")
	}, "1.0 ^abcdef.5\n1.1 .5\n"},
	{"reuse", func(w *wire, c, b *host) {
		w.handshake(c, b)
		w.send(c, b, psh, 0, 0, "abc")
		c.isn, b.isn = c.isn+500, b.isn-77
		w.handshake(c, b)
		w.send(c, b, psh, 0, 0, "def")
		w.send(b, c, psh, 0, 3, "DEF")
	}, "1.0 ^abc.3\n1.1 .3\n2.0 ^def.5\n2.1 ^DEF.5\n"},
	{"reuse in the other direction", func(w *wire, c, b *host) {
		w.handshake(c, b)
		w.send(c, b, psh, 0, 0, "abc")
		w.send(c, b, fin, 3, 0, "")
		w.send(b, c, fin, 0, 4, "")
		w.send(c, b, ack, 4, 1, "")
		c.isn, b.isn = c.isn+500, b.isn+77
		w.handshake(b, c)
		w.send(b, c, psh, 0, 0, "ABC")
	}, "1.0 ^abc.1\n1.1 .1\n2.0 ^ABC.5\n2.1 .5\n"},
	{"trailing packets", func(w *wire, c, b *host) {
		w.handshake(c, b)
		w.send(c, b, psh|fin, 0, 0, "abc")
		w.send(b, c, fin, 0, 4, "")
		w.send(c, b, ack, 4, 1, "")
		w.send(c, b, psh|fin, 0, 1, "abc")
		w.send(b, c, fin, 0, 4, "")
		w.send(b, c, rst, 1, 0, "")
	}, "1.0 ^abc.1\n1.1 .1\n"},
	{"data after the other side's FIN", func(w *wire, c, b *host) {
		w.handshake(c, b)
		w.send(c, b, psh, 0, 0, "abc")
		w.send(c, b, fin, 3, 0, "")
		w.send(b, c, psh, 0, 4, "ABC")
		w.send(b, c, fin, 3, 4, "")
	}, "1.0 ^abc.1\n1.1 ^ABC.1\n"},
	{"FIN before its data", func(w *wire, c, b *host) {
		w.handshake(c, b)
		w.send(c, b, fin, 6, 0, "")
		w.send(c, b, psh, 3, 0, "def")
		w.send(c, b, psh, 0, 0, "abc")
		w.send(c, b, psh, 6, 0, "?")
	}, "1.0 ^abcdef.1\n1.1 .5\n"},
	{"RST", func(w *wire, c, b *host) {
		w.handshake(c, b)
		w.send(c, b, psh, 0, 0, "abc")
		w.send(c, b, rst|ack, 3, 0, "a reason")
		w.send(b, c, psh, 0, 3, "in flight")
	}, "1.0 ^abc.2\n1.1 ^in flight.2\n"},
	{"RST outside the window", func(w *wire, c, b *host) {
		w.handshake(c, b)
		w.send(c, b, psh, 0, 0, "abc")
		w.send(c, b, rst, 1<<30, 0, "")
		w.send(c, b, rst, -1<<30, 0, "")
		w.send(c, b, psh, 3, 0, "def")
	}, "1.0 ^abcdef.5\n1.1 .5\n"},
	{"RST outside the window, early", func(w *wire, c, b *host) {
		w.send(c, b, syn, 0, 0, "")
		w.send(c, b, rst, 1<<30, 0, "")
		w.send(b, c, rst, 1<<30, 0, "")
		w.send(b, c, syn|ack, 0, 0, "")
		w.send(b, c, rst, 1<<30, 0, "")
		w.send(c, b, psh, 0, 0, "abc")
	}, "1.0 ^abc.5\n1.1 .5\n"},
	{"another connection without SYN", func(w *wire, c, b *host) {
		w.handshake(c, b)
		w.send(c, b, psh, 0, 0, "abc")
		w.send(b, c, psh, 0, 3, "ABC")
		c.isn -= 1 << 30
		b.isn -= 1 << 30
		for i := range int64(maxAstray) {
			w.send(c, b, psh, 10+i, 20, "x")
		}
		w.send(b, c, psh, 20, 10+maxAstray, "DEF")
	}, "1.0 ^abc.3\n1.1 ^ABC.3\n2.0 x.5\n2.1 DEF.5\n"},
	{"a short connection whose copy is written late, with its own time", func(w *wire, c, b *host) {
		other := host{addr: c.addr}
		other.addr.Port++
		for range 2 {
			w.handshake(c, b)
			w.send(c, b, psh, 0, 0, "abc")
			w.send(b, c, psh|fin, 0, 3, "ABC")
			w.send(c, b, fin|ack, 3, 4, "")
			w.packet += 60
			w.time += 5 * freshTime
			w.send(&other, b, syn, 0, 0, "")
			w.time -= 5 * freshTime
		}
	}, "1.0 ^abc.1\n1.1 ^ABC.1\n"},
	{"another connection without SYN, after a silence", func(w *wire, c, b *host) {
		w.handshake(c, b)
		w.send(c, b, psh, 0, 0, "abc")
		w.send(b, c, psh, 0, 3, "ABC")
		w.time += 2 * freshTime
		c.isn += 1 << 29
		b.isn -= 1 << 30
		w.send(c, b, psh, 10, 20, "def")
		w.send(b, c, psh, 20, 13, "DEF")
	}, "1.0 ^abc.3\n1.1 ^ABC.3\n2.0 def.5\n2.1 DEF.5\n"},
	{"another connection without SYN, after the end", func(w *wire, c, b *host) {
		w.handshake(c, b)
		w.send(c, b, psh|fin, 0, 0, "abc")
		w.send(b, c, psh|fin, 0, 4, "ABC")
		c.isn -= 1 << 29
		b.isn -= 1 << 30
		w.send(c, b, psh, 10, 20, "def")
		w.send(b, c, psh, 20, 13, "DEF")
	}, "1.0 ^abc.1\n1.1 ^ABC.1\n2.0 def.5\n2.1 DEF.5\n"},
	{"another connection, neither with SYN, after the end", func(w *wire, c, b *host) {
		for range 2 {
			w.send(c, b, psh, 0, 0, "abc")
			w.send(b, c, psh|fin, 0, 3, "ABC")
			w.send(c, b, fin|ack, 3, 4, "")
			w.send(b, c, ack, 4, 4, "")
			c.isn += 5000
			b.isn += 9000
		}
	}, "1.0 abc.1\n1.1 ABC.1\n2.0 abc.1\n2.1 ABC.1\n"},
	{"a zero-window probe first", func(w *wire, c, b *host) {
		w.send(c, b, ack, 0, 0, "a")
		w.send(b, c, ack, 0, 0, "")
		w.send(c, b, psh, 0, 0, "abc")
		w.send(b, c, psh, 0, 3, "ABC")
	}, "1.0 abc.5\n1.1 ABC.5\n"},
	{"a keep-alive first", func(w *wire, c, b *host) {
		w.send(c, b, ack, -1, 0, "?")
		w.send(b, c, ack, 0, 0, "")
		w.send(c, b, psh, 0, 0, "abc")
		w.send(b, c, psh, 0, 3, "ABC")
	}, "1.0 abc.5\n1.1 ABC.5\n"},
	{"the same again", func(w *wire, c, b *host) {
		for range 2 {
			w.handshake(c, b)
			w.send(c, b, psh, 0, 0, "abc")
			w.send(b, c, psh, 0, 3, "ABC")
			w.packet += freshPackets
			w.time += freshTime
		}
	}, "1.0 ^abc.3\n1.1 ^ABC.3\n2.0 ^abc.5\n2.1 ^ABC.5\n"},
	{"a short connection on both sides of a bridge", func(w *wire, c, b *host) {
		for range 2 {
			w.handshake(c, b)
			w.send(c, b, psh, 0, 0, "abc")
			w.send(b, c, psh|fin, 0, 3, "ABC")
			w.send(c, b, fin|ack, 3, 4, "")
			w.packet += 30
			w.time += 50e6
		}
	}, "1.0 ^abc.1\n1.1 ^ABC.1\n"},
	{"the same again after its end", func(w *wire, c, b *host) {
		for range 2 {
			w.handshake(c, b)
			w.send(c, b, psh, 0, 0, "abc")
			w.send(b, c, psh|fin, 0, 3, "ABC")
			w.send(c, b, fin|ack, 3, 4, "")
			w.time += freshTime
		}
	}, "1.0 ^abc.1\n1.1 ^ABC.1\n2.0 ^abc.1\n2.1 ^ABC.1\n"},
	{"refused", func(w *wire, c, b *host) {
		for range 1000 {
			w.send(c, b, syn, 0, 0, "")
			w.send(b, c, rst|ack, -1, 0, "")
			c.addr.Port++
		}
		if len(w.table.slots) > 1024 || w.table.n > 0 {
			w.tape.t.Errorf("%d flows", w.table.n)
		}
	}, ""},
	{"a jump of 2^31-1", func(w *wire, c, b *host) {
		w.handshake(c, b)
		w.send(c, b, psh, 0, 0, "abc")
		w.send(c, b, psh, 3+1<<31-4, 0, "def")
	}, "1.0 ^abc(2147483644)def.5\n1.1 .5\n"},
	{"a jump back", func(w *wire, c, b *host) {
		w.handshake(c, b)
		w.send(c, b, psh, 0, 0, "abc")
		w.send(c, b, psh, -1<<30, 0, "old")
		w.send(c, b, psh, 3, 0, "def")
	}, "1.0 ^abcdef.5\n1.1 .5\n"},
}

func TestSchedules(t *testing.T) {
	for _, x := range schedules {
		t.Run(x.name, func(t *testing.T) {
			w, c, b := newWire(t, Config{}), client, broker
			x.feed(w, &c, &b)
			if got := w.finish(); got != x.want {
				t.Errorf("got\n%swant\n%s", got, x.want)
			}
		})
	}
}

// A hole that the other side acknowledged is given up after provenSegments segments and not earlier.
func TestWait(t *testing.T) {
	w, c, b := newWire(t, Config{}), client, broker
	w.handshake(&c, &b)
	w.send(&c, &b, psh, 3, 0, "def")
	for range 500 { // not acknowledged: the sender will repeat it
		w.send(&b, &c, ack, 0, 0, "")
	}
	w.send(&b, &c, ack, 0, 6, "")
	for range provenSegments - 1 {
		w.send(&b, &c, ack, 0, 6, "")
	}
	if got := w.tape.String(); got != "" {
		t.Fatalf("too early: %s", got)
	}
	w.send(&b, &c, ack, 0, 6, "")
	if got, want := w.tape.String(), "1.0 ^(3)def\n1.1 \n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	w.send(&c, &b, psh, 0, 0, "abc") // too late
	if got, want := w.finish(), "1.0 ^(3)def.5\n1.1 .5\n"; got != want || w.Stats().Repeated != 3 {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// Both sides of a connection that was open before wait for their starts; requests still come first.
func TestWaitOfBoth(t *testing.T) {
	w, c, b := newWire(t, Config{}), client, broker
	w.send(&b, &c, psh, 0, 0, "A")
	w.send(&c, &b, psh, 0, 1, "abc")
	w.send(&b, &c, psh, 1, 3, "BCD")
	w.send(&c, &b, ack, 3, 4, "")
	other := client
	other.addr.Port++
	w.time += 1e9
	for range 2 * provenPackets {
		w.send(&other, &b, ack, 0, 0, "")
	}
	var order string
	for _, h := range w.tape.conns[0].hands {
		order += fmt.Sprint(h.side, h.n, " ")
	}
	if want := "0 1 1 3 0 3 "; order != want {
		t.Errorf("sides and sizes %s, want %s", order, want)
	}
	w.finish()
}

// Other connections' packets and time end the wait of a silent connection.
func TestWaitOfTheSilent(t *testing.T) {
	w, c, b := newWire(t, Config{}), client, broker
	w.handshake(&c, &b)
	w.send(&c, &b, psh, 3, 0, "def")
	w.send(&b, &c, ack, 0, 6, "")
	other := client
	other.addr.Port++
	w.time += 1e9
	for range provenPackets {
		w.send(&other, &b, ack, 0, 0, "")
	}
	if got, want := w.tape.String(), "1.0 ^(3)def\n1.1 \n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	w.finish()
}

// When the capture is silent, nothing more is waited for that was on the wire.
func TestIdle(t *testing.T) {
	w, c, b := newWire(t, Config{}), client, broker
	w.handshake(&c, &b)
	w.send(&c, &b, psh, 3, 0, "def")
	w.send(&b, &c, psh, 0, 6, "ABC")
	w.send(&b, &c, psh, 6, 6, "GHI") // not acknowledged: may be repeated
	w.send(&c, &b, fin, 6, 3, "")
	w.Idle()
	if got, want := w.tape.String(), "1.0 ^(3)def.1\n1.1 ^ABC\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	w.send(&b, &c, psh, 3, 6, "DEF")
	if got, want := w.finish(), "1.0 ^(3)def.1\n1.1 ^ABCDEFGHI.5\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// Many holes that the other side acknowledged do not add up their waits.
func TestWaitOfMany(t *testing.T) {
	w, c, b := newWire(t, Config{}), client, broker
	w.handshake(&c, &b)
	for i := range int64(1000) {
		w.send(&c, &b, psh, 2*i+1, 0, "x")
		w.send(&b, &c, ack, 0, 2*i+2, "")
	}
	if n := w.Stats().Waiting; n > provenSegments {
		t.Errorf("%d bytes wait", n)
	}
	w.finish()
}

func TestOneDirection(t *testing.T) {
	w, c, b := newWire(t, Config{}), client, broker
	w.send(&c, &b, psh, 0, 0, "abc")
	w.send(&c, &b, psh, 6, 0, "ghi")
	for i := range int64(aloneSegments) {
		w.send(&c, &b, psh, 9+i, 0, "x")
	}
	if got, want := w.tape.String(), "1.0 abc(3)ghi"+strings.Repeat("x", aloneSegments); !strings.HasPrefix(got, want) {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	w.finish()
}

// Memory is bounded per connection and in total, whatever the number of holes.
func TestMemory(t *testing.T) {
	const memory = 1 << 20
	w, c, b := newWire(t, Config{Memory: memory}), client, broker
	big := strings.Repeat("0123456789abcdef", 1024)
	for i := range 4000 {
		c.addr.Port = uint16(i % 400)
		off := int64(i/400) * 20000
		w.send(&c, &b, psh, off, 0, big)
		w.send(&b, &c, ack, 0, off, "")
		if w.mem.lent+w.mem.kept > w.mem.limit || int64(w.table.n)*flowCost > memory {
			t.Fatalf("%d bytes lent, %d kept, %d flows", w.mem.lent, w.mem.kept, w.table.n)
		}
	}
	w.finish()
}

// All connections may be on their way to the end when one more comes.
func TestManyResets(t *testing.T) {
	w, c, b := newWire(t, Config{Memory: 1}), client, broker
	for i := range 300 {
		c.addr.Port = uint16(i)
		w.packet = 10 // as if captured at once
		w.send(&c, &b, psh, 0, 0, "abc")
		w.send(&c, &b, rst, 3, 0, "")
	}
	if w.table.n > w.maxFlows {
		t.Errorf("%d flows of %d", w.table.n, w.maxFlows)
	}
	w.finish()
}

func TestManyConnections(t *testing.T) {
	w, c, b := newWire(t, Config{Memory: 1 << 20}), client, broker
	for i := range 20000 {
		c.addr.Port, c.addr.Addr[14] = uint16(i), byte(i>>16)
		w.send(&c, &b, syn, 0, 0, "")
		if i%2 == 0 {
			w.send(&c, &b, psh, 0, 0, "abc")
		}
	}
	if w.table.n > w.maxFlows || w.Stats().Evicted == 0 {
		t.Errorf("%d flows of %d: %+v", w.table.n, w.maxFlows, w.Stats())
	}
	w.finish()
	if got := w.tape.conns[0].sides[0].ends[0]; got != Evicted {
		t.Errorf("the oldest ended by %d", got)
	}
}
