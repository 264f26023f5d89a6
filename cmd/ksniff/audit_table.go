package main

import (
	"fmt"
	"io"
	"strings"

	"ksniff/report"
	"ksniff/report/audit"
	"ksniff/report/escape"
)

// auditTable writes the findings in groups.
func auditTable(w io.Writer, a *audit.Audit, width int, colour bool) {
	groups, omitted := a.Groups()
	if len(groups) == 0 {
		fmt.Fprintln(w, "No findings.")
		return
	}
	rows := [][]string{}
	for _, g := range groups {
		rows = append(rows, []string{g.Severity.String(), g.Rule.ID, string(escape.Text(nil, g.ClientName())), g.API, fmt.Sprint(g.Count),
			fmt.Sprint(g.First.Packet), fmt.Sprint(g.Last.Packet), string(escape.Text(nil, g.Message))})
	}
	text, below := auditRows(rows, width)
	i := -1 // the head comes first
	for line := range strings.Lines(text) {
		if i >= 0 && colour {
			s := groups[i].Severity
			line = severityColours[s] + s.String() + "\x1b[0m" + line[len(s.String()):]
		}
		io.WriteString(w, line)
		if i >= 0 && below {
			report.Wrap(w, width, "    ", "    ", string(escape.Text(nil, groups[i].Message)))
		}
		i++
	}
	if omitted > 0 {
		fmt.Fprintf(w, "and %d findings of more rules and clients than are kept apart\n", omitted)
	}
}

// auditRows aligns rows for a terminal of so many columns, 0: for a pipe. Where a row has no room, messages are left
// out, to be written below their rows, and the client goes last: what cannot be told otherwise is not cut.
func auditRows(rows [][]string, width int) (text string, below bool) {
	head := []string{"SEVERITY", "RULE", "CLIENT", "API", "COUNT", "FIRST", "LAST", "MESSAGE"}
	var b strings.Builder
	if fitted(&b, width, rows, head...) {
		return b.String(), false
	}
	narrow := func(r []string) []string { return []string{r[0], r[1], r[4], r[5], r[6], r[3], r[2]} }
	for i := range rows {
		rows[i] = narrow(rows[i])
	}
	return aligned(rows, narrow(head)...), true
}
