package report

import (
	"slices"
	"strings"
	"testing"
)

// TestAdviceNamesLimits: what was given up for the bound on memory, or came twice with different bytes,
// must not be hidden behind numbers that look whole.
func TestAdviceNamesLimits(t *testing.T) {
	r := &Result{Ledger: Ledger{Conflicts: 2}, Limits: &Limits{Connections: 1, Gaps: 2, Unfinished: 3, Requests: 4, Responses: 5, Topics: 6, Clients: 7, Partitions: 8}}
	all := strings.Join(r.Advice(), "\n")
	for _, want := range []string{"2 segments came again with other bytes", "--memory", "1 connection,", "2 late segments", "3 unfinished frames", "4 waiting requests",
		"5 early responses", "6 topic names", "7 client names", "8 session partitions"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in:\n%s", want, all)
		}
	}
	if a := (&Result{}).Advice(); slices.ContainsFunc(a, func(s string) bool { return strings.Contains(s, "memory") || strings.Contains(s, "other bytes") }) {
		t.Errorf("advice about nothing: %q", a)
	}
}

// TestLongPollsOfDamagedCaptures: after a loss P50 of Fetch was 58 ms instead of 1.75 ms, since long polls could not be told
// from prompt answers, and nothing said so.
func TestLongPollsOfDamagedCaptures(t *testing.T) {
	var totals Flow
	totals.Fetch.Latency.Count = 1
	for _, c := range []struct {
		r    Result
		said bool
	}{
		{Result{Ledger: Ledger{Gap: 1}, Totals: totals}, true},
		{Result{Ledger: Ledger{Skipped: 1}, Totals: totals}, true},
		{Result{Capture: Capture{Cut: 1}, Totals: totals}, true},
		{Result{Ledger: Ledger{Gap: 1}}, false},
		{Result{Totals: totals}, false},
	} {
		if said := strings.Contains(strings.Join(c.r.Advice(), "\n"), "long polls among them"); said != c.said {
			t.Errorf("%+v %+v: said %v", c.r.Ledger, c.r.Capture, said)
		}
	}
}
