package schema

import (
	"encoding/json"
	"os"
	"testing"
)

func TestErrorsAreNamedByCode(t *testing.T) {
	for i, e := range Errors {
		if int(e.Code) != i-1 || LookupError(e.Code) != &Errors[i] || LookupErrorName(e.Name) != &Errors[i] {
			t.Errorf("code %d, %s", e.Code, e.Name)
		}
	}
	// KIP-98, KIP-320 and the oldest ones, as Kafka's protocol guide lists them.
	for code, name := range map[int16]string{-1: "UNKNOWN_SERVER_ERROR", 0: "NONE", 6: "NOT_LEADER_OR_FOLLOWER", 47: "INVALID_PRODUCER_EPOCH", 76: "UNSUPPORTED_COMPRESSION_TYPE", 999: "UNKNOWN(999)", -2: "UNKNOWN(-2)"} {
		if got := ErrorName(code); got != name {
			t.Errorf("%d is called %s", code, got)
		}
	}
}

func TestErrorsEqualApaches(t *testing.T) {
	shared := os.Getenv("KSNIFF_SHARED")
	if shared == "" {
		shared = "../../../shared"
	}
	text, err := os.ReadFile(shared + "/vectors/errors.json")
	if err != nil {
		t.Skip("no vectors: ", err)
	}
	var want []struct {
		Code      int16
		Name      string
		Retriable bool
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	if len(want) != len(Errors) {
		t.Errorf("%d errors, Apache has %d", len(Errors), len(want))
	}
	for _, w := range want {
		if e := LookupError(w.Code); e == nil || *e != Error(w) {
			t.Errorf("%d: %+v, Apache has %+v", w.Code, e, w)
		}
	}
}
