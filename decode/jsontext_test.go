package decode

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
)

func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "orders", "\x1b]0;x\a", "\xff\xfe", "\u2028\u202e", `"\`, "é\U0001f600", "\x7f\u0085"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		quoted := string(AppendString(nil, s))
		var back string
		if err := json.Unmarshal([]byte(quoted), &back); err != nil || back != string([]rune(s)) {
			t.Fatalf("%q: %s → %q, %v", s, quoted, back, err)
		}
		if i := strings.IndexFunc(quoted, unicode.IsControl); i >= 0 || strings.ContainsAny(quoted, "\u2028\u2029\u202e\u2066\ufeff") {
			t.Fatalf("%q: a character that acts is left in %q", s, quoted)
		}
	})
}

func TestAppendStringAllocatesNothing(t *testing.T) {
	dst := make([]byte, 0, 64)
	if n := testing.AllocsPerRun(100, func() { dst = AppendString(dst[:0], "a\x1bé\"\xff") }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
