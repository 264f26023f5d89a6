package bpf

import (
	"slices"

	"golang.org/x/net/bpf"
)

// program is written from its end to its start, so that each jump knows how far it goes: a label is
// the number of instructions from the instruction to the end.
type program struct {
	back    []bpf.Instruction // the last one first
	bridges map[label]label   // the nearest unconditional jump to a label
}

type label int

func (p *program) put(i bpf.Instruction) label {
	p.back = append(p.back, i)
	return label(len(p.back))
}

// jump writes a comparison of the accumulator.
func (p *program) jump(test bpf.JumpTest, value uint32, yes, no label) label {
	// The bridge for one target may push the other one out of reach.
	for range 2 {
		yes, no = p.reach(yes), p.reach(no)
	}
	return p.put(bpf.JumpIf{Cond: test, Val: value, SkipTrue: uint8(p.distance(yes)), SkipFalse: uint8(p.distance(no))})
}

func (p *program) distance(to label) int { return len(p.back) - int(to) }

// reach gives a label from where a jump goes to the wanted one. Conditional jumps go over at most
// 255 instructions; for more there is an unconditional jump, used again as long as it is near.
func (p *program) reach(to label) label {
	const far = 253
	if p.distance(to) <= far {
		return to
	}
	if bridge, ok := p.bridges[to]; ok && p.distance(bridge) <= far {
		return bridge
	}
	bridge := p.put(bpf.Jump{Skip: uint32(p.distance(to))})
	if p.bridges == nil {
		p.bridges = make(map[label]label)
	}
	p.bridges[to] = bridge
	return bridge
}

// finish gives the instructions in order.
func (p *program) finish() []bpf.Instruction {
	out := slices.Clone(p.back)
	slices.Reverse(out)
	return out
}

// field is a comparison of a number in the packet.
type field struct {
	header bool   // at is behind the IPv4 header at base
	base   uint32 // where that header is
	at     uint32
	size   int    // bytes
	mask   uint32 // 0: none
	test   bpf.JumpTest
	value  uint32
}

func (f field) gen(p *program, yes, no label) label {
	p.jump(f.test, f.value, yes, no)
	if f.mask != 0 {
		p.put(bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: f.mask})
	}
	if f.header {
		p.put(bpf.LoadIndirect{Off: f.base + f.at, Size: f.size})
		return p.put(bpf.LoadMemShift{Off: f.base})
	}
	return p.put(bpf.LoadAbsolute{Off: f.at, Size: f.size})
}

// extension is a comparison of what the kernel knows about the packet.
type extension struct {
	what  bpf.Extension
	mask  uint32
	value uint32
}

func (e extension) gen(p *program, yes, no label) label {
	p.jump(bpf.JumpEqual, e.value, yes, no)
	if e.mask != 0 {
		p.put(bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: e.mask})
	}
	return p.put(bpf.LoadExtension{Num: e.what})
}
