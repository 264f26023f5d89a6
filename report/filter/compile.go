package filter

import (
	"regexp"
	"slices"
	"strings"
)

// compiler turns a parsed expression into closures and checks its types on the way.
type compiler struct {
	source string
	filter *Filter
}

func (c *compiler) compile(n node) (func(Subject) bool, cost, *Error) {
	switch n := n.(type) {
	case negate:
		of, price, bad := c.compile(n.of)
		return func(s Subject) bool { return !of(s) }, price, bad
	case both:
		left, right, price, bad := c.pair(n.left, n.right)
		return func(s Subject) bool { return left(s) && right(s) }, price, bad
	case either:
		left, right, price, bad := c.pair(n.left, n.right)
		return func(s Subject) bool { return left(s) || right(s) }, price, bad
	}
	t := n.(test)
	match, bad := c.test(&t)
	return match, t.field.cost, bad
}

// pair compiles both sides and puts the cheap one first: tests change nothing.
func (c *compiler) pair(a, b node) (left, right func(Subject) bool, price cost, bad *Error) {
	left, price, bad = c.compile(a)
	if bad != nil {
		return
	}
	right, other, bad := c.compile(b)
	if other < price {
		left, right = right, left
	}
	return left, right, max(price, other), bad
}

// holds wraps a predicate of a value into one of a subject.
func (t *test) holds(is func(Value) bool) func(Subject) bool {
	id, path := t.field.id, t.path
	if path != nil {
		return func(s Subject) bool { return s.AnyAt(id, path, is) }
	}
	return func(s Subject) bool { return s.Any(id, is) }
}

func anything(Value) bool { return true }

// test compiles one test. `==` and the like hold where one value of the field does; `!=`, `!~` and
// `not in` where the frame has the field and no value of it is so.
func (c *compiler) test(t *test) (func(Subject) bool, *Error) {
	if t.op == "" {
		return t.holds(t.present()), nil
	}
	inverse, op := false, t.op
	switch op {
	case "!=", "not in":
		inverse, op = true, "=="
	case "!~":
		inverse, op = true, "~"
	case "in":
		op = "=="
	}
	var tests []func(Value) bool
	for i := range t.args {
		is, bad := c.literal(t, op, &t.args[i])
		if bad != nil {
			return nil, bad
		}
		tests = append(tests, is)
	}
	one := tests[0]
	if len(tests) > 1 {
		one = func(v Value) bool {
			return slices.ContainsFunc(tests, func(is func(Value) bool) bool { return is(v) })
		}
	}
	has := t.holds(one)
	if !inverse {
		return has, nil
	}
	there := t.holds(anything)
	return func(s Subject) bool { return there(s) && !has(s) }, nil
}

// present is the meaning of a field that stands alone: it is there; of yes/no fields that it is yes,
// of errors that there is one.
func (t *test) present() func(Value) bool {
	switch t.field.typ {
	case tFlag, tError:
		return func(v Value) bool { return v.Int != 0 }
	case tAny:
		return func(v Value) bool { return v.Kind != Flag || v.Int != 0 }
	}
	return anything
}

func (c *compiler) wrong(l *literal, format string, args ...any) *Error {
	return fail(c.source, l.from, l.to, format, args...)
}

// literal compiles `field op literal`.
func (c *compiler) literal(t *test, op string, l *literal) (func(Value) bool, *Error) {
	if op == "~" || op == "contains" {
		return c.pattern(t, op, l)
	}
	switch t.field.typ {
	case tText:
		return c.text(op, l)
	case tAny:
		return c.any(op, l)
	case tFlag, tWord, tAddress, tAPI:
		if op != "==" {
			return nil, c.wrong(l, "%s has no order: use ==, != or in", t.name.text)
		}
		if l.upper != nil {
			return nil, c.wrong(l, "%s has no order, so no ranges", t.name.text)
		}
	}
	switch t.field.typ {
	case tFlag:
		return c.flag(t, l)
	case tWord:
		return c.word(t, l)
	case tAddress:
		a, ok := parseAddress(l.text)
		if !ok {
			return nil, c.wrong(l, "not an address: 10.0.0.1, 10.0.0.1:9092, 10.0.0.0/8, [::1]:9092")
		}
		return func(v Value) bool { return a.has(v.Addr, int32(v.Int)) }, nil
	case tAPI:
		return c.api(l)
	}
	return c.quantity(t, op, l)
}

func (c *compiler) pattern(t *test, op string, l *literal) (func(Value) bool, *Error) {
	switch t.field.typ {
	case tText, tAPI, tAny, tWord:
	default:
		return nil, c.wrong(l, "%s is no text, so %s does not apply", t.name.text, op)
	}
	part := l.text
	if op == "contains" {
		return func(v Value) bool { return strings.Contains(v.Text, part) }, nil
	}
	re, err := regexp.Compile(part)
	if err != nil {
		return nil, c.wrong(l, "not a regular expression: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return func(v Value) bool { return (v.Text != "" || v.Kind == Text) && re.MatchString(v.Text) }, nil
}

// order gives the test of an operator over the outcome of a comparison.
func order(op string) func(int) bool {
	switch op {
	case "<":
		return func(c int) bool { return c < 0 }
	case "<=":
		return func(c int) bool { return c <= 0 }
	case ">":
		return func(c int) bool { return c > 0 }
	case ">=":
		return func(c int) bool { return c >= 0 }
	}
	return func(c int) bool { return c == 0 }
}

func (c *compiler) text(op string, l *literal) (func(Value) bool, *Error) {
	want, is := l.text, order(op)
	if l.upper != nil { // text may hold two points
		want = l.text + ".." + l.upper.text
	}
	return func(v Value) bool { return v.Kind == Text && is(strings.Compare(v.Text, want)) }, nil
}
