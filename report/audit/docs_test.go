package audit

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// perFamily is how many rules the catalogue has of each family.
var perFamily = map[string]int{"KS1": 26, "KS2": 23, "KS3": 30, "KS4": 24, "KS5": 17, "KS6": 26, "KS7": 15, "KS8": 18, "KS9": 14}

// finished are the families that must be complete.
var finished = []string{"KS1", "KS2", "KS3", "KS4", "KS5", "KS6", "KS7", "KS8", "KS9"}

// Each rule of the catalogue is there or left out with a reason, once.
func TestTheCatalogueIsComplete(t *testing.T) {
	seen := map[string]bool{}
	note := func(id string) {
		if seen[id] {
			t.Errorf("%s twice", id)
		}
		seen[id] = true
	}
	for _, f := range families {
		for _, r := range f.rules {
			note(r.ID)
			if !strings.HasPrefix(r.ID, f.name) {
				t.Errorf("%s is in family %s", r.ID, f.name)
			}
		}
		for _, l := range f.left {
			note(l.ID)
			if l.Why == "" || l.Title == "" {
				t.Errorf("%s is left out without a reason", l.ID)
			}
		}
		if !slices.Contains(finished, f.name) {
			continue
		}
		for n := 1; n <= perFamily[f.name]; n++ {
			if id := fmt.Sprintf("%s%03d", f.name, n); !seen[id] {
				t.Errorf("%s is missing", id)
			}
		}
	}
}

// The texts are fit to be read.
func TestRulesAreExplained(t *testing.T) {
	for _, r := range Rules {
		switch {
		case r.Title == "" || r.Explain == "" || r.Example == "" || r.Source == "" || r.Since == "" || r.Severity == 0 || r.Who == 0:
			t.Errorf("%s lacks some of its text", r.ID)
		case len([]rune(r.Title)) > 60 || strings.HasSuffix(r.Title, "."):
			t.Errorf("%s: the title %q is longer than 60 characters or ends with a full stop", r.ID, r.Title)
		case !strings.HasSuffix(strings.TrimSuffix(r.Explain, ")"), "."):
			t.Errorf("%s: the explanation does not end with a full stop", r.ID)
		}
	}
}
