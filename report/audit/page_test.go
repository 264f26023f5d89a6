package audit

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/audit-rules.md")

// TestRulesPage holds docs/audit-rules.md in step with the rules; -update writes it.
func TestRulesPage(t *testing.T) {
	name := filepath.Join("..", "..", "docs", "audit-rules.md")
	want := rulesPage()
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != want {
		t.Error("docs/audit-rules.md is not what the rules say: go test ./report/audit -run RulesPage -update")
	}
}

func rulesPage() string {
	var b strings.Builder
	here, left := 0, 0
	for _, f := range families {
		here, left = here+len(f.rules), left+len(f.left)
	}
	fmt.Fprintf(&b, `# The rules of the audit

<!-- Written by go test ./report/audit -run RulesPage -update; do not edit. -->

%d rules, %d left out. "ksniff explain KS3001" tells more of each: an example, and what it needs to be proof. The severity is that of the rule; a finding may
be milder where the capture proves less. Guards: S the connection from its beginning, S2 that, or two exchanges before, D both directions, N no missing packets, Z --deep, X all
brokers of the cluster (else an error is a warning), P Apache Kafka never does it, T only from the given number on.
`, here, left)
	cell := strings.NewReplacer("|", "\\|", "\n", " ").Replace
	for _, f := range families {
		fmt.Fprintf(&b, "\n## %sxxx %s\n| id | rule | severity | who | guards | what is wrong | source | since |\n|---|---|---|---|---|---|---|---|\n", f.name, f.title)
		rules := slices.SortedFunc(slices.Values(f.rules), func(x, y *Rule) int { return strings.Compare(x.ID, y.ID) })
		for _, r := range rules {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", r.ID, cell(r.Title), r.Severity, r.Who, r.guards(), cell(r.Explain), cell(r.Source), r.Since)
		}
		if len(f.left) > 0 {
			b.WriteString("\nLeft out:\n\n")
			for _, l := range f.left {
				fmt.Fprintf(&b, "- **%s** %s: %s.\n", l.ID, l.Title, l.Why)
			}
		}
	}
	return b.String()
}

// guards are the letters of the catalogue.
func (r *Rule) guards() string {
	var letters []string
	for _, g := range []struct {
		need   Needs
		letter string
	}{{Start, "S"}, {Proved, "S2"}, {Both, "D"}, {NoGap, "N"}, {Deep, "Z"}, {AllBrokers, "X"}, {Apache, "P"}} {
		if r.Needs&g.need != 0 {
			letters = append(letters, g.letter)
		}
	}
	if r.Times > 1 {
		letters = append(letters, fmt.Sprintf("T %d", r.Times))
	}
	return strings.Join(letters, " ")
}
