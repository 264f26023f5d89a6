package schema_test

import (
	"encoding/json"
	"testing"

	"ksniff/decode/schema"
)

func TestErrorsAreThoseOfKafka(t *testing.T) {
	var want []struct {
		Code      int16
		Name      string
		Retriable bool
	}
	if err := json.Unmarshal(shared(t, "vectors/errors.json"), &want); err != nil {
		t.Fatal(err)
	}
	if len(schema.Errors) != len(want) || len(want) != 138 {
		t.Fatalf("%d codes, want %d", len(schema.Errors), len(want))
	}
	for _, w := range want {
		e := schema.LookupError(w.Code)
		if e == nil || e.Code != w.Code || e.Name != w.Name || e.Retriable != w.Retriable {
			t.Errorf("code %d: %+v, want %+v", w.Code, e, w)
		}
	}
}

func TestErrorsAreFound(t *testing.T) {
	for code, name := range map[int16]string{-1: "UNKNOWN_SERVER_ERROR", 0: "NONE", 6: "NOT_LEADER_OR_FOLLOWER", 136: "CONTROLLER_ID_NOT_REGISTERED", 137: "UNKNOWN(137)", -2: "UNKNOWN(-2)", 32767: "UNKNOWN(32767)", -32768: "UNKNOWN(-32768)"} {
		if got := schema.ErrorName(code); got != name {
			t.Errorf("ErrorName(%d) = %q, want %q", code, got, name)
		}
	}
	if e := schema.LookupErrorName("Coordinator_Not_Available"); e == nil || e.Code != 15 || !e.Retriable {
		t.Errorf("COORDINATOR_NOT_AVAILABLE: %+v", e)
	}
	if e := schema.LookupErrorName("coordinator"); e != nil {
		t.Errorf("a name that does not exist: %+v", e)
	}
	if e := schema.LookupLegacyError(3); e == nil || e.Name != "WRONG_PARTITION" {
		t.Errorf("legacy 3: %+v", e)
	}
	if e := schema.LookupLegacyError(5); e != nil {
		t.Errorf("legacy 5: %+v", e)
	}
}

func TestErrorsHaveAdvice(t *testing.T) {
	for _, table := range [][]schema.Error{schema.Errors, schema.LegacyErrors} {
		for _, e := range table {
			if len(e.Advice) < 10 || len(e.Advice) > 140 {
				t.Errorf("%s: advice %q", e.Name, e.Advice)
			}
		}
	}
}
