package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ksniff/decode/schema"
	"ksniff/decode/schema/notation"
)

// definition is one of Apache's message files. Only what is a fact is read: no "about".
type definition struct {
	APIKey        *int16   `json:"apiKey"`
	Type          string   `json:"type"`
	Name          string   `json:"name"`
	Valid         string   `json:"validVersions"`
	Flexible      string   `json:"flexibleVersions"`
	Listeners     []string `json:"listeners"`
	Unstable      bool     `json:"latestVersionUnstable"`
	Fields        []field  `json:"fields"`
	CommonStructs []field  `json:"commonStructs"`
	folder        string   // kafka-metadata, …; "" for those of kafka-clients
}

type field struct {
	Name     string          `json:"name"`
	Type     string          `json:"type"`
	Versions string          `json:"versions"`
	Nullable string          `json:"nullableVersions"`
	Tagged   string          `json:"taggedVersions"`
	Tag      number          `json:"tag"`
	Flexible string          `json:"flexibleVersions"`
	Default  json.RawMessage `json:"default"`
	Entity   string          `json:"entityType"`
	MapKey   bool            `json:"mapKey"`
	Fields   []field         `json:"fields"`
}

// number is written with or without quotes.
type number uint32

// UnmarshalJSON reads either form.
func (n *number) UnmarshalJSON(text []byte) error {
	return json.Unmarshal(bytes.Trim(text, `"`), (*uint32)(n))
}

// release is the definitions of one Kafka release.
type release []*definition

// readRelease reads all message files under a folder.
func readRelease(dir string) (release, error) {
	var out release
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		d := &definition{}
		if err := json.Unmarshal(withoutComments(text), d); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		rel, _ := filepath.Rel(dir, filepath.Dir(path))
		if rel != "." {
			d.folder = filepath.ToSlash(rel)
		}
		out = append(out, d)
		return nil
	})
	return out, err
}

// withoutComments blanks what follows "//" outside strings.
func withoutComments(text []byte) []byte {
	var out bytes.Buffer
	inString := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case inString && c == '\\' && i+1 < len(text):
			out.WriteByte(c)
			i++
			c = text[i]
		case c == '"':
			inString = !inString
		case !inString && c == '/' && i+1 < len(text) && text[i+1] == '/':
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
			continue
		}
		out.WriteByte(c)
	}
	return out.Bytes()
}

// message turns a definition into a schema message, its ranges clipped to the valid ones.
func (d *definition) message() (*schema.Message, error) {
	m := &schema.Message{Name: d.Name, Flexible: schema.None}
	var err error
	if m.Valid, err = versions(d.Valid); err != nil || m.Valid.Empty() {
		return m, err
	}
	if d.Flexible != "" {
		if m.Flexible, err = versions(d.Flexible); err != nil {
			return m, err
		}
	}
	commons := map[string]field{}
	for _, c := range d.CommonStructs {
		commons[c.Name] = c
	}
	m.Fields, err = fields(d.Fields, m.Valid, m.Valid, commons)
	if err != nil {
		err = fmt.Errorf("%s: %w", d.Name, err)
	}
	return m, err
}

func versions(s string) (schema.Versions, error) {
	v, ok := notation.ParseVersions(s)
	if !ok {
		return schema.None, fmt.Errorf("%q is no range of versions", s)
	}
	return v, nil
}

// fields converts fields; within is the range of the struct that holds them.
func fields(in []field, within, valid schema.Versions, commons map[string]field) ([]schema.Field, error) {
	var out []schema.Field
	for _, f := range in {
		s, err := f.schema(within, valid, commons)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		if !s.Versions.Empty() {
			out = append(out, s)
		}
	}
	return out, nil
}

func (f *field) schema(within, valid schema.Versions, commons map[string]field) (s schema.Field, err error) {
	s = schema.Field{Name: f.Name, JSON: notation.JSONName(f.Name), Tag: uint32(f.Tag), MapKey: f.MapKey, Entity: f.Entity,
		Flexible: schema.Versions{Min: 0, Max: schema.Forever}}
	ranges := []struct {
		text string
		to   *schema.Versions
	}{{f.Versions, &s.Versions}, {f.Nullable, &s.Nullable}, {f.Tagged, &s.Tagged}}
	if f.Versions == "" {
		ranges[0].text = f.Tagged
	}
	for _, r := range ranges {
		if *r.to = schema.None; r.text == "" {
			continue
		}
		v, err := versions(r.text)
		if err != nil {
			return s, err
		}
		*r.to = v.And(within)
	}
	if f.Flexible == "none" {
		s.Flexible = schema.None
	} else if f.Flexible != "" {
		return s, fmt.Errorf("flexibleVersions %q of a field", f.Flexible)
	}
	typ := f.Type
	typ, s.Array = strings.CutPrefix(typ, "[]")
	if s.Type = schema.TypeNamed(typ); s.Type == 0 {
		s.Type, s.Struct = schema.Struct, typ
		inner, scope := f.Fields, s.Versions
		if len(inner) == 0 {
			common, ok := commons[typ]
			if !ok {
				return s, fmt.Errorf("no struct %s", typ)
			}
			inner, scope = common.Fields, valid
		}
		if s.Fields, err = fields(inner, scope, valid, commons); err != nil {
			return s, err
		}
	}
	s.Default, s.EmptyDefault = f.defaultText(s.Type)
	return s, nil
}

// defaultText is the default as the notation has it: "" where it is the type's zero value.
func (f *field) defaultText(t schema.Type) (text string, empty bool) {
	if len(f.Default) == 0 {
		return "", false
	}
	text = string(f.Default)
	if text == "null" {
		return "", t == schema.Struct || strings.HasPrefix(f.Type, "[]")
	}
	if text[0] == '"' {
		json.Unmarshal(f.Default, &text)
	}
	if slices.Contains([]string{"0", "false", "0.0"}, text) && t != schema.String {
		return "", false
	}
	return text, false
}
