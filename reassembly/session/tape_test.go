package session_test

import (
	"fmt"
	"io"
	"testing"

	"ksniff/capture"
	"ksniff/decode"
	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

// A tape is what the TCP layer tells of a capture, to be told again in other ways.
type tape []op

type op struct {
	do     byte // open, start, data, gap, end
	conn   int
	side   int
	at     reassembly.Moment
	b      []byte
	gap    int64
	unseen bool
	why    reassembly.Ending
	ends   [2]reassembly.Endpoint
}

func (t *tape) Open(c *reassembly.Conn) { *t = append(*t, op{do: 'o', conn: c.ID, ends: c.Ends}) }
func (t *tape) Start(c *reassembly.Conn, side int) {
	*t = append(*t, op{do: 's', conn: c.ID, side: side})
}
func (t *tape) Data(c *reassembly.Conn, side int, at reassembly.Moment, b []byte) {
	*t = append(*t, op{do: 'd', conn: c.ID, side: side, at: at, b: append([]byte(nil), b...)})
}
func (t *tape) Gap(c *reassembly.Conn, side int, at reassembly.Moment, n int64, unseen bool) {
	*t = append(*t, op{do: 'g', conn: c.ID, side: side, at: at, gap: n, unseen: unseen})
}
func (t *tape) End(c *reassembly.Conn, side int, at reassembly.Moment, why reassembly.Ending) {
	*t = append(*t, op{do: 'e', conn: c.ID, side: side, at: at, why: why})
}

// record reads a capture of the repository.
func record(t testing.TB, name string) tape {
	played, err := recordFile("../../pcaps/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return played
}

// recordFile reads any capture; with an error comes what is before it.
func recordFile(name string) (played tape, err error) {
	files := capture.OpenAll(name)
	defer files.Close()
	a := reassembly.New(&played, reassembly.Config{})
	var packet capture.Packet
	var parser capture.Parser
	var segment capture.Segment
	for {
		if err = files.Next(&packet); err != nil {
			break
		}
		if parser.Parse(&packet, &segment) {
			s := reassembly.Segment(segment)
			a.Segment(&s)
		}
	}
	a.Flush()
	if err == io.EOF {
		err = nil
	}
	return played, err
}

// play tells the tape to a session.
func (t tape) play(s *session.Session) {
	out, conns := s.Streams(), map[int]*reassembly.Conn{}
	for _, o := range t {
		c := conns[o.conn]
		switch o.do {
		case 'o':
			c = &reassembly.Conn{ID: o.conn, Ends: o.ends}
			conns[o.conn] = c
			out.Open(c)
		case 's':
			out.Start(c, o.side)
		case 'd':
			out.Data(c, o.side, o.at, append([]byte(nil), o.b...)) // a copy of its own: nobody may keep it
		case 'g':
			out.Gap(c, o.side, o.at, o.gap, o.unseen)
		case 'e':
			out.End(c, o.side, o.at, o.why)
		}
	}
}

// notes writes down what a Sink is told.
type notes struct {
	frames     []string
	unanswered map[session.Why]int
	requests   map[string]int
	produced   map[string]int64 // messages by topic
	fetched    map[string]int64
	bytes      map[string]int64
	tokens     int
	unmatched  int
	faults     int
	whole      int // frames that do not lack bytes
	named      map[string]bool
}

func newNotes() *notes {
	return &notes{unanswered: map[session.Why]int{}, requests: map[string]int{}, produced: map[string]int64{},
		fetched: map[string]int64{}, bytes: map[string]int64{}, named: map[string]bool{}}
}

// identity is what a frame is, wherever its bytes were cut.
func identity(f *session.Frame) string {
	return fmt.Sprintf("%d/%d@%d+%d %s %d v%d #%d %v", f.Conn.ID, f.Side, f.Offset, f.Length, f.Kind, f.Key, f.Version, f.CorrelationID, f.Token)
}

func (n *notes) Frame(f *session.Frame) {
	incomplete := f.Faulty && f.Fault.Class == decode.Incomplete
	if !incomplete {
		n.whole++
	}
	id := identity(f)
	n.named[id] = true
	for _, p := range f.Parts {
		id += fmt.Sprintf(" %s/%d e%d @%d %+v", p.Topic.Name, p.Partition, p.Error, p.Offset, p.Sets)
		if f.Kind == decode.Request {
			n.produced[p.Topic.Name] += p.Sets.Messages
			n.bytes[p.Topic.Name] += p.Sets.Bytes
		} else {
			n.fetched[p.Topic.Name] += p.Sets.Messages
		}
	}
	n.frames = append(n.frames, id)
	switch {
	case f.Token:
		n.tokens++
	case f.Kind == decode.Request && f.API != nil:
		n.requests[f.API.Name]++
	case f.Kind == decode.Request:
		n.requests[fmt.Sprint(f.Key)]++
	case f.Request == nil:
		n.unmatched++
	}
	if f.Faulty {
		n.faults++
	}
}

func (n *notes) Unanswered(_ *reassembly.Conn, _ *session.Request, why session.Why) {
	n.unanswered[why]++
}

// balanced checks the ledger against the bytes of the tape.
func balanced(t testing.TB, s *session.Session, played tape) {
	t.Helper()
	var payload, gap int64
	for _, o := range played {
		payload += int64(len(o.b))
		gap += o.gap
	}
	l := s.Ledger()
	sum := l.Decoded + l.Undecodable + l.Skipped + l.Encrypted + l.Foreign + l.Pending
	if l.Payload != payload || sum != payload || l.Gap != gap {
		t.Fatalf("%d bytes, gap %d: ledger %+v adds up to %d", payload, gap, l, sum)
	}
}

// run plays a tape and checks the ledger.
func run(t testing.TB, played tape, cfg session.Config) (*notes, *session.Session) {
	t.Helper()
	n := newNotes()
	s := session.New(cfg, n)
	played.play(s)
	balanced(t, s, played)
	return n, s
}
