package report

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
	"time"

	"ksniff/report/jsonschema"
)

// The JSON of reports of all kinds is as docs/schema/report.json says.
func TestJSONSchema(t *testing.T) {
	text, err := os.ReadFile("../docs/schema/report.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	for _, cfg := range []Config{{}, {By: Dimensions, Interval: time.Second, Deep: true}, {By: []string{"topic"}, Top: 1, Auto: true}} {
		for _, busy := range []bool{true, false} {
			r := newReport(t, cfg)
			if busy {
				traffic(r)
			}
			var b bytes.Buffer
			res := result(r)
			if busy {
				res.Limits = &Limits{Connections: 1}
			}
			if err := JSON(&b, res); err != nil {
				t.Fatal(err)
			}
			var doc any
			if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
				t.Fatal(err)
			}
			for _, p := range jsonschema.Check(schema, doc) {
				t.Errorf("%+v: %s", cfg, p)
			}
		}
	}
}
