package notation

import (
	"fmt"
	"strconv"
	"strings"

	"ksniff/decode/schema"
)

// indentation of each level of fields
const step = 4

// maxDepth bounds the nesting of structs.
const maxDepth = 16

// parser reads one file. Its methods panic with *Error; Parse recovers it.
type parser struct {
	file  string
	lines []line
	next  int
	notes map[string]Note
}

// Parse reads one notation file; file is its name in errors, which are of type *Error.
func Parse(file string, src []byte) (f *File, err error) {
	ls, tail, err := lines(file, string(src))
	if err != nil {
		return nil, err
	}
	p := &parser{file: file, lines: ls, notes: map[string]Note{}}
	defer func() {
		if e, ok := recover().(*Error); ok {
			f, err = nil, e
		} else if e != nil {
			panic(e)
		}
	}()
	if len(tail) > 0 && len(ls) > 0 {
		p.notes["end"] = Note{Above: tail}
	}
	return p.parse(), nil
}

func (p *parser) fail(l line, i int, format string, args ...any) {
	col := 1
	switch {
	case i >= 0 && i < len(l.tokens):
		col = l.tokens[i].col
	case len(l.tokens) > 0:
		t := l.tokens[len(l.tokens)-1]
		col = t.col + len(t.text)
	}
	panic(&Error{p.file, l.num, col, fmt.Sprintf(format, args...)})
}

// peek is the next line, ok false at the end of the file.
func (p *parser) peek() (l line, ok bool) {
	if p.next == len(p.lines) {
		return line{num: max(1, p.last())}, false
	}
	return p.lines[p.next], true
}

func (p *parser) last() int {
	if len(p.lines) == 0 {
		return 1
	}
	return p.lines[len(p.lines)-1].num
}

func (p *parser) note(path string, l line) {
	if len(l.note.Above) > 0 || l.note.After != "" {
		p.notes[path] = l.note
	}
}

// word is the i-th word of a line, and fails where it is missing.
func (p *parser) word(l line, i int, what string) string {
	if i >= len(l.tokens) {
		p.fail(l, i, "missing %s", what)
	}
	return l.tokens[i].text
}

func (p *parser) versions(l line, i int) schema.Versions {
	s := p.word(l, i, `versions, as "3", "0-4", "2+" or "none"`)
	v, ok := ParseVersions(s)
	if !ok {
		p.fail(l, i, `%q is no range of versions ("3", "0-4", "2+", "none")`, s)
	}
	return v
}

func (p *parser) number(l line, i int, what string) int16 {
	s := p.word(l, i, what)
	n, err := strconv.ParseInt(s, 10, 16)
	if err != nil {
		p.fail(l, i, "%q is no %s", s, what)
	}
	return int16(n)
}

// end fails where a line has words beyond the first n.
func (p *parser) end(l line, n int) {
	if len(l.tokens) > n {
		p.fail(l, n, "unexpected %q", l.tokens[n].text)
	}
}

func isName(s string) bool {
	for i := range len(s) {
		c := s[i] | 0x20
		if !(c >= 'a' && c <= 'z') && (i == 0 || s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return s != ""
}

func (p *parser) name(l line, i int, what string) string {
	s := p.word(l, i, what)
	if !isName(s) {
		p.fail(l, i, "%q is no %s", s, what)
	}
	return s
}

func (p *parser) parse() *File {
	head, ok := p.peek()
	if !ok {
		p.fail(head, 0, `empty file: it starts with "api NAME KEY", "record NAME TYPE in FAMILY" or "header NAME"`)
	}
	p.next++
	if head.indent > 0 {
		p.fail(head, 0, "the first line is not indented")
	}
	f := &File{Notes: p.notes}
	p.note("", head)
	switch head.tokens[0].text {
	case "api":
		p.end(head, 3)
		f.API = p.api(p.name(head, 1, "name"), p.number(head, 2, "key"))
	case "record":
		f.Record = p.record(head)
	case "header":
		p.end(head, 2)
		f.Header = &schema.Message{Name: p.name(head, 1, "name")}
		a := p.attributes(map[string]bool{"versions": true, "flexible": true})
		f.Header.Valid, f.Header.Flexible = a.valid, a.flexible
		p.message("fields", f.Header)
	default:
		p.fail(head, 0, `%q: a file starts with "api", "record" or "header"`, head.tokens[0].text)
	}
	if l, more := p.peek(); more {
		p.fail(l, 0, "unexpected %q", l.tokens[0].text)
	}
	return f
}

func (p *parser) record(head line) *schema.Record {
	r := &schema.Record{Name: p.name(head, 1, "name"), Type: -1}
	i := 2
	if p.word(head, i, `"in FAMILY"`) != "in" {
		r.Type = p.number(head, i, "record type")
		i++
	}
	if p.word(head, i, `"in FAMILY"`) != "in" {
		p.fail(head, i, `"in FAMILY" expected`)
	}
	r.Family = p.word(head, i+1, "family")
	p.end(head, i+2)
	a := p.attributes(map[string]bool{"framing": true})
	r.Framing = a.framing
	if r.Framing == 0 {
		p.fail(head, 0, `a record needs a line "framing bare|version|type|varints|long"`)
	}
	for {
		l, ok := p.peek()
		if !ok {
			break
		}
		m := &schema.Message{}
		word := l.tokens[0].text
		switch {
		case word == "key" && r.Key == nil && r.Value == nil:
			r.Key = m
		case word == "value" && r.Value == nil:
			r.Value = m
		default:
			p.fail(l, 0, `unexpected %q ("key" or "value", once each)`, word)
		}
		m.Name = p.name(l, 1, "name of the message")
		m.Valid, m.Flexible = p.versions(l, 2), schema.None
		n := 3
		if n < len(l.tokens) && l.tokens[n].text == "flexible" {
			m.Flexible = p.versions(l, n+1)
			n += 2
		}
		p.end(l, n)
		p.message(word, m)
	}
	if r.Value == nil {
		p.fail(head, 0, `a record needs a "value"`)
	}
	return r
}

// checkDefault fails where a default does not fit its field.
func (p *parser) checkDefault(l line, i int, f *schema.Field) {
	d, ok := f.Default, true
	switch {
	case d == "null":
		if f.Nullable.Empty() {
			p.fail(l, i, "default null, but %s is never null", f.Name)
		}
		return
	case f.Array || f.Type == schema.Struct || f.Type == schema.Records || f.Type == schema.Bytes || f.Type == schema.UUID:
		ok = false
	case f.Type == schema.Bool:
		ok = d == "true"
	case f.Type == schema.String:
		ok = l.tokens[i].quoted
	case f.Type == schema.Float64:
		_, err := strconv.ParseFloat(d, 64)
		ok = err == nil
	default:
		_, err := strconv.ParseInt(d, 0, 64)
		ok = err == nil
	}
	if !ok {
		p.fail(l, i, "%q is no default for %s", d, strings.TrimSpace(typeText(f)))
	}
}
