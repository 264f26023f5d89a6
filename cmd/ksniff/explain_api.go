package main

import (
	"fmt"
	"io"
	"strings"

	"ksniff/decode/schema"
)

// apiFacts is what explain says of an API in JSON.
type apiFacts struct {
	Kind            string       `json:"kind"`
	Key             int16        `json:"key"`
	Name            string       `json:"name"`
	Versions        string       `json:"versions"`
	Flexible        string       `json:"flexible_versions"`
	Removed         string       `json:"removed_versions"` // that the newest release no longer has
	Unstable        *int16       `json:"unstable_version,omitempty"`
	Listeners       []string     `json:"listeners"`
	RequestHeaders  []int16      `json:"request_header_versions,omitempty"` // by version, from the first
	ResponseHeaders []int16      `json:"response_header_versions,omitempty"`
	History         []change     `json:"history,omitempty"`
	Request         []fieldFacts `json:"request,omitempty"`
	Response        []fieldFacts `json:"response,omitempty"`
}

type change struct {
	Version int16    `json:"version"`
	Release string   `json:"since,omitempty"` // Kafka release
	KIPs    []string `json:"kips,omitempty"`
	Note    string   `json:"note,omitempty"`
	Changes []string `json:"changes,omitempty"`
}

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

func allAPIs() article {
	var all []apiFacts
	var rows [][]string
	for _, a := range schema.APIs {
		all = append(all, basics(a))
		since := ""
		if len(a.History) > 0 {
			since = a.History[0].Release
		}
		rows = append(rows, []string{fmt.Sprint(a.Key), a.Name, ranges(a.Versions()), orDash(ranges(a.Request.Flexible)), orDash(ranges(a.Removed)),
			orDash(since), strings.Join(a.Listeners, ", ")})
	}
	return article{all, func(w io.Writer) {
		columns(w, rows, "KEY", "API", "VERSIONS", "FLEXIBLE", "REMOVED", "SINCE", "LISTENERS")
	}}
}

func basics(a *schema.API) apiFacts {
	f := apiFacts{Kind: "api", Key: a.Key, Name: a.Name, Versions: ranges(a.Versions()), Flexible: ranges(a.Request.Flexible),
		Removed: ranges(a.Removed), Listeners: a.Listeners}
	if a.Unstable >= 0 {
		f.Unstable = &a.Unstable
	}
	return f
}

// apiArticle describes an API over all its versions; asked is what the user called it.
func apiArticle(a *schema.API, asked string) article {
	f := basics(a)
	for v := a.Versions().Min; v <= a.Versions().Max; v++ {
		f.RequestHeaders = append(f.RequestHeaders, a.RequestHeaderVersion(v))
		f.ResponseHeaders = append(f.ResponseHeaders, a.ResponseHeaderVersion(v))
	}
	f.History = history(a)
	f.Request, f.Response = facts(a, a.Request.Fields), facts(a, a.Response.Fields)
	return article{f, func(w io.Writer) {
		fmt.Fprintf(w, "%s, API key %d\n\n", a.Name, a.Key)
		rows := [][]string{{"versions", f.Versions}}
		if !a.Removed.Empty() {
			rows = append(rows, []string{"removed", f.Removed + " (present brokers refuse them)"})
		}
		if a.Unstable >= 0 {
			rows = append(rows, []string{"unstable", fmt.Sprintf("%d (its form may still change)", a.Unstable)})
		}
		columns(w, append(rows, []string{"flexible", orDash(f.Flexible)}, []string{"headers", headers(a)},
			[]string{"listeners", strings.Join(a.Listeners, ", ")}))
		fmt.Fprintln(w)
		columns(w, historyRows(f.History), "VERSION", "SINCE", "KIP", "WHAT CHANGES")
		for _, m := range []*schema.Message{a.Request, a.Response} {
			fmt.Fprintf(w, "\n%s\n", m.Name)
			fieldTable(w, facts(a, m.Fields))
			if m.Early != nil {
				fmt.Fprintf(w, "\n%s %s in its early-access form\n", m.Name, ranges(m.Early.Valid))
				fieldTable(w, facts(nil, m.Early.Fields))
			}
		}
		if l := findLegacy(a.Name); l != nil {
			fmt.Fprintf(w, "\nKafka 0.6 and 0.7 have another %s: ksniff explain legacy %s.\n", l.Name, asked)
		}
		if e := schema.LookupError(a.Key); e != nil && strings.Trim(asked, "0123456789") == "" {
			fmt.Fprintf(w, "\nThe error code %d is %s: ksniff explain error %d.\n", e.Code, e.Name, e.Code)
		}
	}}
}

// headers says which header versions go before which API versions.
func headers(a *schema.API) string {
	run := func(of func(int16) int16) string {
		var parts []string
		for v := a.Versions().Min; v <= a.Versions().Max; v++ {
			if h := of(v); v == a.Versions().Min || h != of(v-1) {
				parts = append(parts, fmt.Sprintf("%d from %d", h, v))
			}
		}
		if len(parts) == 1 {
			return strings.Fields(parts[0])[0]
		}
		return strings.Join(parts, ", ")
	}
	return "request " + run(a.RequestHeaderVersion) + "; response " + run(a.ResponseHeaderVersion)
}

func history(a *schema.API) []change {
	var out []change
	known := map[int16]schema.Change{}
	for _, c := range a.History {
		known[c.Version] = c
	}
	for v := a.Versions().Min; v <= a.Versions().Max; v++ {
		k := known[v]
		c := change{Version: v, Release: k.Release, Note: k.Note}
		if k.KIP != "" {
			c.KIPs = strings.Fields(k.KIP)
		}
		if v > a.Versions().Min {
			c.Changes = append(changes("request", a.Request, v), changes("response", a.Response, v)...)
			if a.Request.Flexible.Min == v && !a.Request.Flexible.Empty() {
				c.Changes = append([]string{"flexible"}, c.Changes...)
			}
		}
		out = append(out, c)
	}
	return out
}

func historyRows(changes []change) [][]string {
	var rows [][]string
	for _, c := range changes {
		what := strings.Join(c.Changes, "; ")
		if c.Note != "" && what != "" {
			what = c.Note + "; " + what
		} else if what == "" {
			what = c.Note
		}
		rows = append(rows, []string{fmt.Sprint(c.Version), orDash(c.Release), orDash(strings.Join(c.KIPs, " ")), what})
	}
	return rows
}

// changes says what version v of a message has that the one before lacks, and the other way round.
func changes(kind string, m *schema.Message, v int16) (out []string) {
	var added, gone, nullable []string
	var walk func(fields []schema.Field, path string)
	walk = func(fields []schema.Field, path string) {
		for _, f := range fields {
			now, before := f.Versions.Has(v), f.Versions.Has(v-1)
			switch {
			case now && !before:
				added = append(added, path+f.Name)
			case before && !now:
				gone = append(gone, path+f.Name)
			case now && f.Nullable.Has(v) && !f.Nullable.Has(v-1):
				nullable = append(nullable, path+f.Name)
			}
			if now && before {
				walk(f.Fields, path+f.Name+".")
			}
		}
	}
	walk(m.Fields, "")
	for _, c := range []struct {
		sign  string
		names []string
	}{{"+", added}, {"-", gone}} {
		for _, n := range c.names {
			out = append(out, c.sign+n)
		}
	}
	for _, n := range nullable {
		out = append(out, n+" may be null")
	}
	if len(out) == 0 {
		return nil
	}
	return []string{kind + " " + strings.Join(out, ", ")}
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
