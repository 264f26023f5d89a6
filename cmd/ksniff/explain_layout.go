package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"ksniff/decode/schema"
)

// layoutFacts is one version of an API as it is on the wire, in JSON.
type layoutFacts struct {
	Kind     string     `json:"kind"`
	Key      int16      `json:"key"`
	Name     string     `json:"name"`
	Version  int16      `json:"version"`
	Since    string     `json:"since,omitempty"` // Kafka release
	KIPs     []string   `json:"kips,omitempty"`
	Note     string     `json:"note,omitempty"`
	Removed  bool       `json:"removed"`
	Request  frameFacts `json:"request"`
	Response frameFacts `json:"response"`
}

// frameFacts is what follows the length word.
type frameFacts struct {
	HeaderVersion int16      `json:"header_version"`
	Header        []wireFact `json:"header"`
	Body          []wireFact `json:"body"`
}

// wireFact is one field of a version, in the order of the wire.
type wireFact struct {
	Name     string     `json:"name"`
	Type     string     `json:"type"`
	Wire     string     `json:"wire"` // how its value or length is written
	Nullable bool       `json:"nullable,omitempty"`
	Tag      *uint32    `json:"tag,omitempty"`
	Default  string     `json:"default,omitempty"`
	Fields   []wireFact `json:"fields,omitempty"`
}

func layoutArticle(a *schema.API, v int16) article {
	f := layoutFacts{Kind: "layout", Key: a.Key, Name: a.Name, Version: v, Removed: a.Removed.Has(v)}
	for _, c := range a.History {
		if c.Version == v {
			f.Since, f.KIPs, f.Note = c.Release, strings.Fields(c.KIP), c.Note
		}
	}
	request, response := a.RequestHeaderVersion(v), a.ResponseHeaderVersion(v)
	f.Request = frameFacts{request, wire(schema.RequestHeaders, request), wire(a.Request, v)}
	f.Response = frameFacts{response, wire(schema.ResponseHeaders, response), wire(a.Response, v)}
	return article{f, func(w io.Writer) {
		fmt.Fprintf(w, "%s %d (API key %d)", a.Name, v, a.Key)
		if f.Since != "" {
			fmt.Fprintf(w, ", since Kafka %s", f.Since)
		}
		if len(f.KIPs) > 0 {
			fmt.Fprintf(w, ", KIP-%s", strings.Join(f.KIPs, ", KIP-"))
		}
		if f.Removed {
			fmt.Fprint(w, ", refused by present brokers")
		}
		fmt.Fprintln(w)
		for _, x := range history(a) {
			if said := historyRows([]change{x})[0][3]; x.Version == v && said != "" {
				fmt.Fprintf(w, "%s\n", said)
			}
		}
		for _, kind := range []struct {
			name  string
			facts frameFacts
		}{{"request", f.Request}, {"response", f.Response}} {
			fmt.Fprintf(w, "\n%s\n", kind.name)
			wireTable(w, []wireFact{{Name: "length", Wire: "int32, of what follows"},
				{Name: fmt.Sprintf("header %d", kind.facts.HeaderVersion), Fields: kind.facts.Header}, {Name: "body", Fields: kind.facts.Body}})
		}
		for _, m := range []*schema.Message{a.Request, a.Response} {
			if m.Early != nil && m.Early.Valid.Has(v) {
				fmt.Fprintf(w, "\n%s in its early-access form\n", m.Name)
				wireTable(w, wire(m.Early, v))
			}
		}
	}}
}

// wire lists the fields of a version in the order of the wire: tagged fields come last, by tag.
func wire(m *schema.Message, v int16) []wireFact {
	return wireFields(m.Fields, v, m.Flexible.Has(v))
}

func wireFields(fields []schema.Field, v int16, flexible bool) []wireFact {
	var out, tagged []wireFact
	for _, f := range fields {
		if !f.Versions.Has(v) {
			continue
		}
		x := wireFact{Name: f.Name, Type: typeName(&f), Nullable: f.Nullable.Has(v), Default: defaultText(&f)}
		x.Wire = wireForm(&f, flexible && !f.Flexible.Empty(), x.Nullable, f.Tagged.Has(v))
		if f.Type == schema.Struct {
			x.Fields = wireFields(f.Fields, v, flexible)
		}
		if f.Tagged.Has(v) {
			tag := f.Tag
			x.Tag = &tag
			tagged = append(tagged, x)
			continue
		}
		out = append(out, x)
	}
	if !flexible {
		return out
	}
	slices.SortFunc(tagged, func(a, b wireFact) int { return int(*a.Tag) - int(*b.Tag) })
	return append(out, wireFact{Name: "(tagged fields)", Wire: "uvarint count, each: uvarint tag, uvarint size, value", Fields: tagged})
}

// wireForm says how a field is written.
func wireForm(f *schema.Field, flexible, nullable, tagged bool) string {
	null := func(plain, null string) string {
		if nullable {
			return plain + ", " + null + " is null"
		}
		return plain
	}
	switch {
	case f.Array && flexible:
		return null("uvarint count+1, elements", "0")
	case f.Array:
		return null("int32 count, elements", "-1")
	case f.Type == schema.Struct && nullable && tagged:
		return "uvarint 1 if there, 0 is null"
	case f.Type == schema.Struct && nullable:
		return "int8 1 if there, -1 is null"
	case f.Type == schema.Struct:
		return "its fields"
	case f.Type == schema.String && flexible, f.Type == schema.Bytes && flexible, f.Type == schema.Records && flexible:
		return null("uvarint length+1, bytes", "0")
	case f.Type == schema.String:
		return null("int16 length, bytes", "-1")
	case f.Type == schema.Bytes, f.Type == schema.Records:
		return null("int32 length, bytes", "-1")
	case f.Type == schema.UUID:
		return "16 bytes"
	case f.Type == schema.Bool:
		return "1 byte"
	}
	return f.Type.String()
}

func wireTable(w io.Writer, fields []wireFact) {
	var rows [][]string
	var walk func(fields []wireFact, indent string)
	walk = func(fields []wireFact, indent string) {
		for _, f := range fields {
			name := f.Name
			if f.Tag != nil {
				name = fmt.Sprintf("%d %s", *f.Tag, f.Name)
			}
			rows = append(rows, []string{indent + name, f.Type, f.Wire, f.Default})
			walk(f.Fields, indent+"  ")
		}
	}
	walk(fields, "  ")
	columns(w, rows, "  FIELD", "TYPE", "ON THE WIRE", "DEFAULT")
}
