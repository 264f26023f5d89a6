package reassembly

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
)

// table finds flows by 4-tuple, whichever end sent: open addressing with linear probing. A slot holds
// the hash beside the pointer, so that a miss touches no flow.
type table struct {
	slots []slot
	n     int
	seed  uint64 // from the clock of each run: nobody can prepare collisions
	free  *flow  // flows to be used again, linked by next
	chunk []flow
}

type slot struct {
	f    *flow
	hash uint32
}

func newTable() table {
	return table{slots: make([]slot, 1024), seed: rand.Uint64() | 1}
}

func (t *table) mix(addr *[16]byte, port uint16) uint64 {
	x := binary.LittleEndian.Uint64(addr[:8]) ^ uint64(port)<<16 ^ t.seed
	y := binary.LittleEndian.Uint64(addr[8:]) ^ 0x9e3779b97f4a7c15
	hi, lo := bits.Mul64(x, y)
	return hi ^ lo
}

// hashOf is the same for both directions.
func (t *table) hashOf(s *Segment) uint32 {
	h := (t.mix(&s.Src, s.SrcPort) + t.mix(&s.Dst, s.DstPort)) * 0x9e3779b97f4a7c15
	return uint32(h >> 32)
}

// from says which end of f sent s, or -1 where s is of another connection.
func (f *flow) from(s *Segment) int {
	if a, b := &f.ends[0], &f.ends[1]; a.Port == s.SrcPort && b.Port == s.DstPort && a.Addr == s.Src && b.Addr == s.Dst {
		return 0
	}
	if a, b := &f.ends[0], &f.ends[1]; a.Port == s.DstPort && b.Port == s.SrcPort && a.Addr == s.Dst && b.Addr == s.Src {
		return 1
	}
	return -1
}

// nearBy is where a flow is looked for before the table is: the same for both directions. Of up to some hundred
// connections most are found there, with neither a hash nor a slot.
func nearBy(a, b uint16) uint8 {
	sum := a + b
	return uint8(sum>>8 ^ sum)
}

func (t *table) find(s *Segment, hash uint32) (*flow, int) {
	mask := uint32(len(t.slots) - 1)
	for i := hash & mask; t.slots[i].f != nil; i = (i + 1) & mask {
		if t.slots[i].hash == hash {
			if dir := t.slots[i].f.from(s); dir >= 0 {
				return t.slots[i].f, dir
			}
		}
	}
	return nil, -1
}

// add makes a flow whose end 0 is s's sender.
func (t *table) add(s *Segment, hash uint32) *flow {
	if t.n >= len(t.slots)/4*3 {
		t.grow()
	}
	f := t.free
	if f != nil {
		t.free = f.next
	} else {
		if len(t.chunk) == 0 {
			t.chunk = make([]flow, 64)
		}
		f, t.chunk = &t.chunk[0], t.chunk[1:]
	}
	*f = flow{ends: [2]Endpoint{{s.Src, s.SrcPort}, {s.Dst, s.DstPort}}, hash: hash}
	f.sides[0].fin, f.sides[1].fin = noFin, noFin
	t.put(slot{f, hash})
	t.n++
	return f
}

func (t *table) put(s slot) {
	mask := uint32(len(t.slots) - 1)
	i := s.hash & mask
	for t.slots[i].f != nil {
		i = (i + 1) & mask
	}
	t.slots[i] = s
}

func (t *table) grow() {
	old := t.slots
	t.slots = make([]slot, 2*len(old))
	for _, s := range old {
		if s.f != nil {
			t.put(s)
		}
	}
}

// remove takes f out and closes the hole in the run of slots behind it.
func (t *table) remove(f *flow) {
	mask := uint32(len(t.slots) - 1)
	i := f.hash & mask
	for t.slots[i].f != f {
		i = (i + 1) & mask
	}
	for j := (i + 1) & mask; t.slots[j].f != nil; j = (j + 1) & mask {
		if home := t.slots[j].hash & mask; (j-home)&mask >= (j-i)&mask {
			t.slots[i] = t.slots[j]
			i = j
		}
	}
	t.slots[i] = slot{}
	t.n--
	*f = flow{next: t.free}
	t.free = f
}
