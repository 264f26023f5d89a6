package report

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
	"time"

	"ksniff/report/jsonschema"
)

// The JSON of reports of all kinds is as docs/schema says.
func TestJSONSchema(t *testing.T) {
	var before *Result
	for _, cfg := range []Config{{}, {By: Dimensions, Interval: time.Second, Deep: true}, {By: []string{"topic"}, Top: 1, Auto: true}} {
		for _, busy := range []bool{true, false} {
			r := newReport(t, cfg)
			if busy {
				traffic(r)
				hostile(r)
			}
			res := result(r)
			if busy {
				res.Limits, res.Ledger.Conflicts = &Limits{Connections: 1}, 1
			}
			fits(t, "report", res)
			if before != nil {
				fits(t, "comparison", Against(before, res, 0))
			}
			before = res
		}
	}
}

func fits(t *testing.T, name string, p Page) {
	t.Helper()
	text, err := os.ReadFile("../docs/schema/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := JSON(&b, p); err != nil {
		t.Fatal(err)
	}
	var doc any
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	for _, problem := range jsonschema.Check(schema, doc) {
		t.Errorf("%s: %s", name, problem)
	}
}
