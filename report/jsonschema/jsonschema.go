// Package jsonschema checks documents against the schemas in docs/schema. It is for tests.
package jsonschema

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
)

// Check gives what is wrong with a document, in the types of encoding/json. It knows the part of JSON
// Schema that docs/schema uses, and reports any other.
func Check(schema map[string]any, doc any) []string { return validator{schema}.check("", schema, doc) }

type validator struct{ root map[string]any }

func (v validator) check(path string, schema map[string]any, doc any) (problems []string) {
	bad := func(format string, args ...any) { problems = append(problems, path+": "+fmt.Sprintf(format, args...)) }
	for _, word := range slices.Sorted(maps.Keys(schema)) {
		arg := schema[word]
		switch word {
		case "$schema", "$defs", "title", "description", "properties", "additionalProperties":
		case "$ref":
			name := strings.TrimPrefix(arg.(string), "#/$defs/")
			problems = append(problems, v.check(path, v.root["$defs"].(map[string]any)[name].(map[string]any), doc)...)
		case "const":
			if doc != arg {
				bad("%v, not %v", doc, arg)
			}
		case "enum":
			if !slices.Contains(arg.([]any), doc) {
				bad("%v is none of %v", doc, arg)
			}
		case "anyOf":
			if !slices.ContainsFunc(arg.([]any), func(s any) bool { return len(v.check(path, s.(map[string]any), doc)) == 0 }) {
				bad("%v fits none of %v", doc, arg)
			}
		case "type":
			if !hasType(arg, doc) {
				bad("%v is no %v", doc, arg)
			}
		case "pattern":
			if s, ok := doc.(string); ok && !regexp.MustCompile(arg.(string)).MatchString(s) {
				bad("%q does not match %s", s, arg)
			}
		case "minimum", "maximum", "exclusiveMinimum":
			n, ok := doc.(float64)
			if limit := arg.(float64); ok && (word == "minimum" && n < limit || word == "maximum" && n > limit || word == "exclusiveMinimum" && n <= limit) {
				bad("%v: %s %v", n, word, limit)
			}
		case "required":
			for _, name := range arg.([]any) {
				if m, ok := doc.(map[string]any); ok {
					if _, there := m[name.(string)]; !there {
						bad("%v is missing", name)
					}
				}
			}
		case "items":
			list, _ := doc.([]any)
			for i, x := range list {
				problems = append(problems, v.check(fmt.Sprintf("%s[%d]", path, i), arg.(map[string]any), x)...)
			}
		default:
			bad("the validator does not know %q", word)
		}
	}
	if m, ok := doc.(map[string]any); ok {
		problems = append(problems, v.members(path, schema, m)...)
	}
	return problems
}

func (v validator) members(path string, schema, doc map[string]any) (problems []string) {
	known, _ := schema["properties"].(map[string]any)
	for name, x := range doc {
		s, ok := known[name].(map[string]any)
		if !ok {
			if s, ok = schema["additionalProperties"].(map[string]any); !ok {
				if schema["additionalProperties"] == false {
					problems = append(problems, path+": "+name+" is not in the schema")
				}
				continue
			}
		}
		problems = append(problems, v.check(path+"."+name, s, x)...)
	}
	return problems
}

func hasType(want, doc any) bool {
	if list, ok := want.([]any); ok {
		return slices.ContainsFunc(list, func(w any) bool { return hasType(w, doc) })
	}
	switch doc := doc.(type) {
	case nil:
		return want == "null"
	case string:
		return want == "string"
	case bool:
		return want == "boolean"
	case float64:
		return want == "number" || want == "integer" && doc == math.Trunc(doc)
	case []any:
		return want == "array"
	default:
		return want == "object"
	}
}
