package bpf

// node is a part of an expression that is true or false for a packet.
type node interface {
	// gen writes the instructions that go to yes or no, and returns where they begin.
	gen(p *program, yes, no label) label
}

type (
	conjunction struct{ a, b node }
	disjunction struct{ a, b node }
	negation    struct{ a node }
	constant    bool
)

func (n conjunction) gen(p *program, yes, no label) label {
	return n.a.gen(p, n.b.gen(p, yes, no), no)
}

func (n disjunction) gen(p *program, yes, no label) label {
	return n.a.gen(p, yes, n.b.gen(p, yes, no))
}

func (n negation) gen(p *program, yes, no label) label { return n.a.gen(p, no, yes) }

func (n constant) gen(_ *program, yes, no label) label {
	if n {
		return yes
	}
	return no
}

// and, or and not join nodes; constants vanish, so that no instruction is written for nothing.
func and(nodes ...node) node {
	var n node = constant(true)
	for _, b := range nodes {
		switch {
		case n == constant(true):
			n = b
		case n == constant(false) || b == constant(false):
			n = constant(false)
		case b != constant(true):
			n = conjunction{n, b}
		}
	}
	return n
}

func or(nodes ...node) node {
	var n node = constant(false)
	for _, b := range nodes {
		switch {
		case n == constant(false):
			n = b
		case n == constant(true) || b == constant(true):
			n = constant(true)
		case b != constant(false):
			n = disjunction{n, b}
		}
	}
	return n
}

func not(n node) node {
	if c, ok := n.(constant); ok {
		return !c
	}
	return negation{n}
}
