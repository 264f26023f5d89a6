package reassembly

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// sent is a segment of the model, by stream offset.
type sent struct {
	dir      int
	off, ack int64
	flags    uint8
	payload  []byte
}

// model is a conversation: two streams, cut into segments, each acknowledged by the other side.
type model struct {
	r       *rand.Rand
	streams [2][]byte
	snap    int // see wire
	packets []sent
}

func newModel(r *rand.Rand, size, segment int) *model {
	m := &model{r: r}
	for i := range m.streams {
		m.streams[i] = make([]byte, size/2+r.IntN(size))
		for k := range m.streams[i] {
			m.streams[i][k] = byte(r.Uint32())
		}
	}
	m.packets = append(m.packets, sent{0, 0, 0, syn, nil}, sent{1, 0, 0, syn | ack, nil}, sent{0, 0, 0, ack, nil})
	var at [2]int64
	for at[0] < int64(len(m.streams[0])) || at[1] < int64(len(m.streams[1])) {
		dir := r.IntN(2)
		n := min(int64(1+r.IntN(segment)), int64(len(m.streams[dir]))-at[dir])
		if n == 0 {
			continue
		}
		m.packets = append(m.packets, sent{dir, at[dir], at[1-dir], psh, m.streams[dir][at[dir] : at[dir]+n]})
		at[dir] += n
		if r.IntN(3) == 0 {
			m.packets = append(m.packets, sent{1 - dir, at[1-dir], at[dir], ack, nil})
		}
	}
	m.packets = append(m.packets, sent{0, at[0], at[1], fin, nil}, sent{1, at[1], at[0] + 1, fin, nil}, sent{0, at[0] + 1, at[1] + 1, ack, nil})
	return m
}

// repeat puts segments again within a few places, with a part of the same or of more bytes.
func (m *model) repeat(prob float64) {
	var out []sent
	for _, p := range m.packets {
		out = append(out, p)
		if len(p.payload) == 0 || m.r.Float64() >= prob {
			continue
		}
		q, s := p, m.streams[p.dir]
		near := min(50, 2*len(p.payload)) // a few segments, so that it is no late copy of a lost one
		from := max(p.off-int64(m.r.IntN(near)), 0)
		to := min(p.off+int64(1+m.r.IntN(len(p.payload)+near)), int64(len(s)))
		if to <= from {
			continue
		}
		q.off, q.payload = from, s[from:to]
		out = append(out, q)
	}
	m.packets = out
}

// reorder moves segments up to dist places back.
func (m *model) reorder(prob float64, dist int) {
	type place struct {
		at float64
		p  sent
	}
	var list []place
	for i, p := range m.packets {
		at := float64(i)
		if p.flags&syn == 0 && m.r.Float64() < prob {
			at += float64(1+m.r.IntN(dist)) + .5
		}
		list = append(list, place{at, p})
	}
	slices.SortStableFunc(list, func(a, b place) int {
		if a.at < b.at {
			return -1
		} else if a.at > b.at {
			return 1
		}
		return 0
	})
	for i, x := range list {
		m.packets[i] = x.p
	}
}

func (m *model) drop(prob float64) {
	m.packets = slices.DeleteFunc(m.packets, func(p sent) bool { return p.flags&(syn|flagFIN) == 0 && m.r.Float64() < prob })
}

// covered says of each stream byte whether a packet has it.
func (m *model) covered(dir int) []bool {
	have := make([]bool, len(m.streams[dir]))
	for _, p := range m.packets {
		if p.dir == dir {
			for i := range p.payload {
				if m.snap > 0 && i >= m.snap {
					break
				}
				have[p.off+int64(i)] = true
			}
		}
	}
	return have
}

func (m *model) feed(w *wire, c, b *host) {
	ends := [2]*host{c, b}
	w.snap = m.snap
	for _, p := range m.packets {
		w.send(ends[p.dir], ends[1-p.dir], p.flags, p.off, p.ack, string(p.payload))
	}
}

// check compares what came out with the streams: every captured byte, and a gap for each run of others
// but those before the first one of a stream without SYN.
func (m *model) check(k *taped) error {
	for dir := range k.sides {
		d, want, have := &k.sides[dir], m.streams[dir], m.covered(dir)
		hasSYN := slices.ContainsFunc(m.packets, func(p sent) bool { return p.dir == dir && p.flags&syn != 0 })
		off := 0
		for !hasSYN && off < len(have) && !have[off] {
			off++
		}
		for _, r := range d.runs {
			for range r.gap {
				if off >= len(have) || have[off] {
					return fmt.Errorf("side %d: byte %d is taken for lost", dir, off)
				}
				off++
			}
			if off+len(r.data) > len(want) || !bytes.Equal(r.data, want[off:off+len(r.data)]) {
				return fmt.Errorf("side %d: other bytes at %d", dir, off)
			}
			off += len(r.data)
		}
		if off != len(want) {
			return fmt.Errorf("side %d: %d bytes of %d", dir, off, len(want))
		}
		if d.start != hasSYN || d.ends[0] != Fin {
			return fmt.Errorf("side %d: start %v, end %d", dir, d.start, d.ends[0])
		}
	}
	return nil
}

// checkCauses demands of a whole conversation that nobody answers before what it answers is handed out.
func (m *model) checkCauses(k *taped) error {
	var at [2]int64
	var seen [2][]int64 // of each byte: how far the other side was
	for _, h := range k.hands {
		for range h.n {
			seen[h.side] = append(seen[h.side], at[1-h.side])
		}
		at[h.side] += h.n
	}
	for _, p := range m.packets {
		if len(p.payload) > 0 && seen[p.dir][p.off] < p.ack-1 {
			return fmt.Errorf("side %d: byte %d acknowledges %d, %d were handed out", p.dir, p.off, p.ack, seen[p.dir][p.off])
		}
	}
	return nil
}

// However a conversation is cut, repeated, reordered and captured in part, all bytes that were
// captured come out, in order and once, and all others are gaps.
func TestAgainstModel(t *testing.T) {
	rounds := 300
	if testing.Short() {
		rounds = 80
	}
	for seed := range uint64(rounds) {
		r := rand.New(rand.NewPCG(seed, 1))
		m := newModel(r, 8000, []int{3, 100, 1460, 9000}[r.IntN(4)])
		repeats, starts := r.IntN(2) == 0, r.IntN(4) > 0
		if repeats {
			m.repeat(.3 * r.Float64())
		}
		if r.IntN(2) == 0 {
			m.reorder(.5*r.Float64(), 1+r.IntN(30))
		}
		if r.IntN(2) == 0 {
			m.drop(.2 * r.Float64())
		}
		if !repeats && r.IntN(4) == 0 { // what the snap length cut is not waited for, though a copy may have it
			m.snap = 1 + r.IntN(400)
		}
		if !starts {
			m.packets = m.packets[min(3+r.IntN(300), len(m.packets)/2):]
		}
		w, c, b := newWire(t, Config{}), client, broker
		c.isn, b.isn = r.Uint32(), -uint32(r.IntN(8000))
		m.feed(w, &c, &b)
		w.finish()
		if len(w.tape.conns) != 1 {
			t.Fatalf("seed %d: %d connections", seed, len(w.tape.conns))
		}
		k := w.tape.conns[0]
		if k.conn.Ends[0] != client.addr { // mid-stream, and the broker was seen first
			k.sides[0], k.sides[1] = k.sides[1], k.sides[0]
			for i := range k.hands {
				k.hands[i].side = 1 - k.hands[i].side
			}
		}
		err := m.check(k)
		if err == nil && starts && !repeats {
			err = m.checkCauses(k)
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}
