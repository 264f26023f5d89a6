package filter

import (
	"strings"

	"ksniff/decode/schema"
)

// legacyNames are the request types of 0.6 and 0.7.
var legacyNames = []string{"PRODUCE", "FETCH", "MULTIFETCH", "MULTIPRODUCE", "OFFSETS"}

func apiNames(yield func(string) bool) {
	for _, a := range schema.APIs {
		if !yield(a.Name) {
			return
		}
	}
	for _, name := range legacyNames {
		if !yield(name) {
			return
		}
	}
}

func apiNamed(name string) bool {
	for known := range apiNames {
		if strings.EqualFold(known, name) {
			return true
		}
	}
	return false
}

// meant gives "; TEST?" where a value stands in the place of a test: Produce alone.
func meant(name string) string {
	if apiNamed(name) {
		return "; did you mean api == " + name + "?"
	}
	if schema.LookupErrorName(name) != nil {
		return "; did you mean error == " + name + "?"
	}
	return ""
}

func errorNames(yield func(string) bool) {
	for i := range schema.Errors {
		if !yield(schema.Errors[i].Name) {
			return
		}
	}
}

// resolvePath reads the names behind "body." or "header." and checks that there is such a field.
func (t *test) resolvePath(source, top, rest string) *Error {
	t.field = &field{id: Body, typ: tAny, cost: tree}
	if top == "header" {
		t.field = &field{id: Header, typ: tAny, cost: tree}
	}
	// Each name is put in lower case by itself: letters that are none change their length by that, and an
	// error points at the bytes that were written.
	written := strings.Split(rest, ".")
	t.path = make([]string, len(written))
	for i, name := range written {
		t.path[i] = strings.ToLower(name)
	}
	from := t.name.from + len(top) + 1
	seen := map[string]bool{}
	if eachPath(t.field.id, func(stack []string) bool {
		seen[stack[len(stack)-1]] = true
		return endsWith(stack, t.path)
	}) {
		return nil
	}
	for i, name := range written {
		if !seen[t.path[i]] {
			return fail(source, from, from+len(name), "no field of Kafka's is called %s%s", name, nearest(name, func(yield func(string) bool) {
				eachPath(t.field.id, func(stack []string) bool { return !yield(stack[len(stack)-1]) })
			}))
		}
		from += len(name) + 1
	}
	return fail(source, t.name.from, t.name.to, "no message of Kafka's has these fields within each other")
}

// endsWith says whether the last names of stack are those of path.
func endsWith(stack, path []string) bool {
	d := len(stack) - len(path)
	if d < 0 {
		return false
	}
	for i, name := range path {
		if stack[d+i] != name {
			return false
		}
	}
	return true
}

// eachPath calls visit for each field of all messages (or headers) with the names down to it, in
// lower case, until visit says true; it gives what the last call said.
func eachPath(f Field, visit func(stack []string) bool) bool {
	var walk func(stack []string, fields []schema.Field) bool
	walk = func(stack []string, fields []schema.Field) bool {
		for i := range fields {
			here := append(stack, strings.ToLower(fields[i].Name))
			if visit(here) || walk(here, fields[i].Fields) {
				return true
			}
		}
		return false
	}
	if f == Header {
		return walk(nil, schema.RequestHeaders.Fields) || walk(nil, schema.ResponseHeaders.Fields)
	}
	for _, a := range schema.APIs {
		if walk(nil, a.Request.Fields) || walk(nil, a.Response.Fields) {
			return true
		}
	}
	return false
}
