package main

import (
	"fmt"
	"io"

	"ksniff/decode/schema"
)

// innerFacts is a message inside a record or field, in JSON.
type innerFacts struct {
	Kind       string       `json:"kind"`
	Name       string       `json:"name"`
	Family     string       `json:"family"`
	RecordType *int16       `json:"record_type,omitempty"`
	Before     string       `json:"before"` // what goes before the message
	Versions   string       `json:"versions"`
	Flexible   string       `json:"flexible_versions"`
	Fields     []fieldFacts `json:"fields,omitempty"`
	Version    *int16       `json:"version,omitempty"`
	Wire       []wireFact   `json:"wire,omitempty"` // of that version
}

func factsInside(r *schema.Record, m *schema.Message) innerFacts {
	f := innerFacts{Kind: "inner", Name: m.Name, Family: r.Family, Versions: ranges(m.Valid), Flexible: ranges(m.Flexible)}
	if r.Type >= 0 {
		f.RecordType = &r.Type
	}
	switch {
	case r.Framing == schema.Bare || r.Framing == schema.Long:
		f.Before = "nothing: its first field is the version"
	case r.Framing == schema.Varints:
		f.Before = "uvarint frame version 1, uvarint record type, uvarint version"
	case r.Framing == schema.TypeWord && m == r.Key:
		f.Before = "int16 record type"
	default:
		f.Before = "int16 version"
	}
	return f
}

func (f innerFacts) head(w io.Writer) {
	fmt.Fprintf(w, "%s, in %s\n\n", f.Name, f.Family)
	rows := [][]string{{"versions", f.Versions}, {"flexible", orDash(f.Flexible)}, {"before it", f.Before}}
	if f.RecordType != nil {
		rows = append(rows, []string{"record type", fmt.Sprint(*f.RecordType)})
	}
	columns(w, rows)
	fmt.Fprintln(w)
}

func innerArticle(r *schema.Record, m *schema.Message) article {
	f := factsInside(r, m)
	f.Fields = facts(nil, m.Fields)
	return article{f, func(w io.Writer) {
		f.head(w)
		fieldTable(w, f.Fields)
	}}
}

func innerLayout(r *schema.Record, m *schema.Message, v int16) article {
	f := factsInside(r, m)
	f.Version, f.Wire = &v, wire(m, v)
	return article{f, func(w io.Writer) {
		f.head(w)
		fmt.Fprintf(w, "version %d\n", v)
		wireTable(w, f.Wire)
	}}
}
