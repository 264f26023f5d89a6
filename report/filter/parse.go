package filter

import (
	"cmp"
	"strings"
)

// The nodes of a parsed expression. A test without an operator asks whether the field is there.
type (
	node   interface{}
	both   struct{ left, right node }
	either struct{ left, right node }
	negate struct{ of node }
	test   struct {
		field *field
		path  []string // of Body and Header, folded names
		name  token
		op    string
		args  []literal
	}
)

// literal is a value as it is written; upper is the other end of a range in a set, or nil.
type literal struct {
	token
	upper *literal
}

// maxDepth bounds parentheses and negations.
const maxDepth = 100

type parser struct {
	source string
	token  token
	depth  int
}

func parse(source string) (n node, bad *Error) {
	p := &parser{source: source}
	if bad := p.advance(0); bad != nil {
		return nil, bad
	}
	if n, bad = p.expression(0); bad != nil {
		return nil, bad
	}
	if p.token.kind != end {
		return nil, p.unexpected("and, or, or the end")
	}
	return n, nil
}

func (p *parser) advance(from int) (bad *Error) {
	p.token, bad = next(p.source, from)
	return bad
}

func (p *parser) unexpected(wanted string) *Error {
	t := p.token
	if t.kind == end {
		return fail(p.source, t.from, t.to, "%s expected here", wanted)
	}
	return fail(p.source, t.from, t.to, "%s expected, not %s", wanted, p.source[t.from:t.to])
}

// power is the binding power of the operators between two tests.
func power(k kind) int {
	switch k {
	case or:
		return 1
	case and:
		return 2
	}
	return 0
}

// expression reads tests joined by operators that bind more tightly than least.
func (p *parser) expression(least int) (node, *Error) {
	left, bad := p.operand()
	for bad == nil && power(p.token.kind) > least {
		joint := p.token.kind
		if bad = p.advance(p.token.to); bad != nil {
			break
		}
		var right node
		if right, bad = p.expression(power(joint)); joint == and {
			left = both{left, right}
		} else {
			left = either{left, right}
		}
	}
	return left, bad
}

func (p *parser) operand() (node, *Error) {
	if p.depth++; p.depth > maxDepth {
		return nil, fail(p.source, p.token.from, p.token.to, "nested more than %d deep", maxDepth)
	}
	defer func() { p.depth-- }()
	switch t := p.token; t.kind {
	case not:
		if bad := p.advance(t.to); bad != nil {
			return nil, bad
		}
		n, bad := p.operand()
		return negate{n}, bad
	case open:
		if bad := p.advance(t.to); bad != nil {
			return nil, bad
		}
		n, bad := p.expression(0)
		if bad == nil && p.token.kind != closing {
			bad = p.unexpected("and, or, or )")
		}
		if bad != nil {
			return nil, bad
		}
		return n, p.advance(p.token.to)
	case word:
		return p.test()
	case text:
		return nil, fail(p.source, t.from, t.to, "a test begins with the name of a field; the value comes after the operator")
	}
	return nil, p.unexpected("the name of a field")
}

// test reads a field, and an operator with its value where there is one.
func (p *parser) test() (node, *Error) {
	t := test{name: p.token}
	if bad := p.resolve(&t); bad != nil {
		return nil, bad
	}
	if bad := p.advance(p.token.to); bad != nil {
		return nil, bad
	}
	inverse := p.token.kind == not
	if inverse { // `not in`, and only that
		if bad := p.advance(p.token.to); bad != nil {
			return nil, bad
		}
	}
	if inverse && p.token.text != "in" {
		return nil, p.unexpected("in")
	}
	if p.token.kind == word || p.token.kind == text {
		return nil, p.unexpected("an operator (== != < <= > >= ~ !~ in contains)")
	}
	if p.token.kind != operator {
		return t, nil
	}
	t.op = p.token.text
	if bad := p.advance(p.token.to); bad != nil {
		return nil, bad
	}
	if t.op == "in" {
		if inverse {
			t.op = "not in"
		}
		return t, p.set(&t)
	}
	if !isValue(p.token) {
		return nil, p.unexpected("a value")
	}
	t.args = []literal{{token: p.token}}
	return t, p.advance(p.token.to)
}

// isValue: a word that joins tests is a value where only a value can stand, but no symbol is.
func isValue(t token) bool { return t.kind == word || t.kind == text }

// set reads {a, b, 1..5}; commas may be left out.
func (p *parser) set(t *test) *Error {
	if p.token.kind != brace {
		return p.unexpected("{ with the values")
	}
	from := p.token.from
	for {
		if bad := p.advance(p.token.to); bad != nil {
			return bad
		}
		switch {
		case p.token.kind == comma && len(t.args) > 0:
		case p.token.kind == unbrace && len(t.args) > 0:
			return p.advance(p.token.to)
		case p.token.kind == unbrace:
			return fail(p.source, from, p.token.to, "the set is empty")
		case isValue(p.token):
			t.args = append(t.args, span(p.token))
		default:
			return p.unexpected("a value or }")
		}
	}
}

// span splits 1..5, which is one word, into its ends.
func span(t token) literal {
	if low, high, ok := strings.Cut(t.text, ".."); ok && t.kind == word && low != "" && high != "" {
		return literal{token{word, low, t.from, t.to}, &literal{token: token{word, high, t.from, t.to}}}
	}
	return literal{token: t}
}

// resolve finds the field that a test names.
func (p *parser) resolve(t *test) *Error {
	name := t.name.text
	if first, rest, dotted := strings.Cut(name, "."); dotted {
		switch strings.ToLower(first) {
		case "body", "header":
			return t.resolvePath(p.source, strings.ToLower(first), rest)
		}
	}
	if t.field = byName[canonical(name)]; t.field == nil {
		return fail(p.source, t.name.from, t.name.to, "no field is called %s%s", name, cmp.Or(meant(name), nearest(name, fieldNames)))
	}
	return nil
}
