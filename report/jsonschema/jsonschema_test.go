package jsonschema

import (
	"encoding/json"
	"testing"
)

// The check sees what is wrong.
func TestCheck(t *testing.T) {
	var schema map[string]any
	json.Unmarshal([]byte(`{"type":"object","required":["a"],"additionalProperties":false,"properties":{
		"a":{"type":"integer","minimum":0},"b":{"type":["string","null"]},"c":{"type":"array","items":{"enum":["x"]}}}}`), &schema)
	for doc, want := range map[string]int{
		`{"a":1,"b":null,"c":["x"]}`: 0, `{"a":1.5}`: 1, `{"a":-1}`: 1, `{}`: 1, `{"a":1,"d":1}`: 1, `{"a":1,"b":2,"c":["y","z"]}`: 3,
	} {
		var v any
		json.Unmarshal([]byte(doc), &v)
		if got := Check(schema, v); len(got) != want {
			t.Errorf("%s: %v", doc, got)
		}
	}
}
