package reassembly

import (
	"fmt"
	"strings"
	"testing"
)

// tape records what Streams gets and checks the order of the calls.
type tape struct {
	t     testing.TB
	conns []*taped
}

type taped struct {
	conn  *Conn
	hands []handed // data and gaps in the order of the calls
	sides [2]struct {
		start bool
		runs  []run // data and gaps in turn
		ends  []Ending
		bytes int64
		gaps  int64
		last  uint64
	}
}

type handed struct {
	side int
	n    int64
	at   Moment
}

type run struct {
	gap  int64
	data []byte
}

func (x *tape) of(c *Conn) *taped { return c.User.(*taped) }

func (x *tape) Open(c *Conn) {
	if c.ID != len(x.conns)+1 {
		x.t.Errorf("connection %d is the %dth", c.ID, len(x.conns)+1)
	}
	k := &taped{conn: c}
	c.User = k
	x.conns = append(x.conns, k)
}

func (x *tape) Start(c *Conn, side int) {
	d := &x.of(c).sides[side]
	if len(d.runs) > 0 || d.start {
		x.t.Error("a late or second start")
	}
	d.start = true
}

func (x *tape) next(c *Conn, side int, at Moment, n int64) {
	k := x.of(c)
	d := &k.sides[side]
	k.hands = append(k.hands, handed{side, n, at})
	if n <= 0 {
		x.t.Errorf("%d bytes", n)
	}
	if len(d.ends) > 0 {
		x.t.Error("bytes behind the end")
	}
	if at.Packet < d.last {
		x.t.Errorf("packet %d after %d", at.Packet, d.last)
	}
	d.last = at.Packet
}

func (x *tape) Data(c *Conn, side int, at Moment, b []byte) {
	x.next(c, side, at, int64(len(b)))
	d := &x.of(c).sides[side]
	if len(d.runs) == 0 || d.runs[len(d.runs)-1].gap > 0 {
		d.runs = append(d.runs, run{})
	}
	r := &d.runs[len(d.runs)-1]
	r.data = append(r.data, b...)
	d.bytes += int64(len(b))
}

func (x *tape) Gap(c *Conn, side int, at Moment, n int64, _ bool) {
	x.next(c, side, at, n)
	d := &x.of(c).sides[side]
	d.runs = append(d.runs, run{gap: n})
	d.gaps += n
}

func (x *tape) End(c *Conn, side int, at Moment, why Ending) {
	d := &x.of(c).sides[side]
	if len(d.ends) > 0 {
		x.t.Error("a second end")
	}
	d.ends = append(d.ends, why)
}

// String is for comparing: "1.0 ^abc(3)def.1" is connection 1 side 0 with a start, three bytes, a gap
// of 3, three bytes, and a FIN.
func (x *tape) String() string {
	var s strings.Builder
	for _, k := range x.conns {
		for side := range k.sides {
			d := &k.sides[side]
			fmt.Fprintf(&s, "%d.%d ", k.conn.ID, side)
			if d.start {
				s.WriteByte('^')
			}
			for _, r := range d.runs {
				if r.gap > 0 {
					fmt.Fprintf(&s, "(%d)", r.gap)
				} else {
					s.Write(r.data)
				}
			}
			for _, e := range d.ends {
				fmt.Fprintf(&s, ".%d", e)
			}
			s.WriteByte('\n')
		}
	}
	return s.String()
}

// host is an end of a test's connection that keeps its sequence numbers.
type host struct {
	addr Endpoint
	isn  uint32
}

// wire makes segments and feeds them.
type wire struct {
	*Assembler
	tape   *tape
	packet uint64
	time   int64
	total  int64 // payload bytes fed
	snap   int   // so many payload bytes of a segment are captured; 0: all
}

func newWire(t testing.TB, cfg Config) *wire {
	x := &tape{t: t}
	return &wire{Assembler: New(x, cfg), tape: x, time: 1700000000e9}
}

var (
	client = host{Endpoint{[16]byte{10: 0xff, 11: 0xff, 12: 10, 15: 9}, 40001}, 1000}
	broker = host{Endpoint{[16]byte{10: 0xff, 11: 0xff, 12: 10, 15: 1}, 9092}, 0xfffffff0}
)

// send feeds a segment whose first payload byte is at offset off of from's stream, and which
// acknowledges the first ack bytes of to's.
func (w *wire) send(from, to *host, flags uint8, off, ack int64, payload string) {
	w.packet++
	w.time += 100e3
	size := len(payload)
	if w.snap > 0 && size > w.snap {
		payload = payload[:w.snap]
	}
	w.total += int64(len(payload))
	seq := from.isn + 1 + uint32(off)
	if flags&flagSYN != 0 {
		seq--
	}
	w.Segment(&Segment{Packet: w.packet, Time: w.time, Src: from.addr.Addr, SrcPort: from.addr.Port, Dst: to.addr.Addr, DstPort: to.addr.Port,
		Seq: seq, Ack: to.isn + 1 + uint32(ack), Flags: flags, Window: 512, Wire: size, Payload: []byte(payload)})
}

func (w *wire) handshake(from, to *host) {
	w.send(from, to, flagSYN, 0, 0, "")
	w.send(to, from, flagSYN|flagACK, 0, 0, "")
	w.send(from, to, flagACK, 0, 0, "")
}

// finish flushes and checks that all bytes are accounted for.
func (w *wire) finish() string {
	w.tape.t.Helper()
	w.Flush()
	s := w.Stats()
	var bytes, gaps int64
	for _, k := range w.tape.conns {
		for i := range k.sides {
			bytes, gaps = bytes+k.sides[i].bytes, gaps+k.sides[i].gaps
			if len(k.sides[i].ends) != 1 {
				w.tape.t.Errorf("connection %d side %d has %d ends", k.conn.ID, i, len(k.sides[i].ends))
			}
		}
	}
	if s.Bytes != bytes || s.GapBytes != gaps || s.Waiting != 0 || s.Bytes+s.Repeated+s.Stray != w.total {
		w.tape.t.Errorf("%d bytes fed, %d bytes and %d gap bytes handed out: %+v", w.total, bytes, gaps, s)
	}
	if w.mem.lent != 0 || w.table.n != 0 || w.live.n+w.closed.n+w.closing.n != 0 || w.proven.head != nil || w.unproven.head != nil {
		w.tape.t.Errorf("%d bytes lent, %d flows left", w.mem.lent, w.table.n)
	}
	return w.tape.String()
}
