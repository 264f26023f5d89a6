package main

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestAuditInANarrowTerminal: at 80 columns a long message left no room for count, first, last and was cut itself.
func TestAuditInANarrowTerminal(t *testing.T) {
	message := strings.Repeat("nine word ", 30)
	rows := func() [][]string {
		return [][]string{{"warning", "KS6022", strings.Repeat("c", 40), "OffsetCommit", "123", "4567", "89012", message}}
	}
	if text, below := auditRows(rows(), 0); below || !strings.Contains(text, message[:290]) {
		t.Errorf("in a pipe %q", text)
	}
	text, below := auditRows(rows(), 80)
	row := strings.Split(text, "\n")[1]
	if !below || strings.Contains(text, "nine") || !strings.HasSuffix(row, strings.Repeat("c", 40)) {
		t.Errorf("%v %q", below, text)
	}
	if at := strings.Index(row, "89012"); at < 0 || at > 74 {
		t.Errorf("last at %d of %q", at, row)
	}
	var out strings.Builder
	indented(&out, 80, message)
	for line := range strings.Lines(out.String()) {
		if utf8.RuneCountInString(line) > 81 {
			t.Errorf("%q", line)
		}
	}
	if strings.Join(strings.Fields(out.String()), " ") != strings.TrimSpace(message) {
		t.Errorf("%q", out.String())
	}
}
