package filter

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of fields in docs/filters.md anew")

// The page for users has every field, as the program knows it.
func TestDocsListAllFields(t *testing.T) {
	const path = "../../docs/filters.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var rows strings.Builder
	for _, f := range fields {
		names := strings.Fields(f.names)
		rows.WriteString("| `" + strings.Join(names, "` `") + "` | " + f.doc)
		if f.typ == tWord && !strings.Contains(f.doc, "`"+strings.Fields(f.words)[0]+"`") {
			rows.WriteString(": `" + strings.Join(strings.Fields(f.words), "` `") + "`")
		}
		rows.WriteString(" |\n")
	}
	table := regexp.MustCompile(`(?s)(\| field \| is \|\n\|---\|---\|\n).*?(\n## Any field)`)
	want := table.ReplaceAllString(string(page), "${1}"+strings.ReplaceAll(rows.String(), "$", "$$")+"${2}")
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(page) {
		t.Error("the table of fields is not that of the program; go test -update writes it anew")
	}
}
