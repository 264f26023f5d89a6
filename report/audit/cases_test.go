package audit

import (
	"slices"
	"testing"
)

// ruleCase shows that a rule sees what it is about, and no more: hit breaks the rule, miss comes as
// close to that as is allowed. Both build a capture, from the tables (peer.request, peer.answer) or from
// the frames of a real one (real, talk.play), changed.
type ruleCase struct {
	rule      string
	hit, miss func(k *talk)
	deep      bool
	severity  Severity // of the hit; 0: the rule's
}

// allCases are the cases of all families.
var allCases = slices.Concat(ks1Cases, ks2Cases, ks3Cases, ks4Cases, ks5Cases, ks6Cases, ks7Cases, ks8Cases, ks9Cases)

// TestEveryRuleHasItsCases: the table rule × (hit, near miss) is complete.
func TestEveryRuleHasItsCases(t *testing.T) {
	for _, r := range Rules {
		if !slices.ContainsFunc(allCases, func(c ruleCase) bool { return c.rule == r.ID && c.hit != nil && c.miss != nil }) {
			t.Errorf("%s (%s) has no cases", r.ID, r.Title)
		}
	}
}

func TestCases(t *testing.T) {
	for _, c := range allCases {
		r := Lookup(c.rule)
		if r == nil {
			t.Errorf("case of %s: there is no such rule", c.rule)
			continue
		}
		t.Run(c.rule+"/hit", func(t *testing.T) {
			found := findings(t, c, c.hit, r)
			if len(found) == 0 {
				t.Fatalf("%s (%s) was not found", r.ID, r.Title)
			}
			if want := max(c.severity, Severity(0)); want != 0 && found[0].Severity != want {
				t.Errorf("severity %s, want %s", found[0].Severity, want)
			} else if want == 0 && found[0].Severity != r.Severity {
				t.Errorf("severity %s, the rule has %s", found[0].Severity, r.Severity)
			}
			if most := max(r.Severity, r.Most); found[0].Severity > most {
				t.Errorf("severity %s, the rule has %s at most", found[0].Severity, most)
			}
			if found[0].Message == "" {
				t.Error("no message")
			}
			if found[0].At.Packet == 0 {
				t.Error("no packet")
			}
		})
		t.Run(c.rule+"/miss", func(t *testing.T) {
			for _, f := range findings(t, c, c.miss, r) {
				t.Errorf("false alarm in packet %d: %s", f.At.Packet, f.Message)
			}
		})
	}
}

// findings audits what build builds, and gives what was found of a rule.
func findings(t *testing.T, c ruleCase, build func(*talk), r *Rule) []Finding {
	k := newTalk(t, Config{Deep: c.deep})
	build(k)
	k.end()
	if k.audit.frames == 0 && len(k.found) == 0 && k.packet == 0 {
		t.Fatal("the case has no traffic")
	}
	return slices.DeleteFunc(k.found, func(f Finding) bool { return f.Rule != r })
}
