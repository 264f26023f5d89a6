package schema_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ksniff/decode/schema"
)

// This file reads Apache's message files on its own, without the importer, and compares each version
// of each message with the tables, field by field.

type apacheMessage struct {
	APIKey                *int16
	Type, Name            string
	ValidVersions         string
	FlexibleVersions      string
	LatestVersionUnstable bool
	Listeners             []string
	Fields, CommonStructs []map[string]any
}

var comment = regexp.MustCompile(`(?m)^\s*//.*$|[\s,\[{]//.*$`)

// apacheRelease reads the message files of one release by name.
func apacheRelease(t *testing.T, release string) map[string]*apacheMessage {
	out := map[string]*apacheMessage{}
	dir := filepath.Join(sharedDir(t), "kafka-messages", release)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".json" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text = comment.ReplaceAllFunc(text, func(c []byte) []byte {
			if c[0] == ' ' || c[0] == '/' || c[0] == '\n' {
				return nil
			}
			return c[:1]
		})
		m := &apacheMessage{}
		if err := json.Unmarshal(text, m); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		out[m.Name] = m
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// among says whether a version lies in a range as Apache writes it.
func among(ranges any, v int) bool {
	s, _ := ranges.(string)
	if s == "" || s == "none" {
		return false
	}
	if from, ok := strings.CutSuffix(s, "+"); ok {
		n, _ := strconv.Atoi(from)
		return v >= n
	}
	from, to, ok := strings.Cut(s, "-")
	if !ok {
		to = from
	}
	a, _ := strconv.Atoi(from)
	b, _ := strconv.Atoi(to)
	return a <= v && v <= b
}

// newer says whether a version lies above a range: the notation may know a release that came later.
func newer(ranges string, v int) bool {
	_, last, ok := strings.Cut(ranges, "-")
	if !ok {
		last = ranges
	}
	n, err := strconv.Atoi(last)
	return err == nil && v > n
}

// apacheFields writes one line per field that version v has, with all that is known of it.
func apacheFields(m *apacheMessage, fields []map[string]any, v int, path string, full bool) (out []string) {
	for _, f := range fields {
		versions, tagged := f["versions"], f["taggedVersions"]
		if versions == nil {
			versions = tagged
		}
		if !among(versions, v) {
			continue
		}
		typ := f["type"].(string)
		line := fmt.Sprintf("%s/%s %s", path, f["name"], typ)
		if among(f["nullableVersions"], v) {
			line += " nullable"
		}
		if among(tagged, v) {
			line += fmt.Sprintf(" tag %v", f["tag"])
		}
		if f["flexibleVersions"] == "none" {
			line += " inflexible"
		}
		if full {
			def, there := f["default"]
			if there && def == nil {
				line += " empty"
			} else if s := fmt.Sprint(def); there && !(s == "" || s == "0" || s == "false") {
				line += " = " + s
			}
			if f["mapKey"] == true {
				line += " key"
			}
			if f["entityType"] != nil {
				line += " " + f["entityType"].(string)
			}
		}
		out = append(out, line)
		element := strings.TrimPrefix(typ, "[]")
		if schema.TypeNamed(element) != 0 {
			continue
		}
		inner, _ := f["fields"].([]any)
		var nested []map[string]any
		for _, n := range inner {
			nested = append(nested, n.(map[string]any))
		}
		for _, c := range m.CommonStructs {
			if c["name"] == element && inner == nil {
				for _, n := range c["fields"].([]any) {
					nested = append(nested, n.(map[string]any))
				}
			}
		}
		out = append(out, apacheFields(m, nested, v, path+"/"+f["name"].(string), full)...)
	}
	return out
}

// ourFields writes the same lines from our tables.
func ourFields(fields []schema.Field, v int16, path string, full bool) (out []string) {
	for _, f := range fields {
		if !f.Versions.Has(v) {
			continue
		}
		typ := f.Type.String()
		if f.Type == schema.Struct {
			typ = f.Struct
		}
		if f.Array {
			typ = "[]" + typ
		}
		line := fmt.Sprintf("%s/%s %s", path, f.Name, typ)
		if f.Nullable.Has(v) {
			line += " nullable"
		}
		if f.Tagged.Has(v) {
			line += fmt.Sprintf(" tag %d", f.Tag)
		}
		if f.Flexible == schema.None {
			line += " inflexible"
		}
		if full {
			if f.EmptyDefault {
				line += " empty"
			} else if f.Default != "" {
				line += " = " + f.Default
			}
			if f.MapKey {
				line += " key"
			}
			if f.Entity != "" {
				line += " " + f.Entity
			}
		}
		out = append(out, line)
		out = append(out, ourFields(f.Fields, v, path+"/"+f.Name, full)...)
	}
	return out
}

var structName = regexp.MustCompile(`[A-Z]\w*`)

// wire drops from lines what a newer release may call otherwise: names of fields and structs.
func wire(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		path, rest, _ := strings.Cut(l, " ")
		out[i] = strings.Repeat("/", strings.Count(path, "/")) + " " + structName.ReplaceAllString(rest, "S")
	}
	return out
}

// ours are all messages of the tables by name.
func ours() map[string]*schema.Message {
	out := map[string]*schema.Message{"RequestHeader": schema.RequestHeaders, "ResponseHeader": schema.ResponseHeaders}
	for _, a := range schema.APIs {
		out[a.Request.Name], out[a.Response.Name] = a.Request, a.Response
	}
	for _, r := range schema.InnerRecords {
		if out[r.Value.Name] = r.Value; r.Key != nil {
			out[r.Key.Name] = r.Key
		}
	}
	return out
}

// notOurs are the definitions that the notation leaves out.
var notOurs = map[string]string{"QuorumStateData": "a JSON text file of the controllers, not a binary message"}

func TestTablesEqualApachesVersionByVersion(t *testing.T) {
	old, new := apacheRelease(t, "3.9"), apacheRelease(t, "4.4")
	tables := ours()
	renamed := map[string]string{"ListClientMetricsResourcesRequest": "ListConfigResourcesRequest", "ListClientMetricsResourcesResponse": "ListConfigResourcesResponse"}
	checked := 0
	for name, m := range tables {
		if m.Valid.Max == schema.Forever {
			t.Errorf("%s: valid versions without an end", name)
			continue
		}
		for v := m.Valid.Min; v <= m.Valid.Max; v++ {
			a := new[name]
			// Keys of maps, defaults and entities are the newest definition's: they say how classes
			// use a field, not what is on the wire.
			full := true
			if a == nil || !among(a.ValidVersions, int(v)) {
				full = a == nil || a.ValidVersions == "none"
				a = old[name]
			}
			if a == nil {
				if _, inner := schema.LookupInner(name); inner == nil || !byHand[name] {
					t.Errorf("%s: Apache has no such message", name)
				}
				continue
			}
			if !among(a.ValidVersions, int(v)) {
				if b := new[name]; b == nil || !newer(b.ValidVersions, int(v)) {
					t.Errorf("%s %d: no release declares it", name, v)
				}
				continue
			}
			if among(a.FlexibleVersions, int(v)) != m.Flexible.Has(v) {
				t.Errorf("%s %d: flexible %v", name, v, m.Flexible.Has(v))
			}
			checked++
			want, got := apacheFields(a, a.Fields, int(v), "", full), ourFields(m.Fields, v, "", full)
			if !slices.Equal(want, got) {
				t.Errorf("%s %d:\nApache %s\nours   %s", name, v, strings.Join(want, "\n       "), strings.Join(got, "\n       "))
			}
		}
	}
	for _, release := range []map[string]*apacheMessage{old, new} {
		for name, a := range release {
			if to, ok := renamed[name]; ok {
				name = to
			}
			m := tables[name]
			if m == nil {
				if notOurs[name] == "" {
					t.Errorf("%s is missing", name)
				}
				continue
			}
			for v := range int(m.Valid.Max) + 2 {
				if !among(a.ValidVersions, v) {
					continue
				}
				if !m.Valid.Has(int16(v)) {
					t.Errorf("%s %d is missing", name, v)
					continue
				}
				want := wire(apacheFields(a, a.Fields, v, "", false))
				got := wire(ourFields(m.Fields, int16(v), "", false))
				if e := m.Early; e != nil && e.Valid.Has(int16(v)) && !slices.Equal(want, got) {
					got = wire(ourFields(e.Fields, int16(v), "", false))
				}
				if !slices.Equal(want, got) {
					t.Errorf("%s %d has another form in an older release:\n%s\n%s", name, v, strings.Join(want, "\n"), strings.Join(got, "\n"))
				}
			}
		}
	}
	if checked < 736 {
		t.Errorf("only %d versions were compared", checked)
	}
}
