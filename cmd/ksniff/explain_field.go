package main

import (
	"fmt"
	"io"

	"ksniff/decode/schema"
)

// fieldFacts is a field over all versions.
type fieldFacts struct {
	Name     string       `json:"name"`
	Type     string       `json:"type"`
	Versions string       `json:"versions"`
	Since    string       `json:"since,omitempty"` // Kafka release
	Nullable string       `json:"nullable_versions,omitempty"`
	Tagged   string       `json:"tagged_versions,omitempty"`
	Tag      *uint32      `json:"tag,omitempty"`
	Default  string       `json:"default,omitempty"`
	MapKey   bool         `json:"map_key,omitempty"`
	Entity   string       `json:"entity,omitempty"`
	Fields   []fieldFacts `json:"fields,omitempty"`
}

// facts describes fields; a names the releases (nil where it does not matter).
func facts(a *schema.API, fields []schema.Field) []fieldFacts {
	var out []fieldFacts
	for _, f := range fields {
		x := fieldFacts{Name: f.Name, Type: typeName(&f), Versions: ranges(f.Versions), Nullable: ranges(f.Nullable), Tagged: ranges(f.Tagged),
			Default: defaultText(&f), MapKey: f.MapKey, Entity: f.Entity, Fields: facts(a, f.Fields)}
		if !f.Tagged.Empty() {
			tag := f.Tag
			x.Tag = &tag
		}
		if a != nil {
			x.Since = since(a, f.Versions.Min)
		}
		out = append(out, x)
	}
	return out
}

// since is the first release that has a version, "" where unknown.
func since(a *schema.API, v int16) string {
	for _, c := range a.History {
		if c.Version == v {
			return c.Release
		}
	}
	return ""
}

func fieldTable(w io.Writer, fields []fieldFacts) {
	var rows [][]string
	var walk func(fields []fieldFacts, indent string)
	walk = func(fields []fieldFacts, indent string) {
		for _, f := range fields {
			tag := ""
			if f.Tag != nil {
				tag = fmt.Sprint(*f.Tag)
				if f.Tagged != f.Versions {
					tag += " (" + f.Tagged + ")"
				}
			}
			rows = append(rows, []string{indent + f.Name, f.Type, f.Versions, f.Since, f.Nullable, tag, f.Default})
			walk(f.Fields, indent+"  ")
		}
	}
	walk(fields, "  ")
	columns(w, rows, "  FIELD", "TYPE", "VERSIONS", "SINCE", "NULLABLE", "TAG", "DEFAULT")
}

func typeName(f *schema.Field) string {
	name := f.Type.String()
	if f.Type == schema.Struct {
		name = f.Struct
	}
	if f.Array {
		name = "[]" + name
	}
	return name
}

func defaultText(f *schema.Field) string {
	switch {
	case f.EmptyDefault:
		return "empty"
	case f.Type == schema.String && f.Default != "" && f.Default != "null":
		return fmt.Sprintf("%q", f.Default)
	}
	return f.Default
}

// ranges is the text of a range, "" where it is empty.
func ranges(v schema.Versions) string {
	switch {
	case v.Empty():
		return ""
	case v.Max == schema.Forever:
		return fmt.Sprintf("%d+", v.Min)
	case v.Min == v.Max:
		return fmt.Sprint(v.Min)
	}
	return fmt.Sprintf("%d-%d", v.Min, v.Max)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
