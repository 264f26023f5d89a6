package session_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"ksniff/capture"
	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

// segments reads the TCP segments of a capture of the repository.
func segments(t testing.TB, name string) []reassembly.Segment {
	return segmentsOf(t, "../../pcaps/"+name)
}

// segmentsOf reads those of any capture.
func segmentsOf(t testing.TB, path string) (out []reassembly.Segment) {
	files := capture.OpenAll(path)
	defer files.Close()
	var packet capture.Packet
	var parser capture.Parser
	var segment capture.Segment
	for {
		err := files.Next(&packet)
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if parser.Parse(&packet, &segment) {
			s := reassembly.Segment(segment)
			s.Payload = slices.Clone(s.Payload)
			out = append(out, s)
		}
	}
}

// damage is how a capture is made worse.
type damage struct {
	cut      int     // segments are cut into pieces of at most so many bytes
	reorder  int     // segments move back by up to so many places
	twice    float64 // captured twice
	other    float64 // retransmitted, after the first copy, with other bytes
	lost     float64
	snap     int  // bytes of payload that are kept
	skip     int  // segments before the capture begins
	late     bool // the same, by connection: SYNs are not in it
	lossless bool
}

// apply damages segments reproducibly.
func (d damage) apply(in []reassembly.Segment, r *rand.Rand) (out []reassembly.Segment) {
	for _, s := range in[min(d.skip, len(in)):] {
		if d.late && s.Flags&2 != 0 {
			continue
		}
		pieces := []reassembly.Segment{s}
		for d.cut > 0 && len(s.Payload) > 0 && s.Wire == len(s.Payload) {
			p := &pieces[len(pieces)-1]
			n := 1 + r.IntN(d.cut)
			if len(p.Payload) <= n {
				break
			}
			rest := *p
			rest.Payload, rest.Seq, rest.Wire = p.Payload[n:], p.Seq+uint32(n), p.Wire-n
			rest.Flags &^= 2
			if p.Flags&2 != 0 {
				rest.Seq++
			}
			p.Payload, p.Wire, p.Flags = p.Payload[:n], n, p.Flags&^1
			pieces = append(pieces, rest)
		}
		for _, p := range pieces {
			if len(p.Payload) > 0 && r.Float64() < d.lost {
				continue
			}
			if d.snap > 0 && len(p.Payload) > d.snap {
				p.Payload = p.Payload[:d.snap]
			}
			out = append(out, p)
			if r.Float64() < d.twice {
				out = append(out, p)
			}
		}
	}
	for i := range out {
		if d.reorder > 0 && len(out[i].Payload) > 0 && out[i].Flags&7 == 0 && r.IntN(10) == 0 {
			for j := i; j > max(0, i-1-r.IntN(d.reorder)) && out[j-1].Flags&7 == 0; j-- {
				out[j], out[j-1] = out[j-1], out[j]
			}
		}
	}
	placed := out
	out = nil
	for _, p := range placed {
		out = append(out, p)
		if len(p.Payload) > 0 && r.Float64() < d.other {
			p.Payload = slices.Clone(p.Payload)
			for i := range p.Payload {
				p.Payload[i] ^= byte(1 + r.IntN(255))
			}
			out = append(out, p)
		}
	}
	for i := range out {
		out[i].Packet = uint64(i + 1)
	}
	return out
}

// sent is what a frame is to those who sent it: its ends, size, name and id.
func sent(f *session.Frame) string {
	a, b := f.Conn.Ends[f.Side], f.Conn.Ends[1-f.Side]
	return fmt.Sprintf("%v:%d %v:%d +%d", a.Addr[12:], a.Port, b.Addr[12:], b.Port, f.Length)
}

// seen notes frames by what can be told of them however they were captured.
type seen struct {
	named map[string]int // with API, version and id
	sizes map[string]int // without
	all   []string       // as named
}

func (n *seen) Frame(f *session.Frame) {
	what := sent(f)
	n.sizes[what]++
	name := fmt.Sprintf("%s %v %d v%d #%d", what, f.Kind, f.Key, f.Version, f.CorrelationID)
	n.named[name]++
	n.all = append(n.all, name)
}

func (n *seen) Unanswered(*reassembly.Conn, *session.Request, session.Why) {}

func watch(t *testing.T, in []reassembly.Segment) (*seen, *session.Session) {
	n := &seen{named: map[string]int{}, sizes: map[string]int{}}
	s := session.New(session.Config{}, n)
	a := reassembly.New(s.Streams(), reassembly.Config{})
	var payload int64
	for i := range in {
		g := in[i]
		payload += int64(len(g.Payload))
		a.Segment(&g)
	}
	a.Flush()
	l, st := s.Ledger(), a.Stats()
	sum := l.Decoded + l.Undecodable + l.Skipped + l.Encrypted + l.Foreign + l.Pending
	if l.Payload != sum || sum != st.Bytes || st.Bytes+st.Waiting+st.Repeated+st.Stray != payload || l.Gap != st.GapBytes {
		t.Errorf("%d bytes captured, %+v, %+v", payload, l, st)
	}
	return n, s
}

// TestAnyDamage: however packets are cut, reordered, repeated, forged, lost and shortened, the ledger
// balances and no frame appears that was never sent; where nothing is lost, all frames are there.
func TestAnyDamage(t *testing.T) {
	captures := []string{"quickstart.pcap", "group.pcap", "kafka-0.8.pcap", "sasl.pcap", "share.pcap", "legacy.pcap", "fetch-sessions.pcap", "transactions.pcap", "admin.pcap", "errors.pcap"}
	damages := map[string]damage{
		"cut":                      {cut: 1460, lossless: true},
		"cut small":                {cut: 9, lossless: true},
		"cut, reordered, twice":    {cut: 300, reorder: 6, twice: .1, lossless: true},
		"forged":                   {cut: 1460, other: .1, lossless: true},
		"all that loses nothing":   {cut: 200, reorder: 4, twice: .1, other: .1, lossless: true},
		"lost":                     {cut: 1460, lost: .03},
		"lost, reordered, forged":  {cut: 700, reorder: 5, twice: .05, other: .05, lost: .02},
		"much lost":                {cut: 1460, lost: .4},
		"snap length":              {snap: 60},
		"snap length, lost":        {snap: 200, lost: .05, reorder: 3},
		"begun late":               {skip: 300},
		"begun late, cut, lost":    {skip: 333, cut: 1000, lost: .05, twice: .1},
		"begun late and reordered": {skip: 150, cut: 500, reorder: 8},
		"begun late, shortened":    {skip: 250, snap: 120},
		"no handshakes, shortened": {late: true, snap: 40},
		"no handshakes, cut, lost": {late: true, cut: 1460, lost: .03, reorder: 4},
		"no handshakes, much lost": {late: true, snap: 128, lost: .2},
	}
	for _, name := range captures {
		in := segments(t, name)
		whole, _ := watch(t, in)
		slices.Sort(whole.all)
		for what, d := range damages {
			for seed := range uint64(4) {
				got, _ := watch(t, d.apply(in, rand.New(rand.NewPCG(seed, 77))))
				if d.lossless {
					slices.Sort(got.all)
					if !slices.Equal(got.all, whole.all) {
						t.Errorf("%s, %s, seed %d: %s", name, what, seed, difference(got.all, whole.all))
					}
					continue
				}
				for size, n := range got.sizes {
					if n > whole.sizes[size] {
						t.Errorf("%s, %s, seed %d: %s was never sent so often", name, what, seed, size)
					}
				}
				for frame, n := range got.named {
					if n > whole.named[frame] && !damagedFrame(frame+" ") {
						t.Errorf("%s, %s, seed %d: %s was named otherwise", name, what, seed, frame)
					}
				}
			}
		}
	}
}
