package schema_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"ksniff/decode/schema"
)

func TestInnerMessagesAreThoseOfTheVectors(t *testing.T) {
	framings := map[string]schema.Framing{"none": schema.Bare, "int16 version": schema.VersionWord, "int16 record type": schema.TypeWord,
		"unsigned varints: frame version 1, record type, version": schema.Varints}
	files, err := filepath.Glob(filepath.Join(sharedDir(t), "vectors", "inner-*.jsonl"))
	if err != nil || len(files) < 7 {
		t.Fatal(files, err)
	}
	lines := 0
	for _, file := range files {
		for line := range strings.Lines(string(shared(t, "vectors/"+filepath.Base(file)))) {
			var c struct {
				What, Family, Framing string
				SchemaType            string `json:"schema_type"`
				RecordType            *int16 `json:"record_type"`
				Version               int16
			}
			if err := json.Unmarshal([]byte(line), &c); err != nil {
				t.Fatal(err)
			}
			lines++
			r, m := schema.LookupInner(c.What)
			if r == nil || r.Family != c.Family || !m.Valid.Has(c.Version) {
				t.Errorf("%s %d of %s: %+v", c.What, c.Version, c.Family, r)
				continue
			}
			want := framings[c.Framing]
			if strings.HasPrefix(c.SchemaType, "coordinator-") {
				want = schema.TypeWord // the value's int16 version goes with it
			}
			if r.Framing != want || want == 0 {
				t.Errorf("%s: framing %s, want %q", c.What, r.Framing, c.Framing)
			}
			if c.RecordType != nil && (r.Type != *c.RecordType || schema.LookupRecord(c.Family, *c.RecordType) != r) {
				t.Errorf("%s: record type %d, want %d", c.What, r.Type, *c.RecordType)
			}
		}
	}
	if lines < 400 {
		t.Errorf("only %d cases", lines)
	}
}

func TestInnerMessagesAreFound(t *testing.T) {
	for name, family := range map[string]string{"OffsetCommitKey": "consumer-offsets", "OffsetCommitValue": "consumer-offsets",
		"ConsumerProtocolAssignment": "consumer-protocol", "LeaderChangeMessage": "data", "TopicRecord": "metadata"} {
		if r, m := schema.LookupInner(name); r == nil || r.Family != family || m.Name != name {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if r, m := schema.LookupInner("offsetcommitkey"); r != nil || m != nil {
		t.Errorf("a name that does not exist: %+v", r)
	}
	if r := schema.LookupRecord("metadata", 6); r != nil { // AccessControlRecord, never released
		t.Errorf("metadata 6: %+v", r)
	}
}
