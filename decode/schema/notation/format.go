package notation

import (
	"bytes"
	"fmt"
	"strings"

	"ksniff/decode/schema"
)

// printer writes one file.
type printer struct {
	out   bytes.Buffer
	notes map[string]Note
}

// Format writes a file in its canonical form: what Parse reads from it is the same, and a file that
// Format wrote stays as it is.
func Format(f *File) []byte {
	p := &printer{notes: f.Notes}
	switch {
	case f.API != nil:
		p.api(f.API)
	case f.Record != nil:
		p.record(f.Record)
	default:
		p.line("", 0, "header "+f.Header.Name)
		p.attribute("versions", FormatVersions(f.Header.Valid))
		p.attribute("flexible", FormatVersions(f.Header.Flexible))
		p.message("fields", "fields", f.Header)
	}
	p.above("end", 0)
	return p.out.Bytes()
}

func (p *printer) above(path string, indent int) {
	for _, c := range p.notes[path].Above {
		if c == "\n" {
			p.out.WriteByte('\n')
			continue
		}
		fmt.Fprintf(&p.out, "%*s#%s\n", indent, "", c)
	}
}

// line writes a line with its comments.
func (p *printer) line(path string, indent int, text string) {
	p.above(path, indent)
	text = strings.TrimRight(text, " ")
	if after := p.notes[path].After; after != "" {
		text += "  #" + after
	}
	fmt.Fprintf(&p.out, "%*s%s\n", indent, "", text)
}

func (p *printer) attribute(name, value string) {
	if value != "none" && value != "" {
		p.line(name, 0, name+" "+value)
	}
}

func (p *printer) api(a *schema.API) {
	p.line("", 0, fmt.Sprintf("api %s %d", a.Name, a.Key))
	p.attribute("listeners", strings.Join(a.Listeners, " "))
	p.attribute("versions", FormatVersions(a.Request.Valid))
	p.attribute("flexible", FormatVersions(a.Request.Flexible))
	p.attribute("removed", FormatVersions(a.Removed))
	if a.Unstable >= 0 {
		p.attribute("unstable", fmt.Sprint(a.Unstable))
	}
	p.attribute("request-header-0", FormatVersions(a.Header0))
	p.attribute("response-header-0", FormatVersions(a.ResponseHeader0))
	if len(a.History) > 0 {
		p.out.WriteByte('\n')
		p.line("history", 0, "history")
	}
	for _, c := range a.History {
		release := c.Release
		if release == "" {
			release = "-"
		}
		text := fmt.Sprintf("%-3d %-9s", c.Version, release)
		if c.KIP != "" {
			text += " KIP-" + strings.ReplaceAll(c.KIP, " ", " KIP-")
		}
		if c.Note != "" {
			text += " " + c.Note
		}
		p.line(fmt.Sprintf("history/%d", c.Version), step, text)
	}
	p.message("request", "request", a.Request)
	p.message("response", "response", a.Response)
	if e := a.Request.Early; e != nil {
		p.message("early-request", "early-request "+FormatVersions(e.Valid), e)
	}
	if e := a.Response.Early; e != nil {
		p.message("early-response", "early-response "+FormatVersions(e.Valid), e)
	}
}

func (p *printer) record(r *schema.Record) {
	typ := ""
	if r.Type >= 0 {
		typ = fmt.Sprintf("%d ", r.Type)
	}
	p.line("", 0, fmt.Sprintf("record %s %sin %s", r.Name, typ, r.Family))
	p.attribute("framing", r.Framing.String())
	part := func(word string, m *schema.Message) {
		text := fmt.Sprintf("%s %s %s", word, m.Name, FormatVersions(m.Valid))
		if !m.Flexible.Empty() {
			text += " flexible " + FormatVersions(m.Flexible)
		}
		p.message(word, text, m)
	}
	if r.Key != nil {
		part("key", r.Key)
	}
	part("value", r.Value)
}

// message writes a message; structs that are used more than once stand apart behind it.
func (p *printer) message(word, text string, m *schema.Message) {
	uses := map[string]int{}
	count(m.Fields, uses)
	p.out.WriteByte('\n')
	p.line(word, 0, text)
	apart := p.fields(word, step, m.Fields, all, uses, nil)
	for i := 0; i < len(apart); i++ { // grows while it is walked
		p.out.WriteByte('\n')
		p.line(word+" "+apart[i].Struct, 0, "struct "+apart[i].Struct)
		apart = p.fields(word+" "+apart[i].Struct, step, apart[i].Fields, all, uses, apart)
	}
}

// count says how often each struct is named, a struct that stands apart counting once.
func count(fields []schema.Field, uses map[string]int) {
	for _, f := range fields {
		if f.Type != schema.Struct {
			continue
		}
		if uses[f.Struct]++; uses[f.Struct] == 1 {
			count(f.Fields, uses)
		}
	}
}

func (p *printer) fields(path string, indent int, fields []schema.Field, within schema.Versions, uses map[string]int, apart []schema.Field) []schema.Field {
	names, types := 0, 0
	for i := range fields {
		names, types = max(names, len(fields[i].Name)), max(types, len(typeText(&fields[i])))
	}
	seen := map[string]bool{}
	for i := range fields {
		f := &fields[i]
		at := path + "/" + f.Name
		if seen[at] {
			at += " " + FormatVersions(f.Versions)
		}
		seen[at] = true
		p.line(at, indent, fmt.Sprintf("%-*s  %-*s%s", names, f.Name, types, typeText(f), words(f, within)))
		switch {
		case f.Type != schema.Struct:
		case uses[f.Struct] == 1:
			apart = p.fields(path+"/"+f.Name, indent+step, f.Fields, f.Versions, uses, apart)
		case !has(apart, f.Struct):
			apart = append(apart, *f)
		}
	}
	return apart
}

func has(apart []schema.Field, name string) bool {
	for _, f := range apart {
		if f.Struct == name {
			return true
		}
	}
	return false
}

// typeText is the type as the notation has it: "[]string?".
func typeText(f *schema.Field) string {
	s := f.Type.String()
	if f.Type == schema.Struct {
		s = f.Struct
	}
	if f.Array {
		s = "[]" + s
	}
	if !f.Nullable.Empty() && f.Nullable == f.Versions {
		s += "?"
	}
	return s
}

// words are what follows the type.
func words(f *schema.Field, within schema.Versions) string {
	var b strings.Builder
	if f.Versions != within {
		fmt.Fprintf(&b, "  %s", FormatVersions(f.Versions))
	}
	if !f.Nullable.Empty() && f.Nullable != f.Versions {
		fmt.Fprintf(&b, "  null %s", FormatVersions(f.Nullable))
	}
	if !f.Tagged.Empty() {
		fmt.Fprintf(&b, "  tag %d", f.Tag)
		if f.Tagged != f.Versions {
			fmt.Fprintf(&b, " %s", FormatVersions(f.Tagged))
		}
	}
	switch {
	case f.EmptyDefault:
		b.WriteString("  = empty")
	case f.Default != "" && f.Type == schema.String && f.Default != "null":
		fmt.Fprintf(&b, "  = \"%s\"", f.Default)
	case f.Default != "":
		fmt.Fprintf(&b, "  = %s", f.Default)
	}
	if f.Entity != "" {
		b.WriteString("  " + f.Entity)
	}
	if f.MapKey {
		b.WriteString("  key")
	}
	if f.Flexible.Empty() {
		b.WriteString("  inflexible")
	}
	return b.String()
}
