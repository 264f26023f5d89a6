package audit

import (
	"slices"
	"testing"
)

// wrong is traffic that the audit once judged wrongly: want is how often the rule speaks about it.
type wrong struct {
	name, rule string
	want       int
	severity   Severity // of what is found; 0: the rule's
	build      func(k *talk)
}

// wrongs are those of all families.
var wrongs = slices.Concat(ks5Wrongs, ks6Wrongs, ks7Wrongs, ks8Wrongs, cutWrongs)

// TestWhatWentWrong: none of it comes back.
func TestWhatWentWrong(t *testing.T) {
	for _, w := range wrongs {
		t.Run(w.rule+"/"+w.name, func(t *testing.T) {
			r := Lookup(w.rule)
			found := findings(t, ruleCase{}, w.build, r)
			if len(found) != w.want {
				t.Fatalf("found %d times, want %d: %v", len(found), w.want, messages(found))
			}
			for _, f := range found {
				if want := max(w.severity, Severity(0)); f.Severity != want && (want != 0 || f.Severity != r.Severity) {
					t.Errorf("severity %s: %s", f.Severity, f.Message)
				}
			}
		})
	}
}

func messages(found []Finding) []string {
	var all []string
	for _, f := range found {
		all = append(all, f.Message)
	}
	return all
}
