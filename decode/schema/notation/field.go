package notation

import (
	"slices"
	"strconv"
	"strings"

	"ksniff/decode/schema"
)

// message reads a message's line, its fields and the structs that follow it.
func (p *parser) message(word string, m *schema.Message) {
	l, ok := p.peek()
	if !ok || l.tokens[0].text != word {
		p.fail(l, 0, "%q expected", word)
	}
	if l.indent > 0 {
		p.fail(l, 0, "%q is not indented", word)
	}
	p.next++
	p.note(word, l)
	structs := map[string][]schema.Field{}
	m.Fields = p.fields(word, step, all, structs)
	for {
		l, ok := p.peek()
		if !ok || l.tokens[0].text != "struct" || l.indent > 0 {
			break
		}
		p.next++
		name := p.name(l, 1, "name of a struct")
		p.end(l, 2)
		if _, twice := structs[name]; twice {
			p.fail(l, 1, "struct %s comes twice", name)
		}
		p.note(word+" "+name, l)
		structs[name] = p.fields(word+" "+name, step, all, structs)
		if len(structs[name]) == 0 {
			p.fail(l, 1, "struct %s has no fields", name)
		}
	}
	p.resolve(word, m.Fields, structs, nil)
}

// resolve fills in the fields of structs that stand apart. open are the structs that it is in: one that holds itself
// would never end, whether it stands apart or is written where it is used.
func (p *parser) resolve(path string, fields []schema.Field, structs map[string][]schema.Field, open []string) {
	for i := range fields {
		f := &fields[i]
		if f.Type != schema.Struct {
			continue
		}
		apart, ok := structs[f.Struct]
		switch {
		case slices.Contains(open, f.Struct):
			p.unresolved(f, "struct %s holds itself", f.Struct)
		case len(open) > maxDepth:
			p.unresolved(f, "struct %s is nested deeper than %d", f.Struct, maxDepth)
		case !ok && f.Fields == nil:
			p.unresolved(f, `%q is no type, and no "struct %s" follows the message`, f.Struct, f.Struct)
		}
		if f.Fields == nil {
			f.Fields = append([]schema.Field(nil), apart...)
		}
		p.resolve(path+"/"+f.Name, f.Fields, structs, append(open, f.Struct))
	}
}

// unresolved fails at the line of a field whose struct cannot be filled in.
func (p *parser) unresolved(f *schema.Field, format string, args ...any) {
	for _, l := range p.lines {
		if len(l.tokens) >= 2 && l.tokens[0].text == f.Name && l.indent > 0 && strings.Contains(l.tokens[1].text, f.Struct) {
			p.fail(l, 1, format, args...)
		}
	}
}

// fields reads the lines at one indentation, and what is nested in them. within is the range of the
// struct that holds them: a field without versions has the same.
func (p *parser) fields(path string, indent int, within schema.Versions, structs map[string][]schema.Field) (out []schema.Field) {
	for {
		l, ok := p.peek()
		if !ok || l.indent < indent {
			return out
		}
		if l.indent > indent {
			p.fail(l, 0, "indent by %d spaces, not %d", indent, l.indent)
		}
		if indent > step*maxDepth {
			p.fail(l, 0, "nested deeper than %d", maxDepth)
		}
		p.next++
		f := p.field(l, within)
		for _, o := range out {
			if o.Name == f.Name && !o.Versions.And(f.Versions).Empty() {
				p.fail(l, 0, "%s comes twice in version %d", f.Name, o.Versions.And(f.Versions).Min)
			}
		}
		at := path + "/" + f.Name
		if _, twice := p.notes[at]; twice {
			at += " " + FormatVersions(f.Versions)
		}
		p.note(at, l)
		if n, ok := p.peek(); ok && n.indent > indent {
			if f.Type != schema.Struct {
				p.fail(n, 0, "%s is no struct: nothing can be nested in it", f.Name)
			}
			if _, twice := structs[f.Struct]; twice {
				p.fail(l, 1, "struct %s comes twice", f.Struct)
			}
			f.Fields = p.fields(path+"/"+f.Name, indent+step, f.Versions, structs)
			structs[f.Struct] = f.Fields
		}
		out = append(out, f)
	}
}

// field reads "Name Type [versions] [null versions] [tag N [versions]] [= default] [entity] [key] [inflexible]".
func (p *parser) field(l line, within schema.Versions) schema.Field {
	f := schema.Field{Name: p.name(l, 0, "name of a field"), Versions: within, Nullable: schema.None, Tagged: schema.None, Flexible: all}
	f.JSON = JSONName(f.Name)
	typ, array := strings.CutPrefix(p.word(l, 1, "type"), "[]")
	typ, nullable := strings.CutSuffix(typ, "?")
	f.Array, f.Type = array, schema.TypeNamed(typ)
	if f.Type == 0 {
		if f.Type, f.Struct = schema.Struct, typ; !isName(typ) || typ[0] >= 'a' {
			p.fail(l, 1, "%q is no type, and names of structs start in upper case", typ)
		}
	}
	i := 2
	if i < len(l.tokens) && l.tokens[i].text[:min(1, len(l.tokens[i].text))] >= "0" && l.tokens[i].text[:1] <= "9" {
		f.Versions = p.versions(l, i)
		i++
	}
	if nullable {
		f.Nullable = f.Versions
	}
	for i < len(l.tokens) {
		switch word := l.tokens[i].text; {
		case word == "null" && !nullable:
			f.Nullable = p.versions(l, i+1)
			i += 2
		case word == "tag":
			tag, err := strconv.ParseUint(p.word(l, i+1, "number of the tag"), 10, 31)
			if err != nil {
				p.fail(l, i+1, "%q is no number of a tag", l.tokens[i+1].text)
			}
			f.Tag, f.Tagged = uint32(tag), f.Versions
			i += 2
			if i < len(l.tokens) && l.tokens[i].text[:1] >= "0" && l.tokens[i].text[:1] <= "9" {
				f.Tagged = p.versions(l, i)
				i++
			}
		case word == "=":
			f.Default = p.word(l, i+1, "default")
			if f.Default == "empty" && !l.tokens[i+1].quoted {
				f.Default, f.EmptyDefault = "", true
			} else {
				p.checkDefault(l, i+1, &f)
			}
			i += 2
		case word == "key":
			f.MapKey = true
			i++
		case word == "inflexible":
			f.Flexible = schema.None
			i++
		case entities[word]:
			f.Entity = word
			i++
		default:
			p.fail(l, i, "unexpected %q after field %s", word, f.Name)
		}
	}
	return f
}
