package bpf

import (
	"fmt"

	"golang.org/x/net/bpf"
)

const (
	// maxInstructions is the kernel's limit.
	maxInstructions = 4096
	// accept is what a program returns for a packet that is wanted: keep all of it.
	accept = 262144
)

// Compile compiles an expression for packets of a link type, numbered as in pcap files. An empty
// expression takes every packet. Errors in the expression are *Error.
func Compile(expression string, link uint32) ([]bpf.Instruction, error) {
	return compile(expression, link, false)
}

// CompileLive compiles for a socket of the kernel, which takes the outer VLAN tag out of a packet
// and tells it apart.
func CompileLive(expression string, link uint32) ([]bpf.Instruction, error) {
	return compile(expression, link, true)
}

func compile(expression string, number uint32, live bool) ([]bpf.Instruction, error) {
	l, err := linkOf(number)
	if err != nil {
		return nil, err
	}
	n, tags, err := parse(expression, l, false)
	if err != nil {
		return nil, err
	}
	if live && tags > 0 {
		inner, _, err := parse(expression, l, true)
		if err != nil {
			return nil, err
		}
		there := extension{what: bpf.ExtVLANTagPresent, value: 1}
		n = or(and(there, inner), and(not(there), n))
	}
	var p program
	no := p.put(bpf.RetConstant{Val: 0})
	yes := p.put(bpf.RetConstant{Val: accept})
	switch begin := n.gen(&p, yes, no); {
	case begin == no:
		return nil, &Error{1, "no packet of " + l.name + " can match"}
	case begin != label(len(p.back)):
		p.put(bpf.Jump{Skip: uint32(len(p.back) - int(begin))})
	}
	if len(p.back) > maxInstructions {
		return nil, &Error{1, fmt.Sprintf("the filter needs %d instructions, the kernel takes %d", len(p.back), maxInstructions)}
	}
	return p.finish(), nil
}

func parse(expression string, l link, kernel bool) (node, uint32, error) {
	p := parser{tokens: lex(expression), link: l, kernel: kernel}
	if p.peek().text == "" {
		return constant(true), 0, nil
	}
	n, err := p.expression()
	if err == nil && p.peek().text != "" {
		err = p.expected("and, or")
	}
	return n, p.tags, err
}
