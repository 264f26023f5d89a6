package filter

import (
	"fmt"
	"slices"
	"strings"

	"ksniff/decode/schema"
)

// quantity compiles a comparison with a number, size, duration, time or error.
func (c *compiler) quantity(t *test, op string, l *literal) (func(Value) bool, *Error) {
	low, bad := c.scalar(t, l)
	if bad != nil {
		return nil, bad
	}
	if l.upper != nil {
		high, bad := c.scalar(t, l.upper)
		if bad != nil {
			return nil, bad
		}
		return func(v Value) bool { return low(v) >= 0 && high(v) <= 0 }, nil
	}
	is := order(op)
	return func(v Value) bool { return is(low(v)) }, nil
}

// scalar compiles the comparison of a value with a literal: below, at or above it.
func (c *compiler) scalar(t *test, l *literal) (func(Value) int, *Error) {
	var q quantity
	var ok bool
	want := "a number"
	switch t.field.typ {
	case tNumber:
		q, ok = number(l.text)
	case tSize:
		want = "a size: 1500, 1MB (10⁶ bytes), 1MiB (2²⁰)"
		q, ok = size(l.text)
	case tDuration:
		want = "a duration: 100ms, 1.5s, 2m"
		if q, ok = duration(l.text); !ok {
			if _, bare := number(l.text); bare {
				want += " (which unit?)"
			}
		}
	case tTime:
		return c.time(l)
	case tError:
		if q, ok = number(l.text); !ok {
			e := schema.LookupErrorName(l.text)
			if e == nil {
				return nil, c.wrong(l, "no error is called %s%s", l.text, nearest(l.text, errorNames))
			}
			q, ok = whole(int64(e.Code)), true
		}
	}
	if !ok {
		return nil, c.wrong(l, "%s is compared with %s", t.name.text, want)
	}
	return q.compare, nil
}

func (c *compiler) time(l *literal) (func(Value) int, *Error) {
	ns, ofDay, ok := moment(l.text)
	if !ok {
		return nil, c.wrong(l, `not a time: "12:00:01" (UTC, first day of the capture), "2025-06-01 12:00:01", RFC 3339, seconds since 1970`)
	}
	q := whole(ns)
	if !ofDay {
		return q.compare, nil
	}
	f := c.filter
	f.clock = true
	return func(v Value) int { return whole(f.midnight + ns).compare(v) }, nil
}

func (c *compiler) flag(t *test, l *literal) (func(Value) bool, *Error) {
	var want int64
	switch strings.ToLower(l.text) {
	case "true", "yes", "1":
		want = 1
	case "false", "no", "0":
	default:
		return nil, c.wrong(l, "%s is true or false", t.name.text)
	}
	return func(v Value) bool { return v.Int == want }, nil
}

func (c *compiler) word(t *test, l *literal) (func(Value) bool, *Error) {
	words := strings.Fields(t.field.words)
	want := strings.ToLower(l.text)
	if !slices.Contains(words, want) {
		return nil, c.wrong(l, "%s is %s%s", t.name.text, alternatives(words), nearest(want, slices.Values(words)))
	}
	return func(v Value) bool { return v.Text == want }, nil
}

// alternatives joins words as "a, b or c".
func alternatives(words []string) string {
	last := len(words) - 1
	return fmt.Sprintf("%s or %s", strings.Join(words[:last], ", "), words[last])
}

func (c *compiler) api(l *literal) (func(Value) bool, *Error) {
	if q, ok := number(l.text); ok {
		return func(v Value) bool { return q.compare(v) == 0 }, nil
	}
	want := l.text
	if !apiNamed(want) {
		return nil, c.wrong(l, "no API is called %s%s", want, nearest(want, apiNames))
	}
	return func(v Value) bool { return strings.EqualFold(v.Text, want) }, nil
}

// any compiles a comparison with a field of a message: as numbers where both are, else as text.
func (c *compiler) any(op string, l *literal) (func(Value) bool, *Error) {
	texts, _ := c.text(op, l)
	is := order(op)
	q, isNumber := number(l.text)
	if l.upper != nil {
		high, ok := number(l.upper.text)
		if !ok || !isNumber {
			return texts, nil
		}
		return func(v Value) bool { return v.Kind <= Real && q.compare(v) >= 0 && high.compare(v) <= 0 }, nil
	}
	var truth int64 = -1
	if t := strings.ToLower(l.text); t == "true" || t == "false" {
		truth = int64(strings.Index("false true", t) / 6)
	}
	return func(v Value) bool {
		switch {
		case v.Kind == Text:
			return texts(v)
		case v.Kind == Flag:
			return v.Int == truth && is(0)
		}
		return isNumber && is(q.compare(v))
	}, nil
}
