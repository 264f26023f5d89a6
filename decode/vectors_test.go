package decode

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// withRecords writes record sets as the vectors have them: their bytes in base64.
var withRecords = &JSON{Records: func(dst []byte, r Ref) []byte {
	return append(base64.StdEncoding.AppendEncode(append(dst, '"'), r.Bytes()), '"')
}}

// TestVectors compares header and body of each frame, field by field, with what Apache's classes read.
func TestVectors(t *testing.T) {
	var tree Tree
	var text []byte
	for i, v := range vectors(t) {
		name := fmt.Sprintf("%d %s %s v%d", i, v.API, v.Kind, v.Version)
		body := v.bytes(t)
		tree.Decode(Whole(body), v.Key, v.Version, v.kind())
		if f, bad := tree.Fault(); bad {
			t.Errorf("%s: %s at %d in %s: %s", name, f.Code, f.Offset, f.Path(&tree), f.Message())
			continue
		}
		if got := tree.Body().Offset(); got != v.HeaderBytes {
			t.Errorf("%s: the body begins at %d, want %d", name, got, v.HeaderBytes)
		}
		for _, part := range []struct {
			name    string
			ref     Ref
			want    json.RawMessage
			unknown []unknownTag
		}{{"header", tree.Header(), v.Header, v.HeaderUnknown}, {"body", tree.Body(), v.Body, v.BodyUnknown}} {
			text = withRecords.Append(text[:0], part.ref)
			got := parsed(t, text)
			unknown := map[string]string{}
			takeUnknown(got, "", unknown)
			want := map[string]string{}
			for _, u := range part.unknown {
				want[fmt.Sprintf("%s#%d", u.Path, u.Tag)] = u.Hex
			}
			if !reflect.DeepEqual(unknown, want) {
				t.Errorf("%s: unknown tags of the %s are %v, want %v", name, part.name, unknown, want)
			}
			if d := difference(parsed(t, part.want), got, part.name); d != "" {
				t.Errorf("%s: %s", name, d)
			}
		}
	}
}

func parsed(t *testing.T, text []byte) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %.200s", err, text)
	}
	return v
}

// takeUnknown moves unknown tagged fields from a value to a flat map by path and tag.
func takeUnknown(v any, path string, into map[string]string) {
	join := func(name string) string { return strings.TrimPrefix(path+"/"+name, "/") }
	switch v := v.(type) {
	case []any:
		for i, e := range v {
			takeUnknown(e, join(strconv.Itoa(i)), into)
		}
	case map[string]any:
		for _, u := range asList(v["unknownTaggedFields"]) {
			u := u.(map[string]any)
			into[path+"#"+u["tag"].(json.Number).String()] = u["hex"].(string)
		}
		delete(v, "unknownTaggedFields")
		for name, e := range v {
			takeUnknown(e, join(name), into)
		}
	}
}

func asList(v any) []any { l, _ := v.([]any); return l }

// difference says where two JSON values differ first, "" where they do not.
func difference(want, got any, path string) string {
	switch want := want.(type) {
	case map[string]any:
		other, _ := got.(map[string]any)
		for name := range other {
			if _, ok := want[name]; !ok {
				return path + "." + name + " is not in the truth"
			}
		}
		for name, e := range want {
			o, ok := other[name]
			if !ok {
				return path + "." + name + " is missing"
			}
			if d := difference(e, o, path+"."+name); d != "" {
				return d
			}
		}
		return ""
	case []any:
		other, ok := got.([]any)
		if !ok || len(other) != len(want) {
			return fmt.Sprintf("%s has %d elements, want %d", path, len(other), len(want))
		}
		for i := range want {
			if d := difference(want[i], other[i], fmt.Sprintf("%s[%d]", path, i)); d != "" {
				return d
			}
		}
		return ""
	case json.Number:
		if n, ok := got.(json.Number); ok && sameNumber(string(want), string(n)) {
			return ""
		}
	default:
		if reflect.DeepEqual(want, got) {
			return ""
		}
	}
	return fmt.Sprintf("%s is %.80v, want %.80v", path, got, want)
}

// sameNumber compares floats by value: Java prints some with more digits than are needed.
func sameNumber(a, b string) bool {
	if a == b {
		return true
	}
	x, _ := strconv.ParseFloat(a, 64)
	y, _ := strconv.ParseFloat(b, 64)
	return strings.ContainsAny(a, ".E") && strings.ContainsAny(b, ".E") && x == y
}
