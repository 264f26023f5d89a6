package main

import (
	"fmt"
	"io"
	"strings"

	"ksniff/report"
	"ksniff/report/audit"
	"ksniff/report/escape"
)

// headline says how many clients are ready.
func (d *readinessJSON) headline(release string) string {
	switch {
	case len(d.Clients) == 0 && d.Encrypted > 0:
		return "Nothing can be said: what could be read has no client of Kafka, the rest is encrypted."
	case len(d.Clients) == 0:
		return "Nothing can be said: no client of Kafka was seen."
	}
	line := fmt.Sprintf("%d of %d clients are ready for %s, by what they were seen to use", d.ready, len(d.Clients), release)
	if d.soFar > 0 {
		line += fmt.Sprintf("; %d are ready so far: only a part of them was seen", d.soFar)
	}
	return line + "."
}

// table writes it for people, in so many columns, 0: for a pipe.
func (d *readinessJSON) table(w io.Writer, width int, profile *audit.Profile, matrix bool) {
	if profile != nil {
		report.Wrap(w, width, "", "", d.headline(profile.Title))
		if len(d.Clients) > 0 {
			fmt.Fprintln(w)
			d.clientTable(w, width)
		}
	}
	if matrix {
		if profile != nil {
			fmt.Fprintln(w)
		}
		d.matrixTable(w, width)
	}
	if d.Encrypted > 0 {
		fmt.Fprintln(w)
		report.Wrap(w, width, "", "", report.Plural(int64(d.Encrypted), "connection")+" encrypted (TLS): such clients are not in this list.")
	}
}

// clientTable has a row for each client and what it uses that is gone. Where rows have no room, that and what was seen
// stand below the client.
func (d *readinessJSON) clientTable(w io.Writer, width int) {
	rows, narrow := [][]string{}, [][]string{}
	for i := range d.Clients {
		c := &d.Clients[i]
		software := ""
		if c.Software != nil {
			software = harmless(*c.Software)
		}
		row := []string{harmless(c.ClientID), c.Address, software, c.Verdict, "", "", c.Seen.text(c.Requests)}
		if len(c.Gone) > 0 {
			row[3] = strings.ToUpper(c.Verdict)
		} else {
			rows = append(rows, row)
		}
		narrow = append(narrow, []string{row[3], row[1], row[0]})
		for _, g := range c.Gone {
			row[4], row[5] = g.text(), g.Needs
			rows = append(rows, append([]string(nil), row...))
			if row[6] = ""; width > 0 { // in a pipe each line may be looked for by its client
				row[0], row[1], row[2] = "", "", ""
			}
		}
	}
	if fitted(w, width, rows, "CLIENT", "ADDRESS", "SOFTWARE", "VERDICT", "USES", "NEEDS", "SEEN") {
		return
	}
	i := -1 // the head comes first
	for line := range strings.Lines(aligned(narrow, "VERDICT", "ADDRESS", "CLIENT")) {
		io.WriteString(w, line)
		if i >= 0 {
			c := &d.Clients[i]
			for _, g := range c.Gone {
				report.Wrap(w, width, "    ", "    ", "uses "+g.text()+", needs "+g.Needs)
			}
			seen := "seen " + c.Seen.text(c.Requests)
			if c.Software != nil {
				seen = "is " + harmless(*c.Software) + ", " + seen
			}
			report.Wrap(w, width, "    ", "    ", seen)
		}
		i++
	}
}

// matrixTable has a row for each broker, client and API; where it has no room, broker and client stand above their APIs.
func (d *readinessJSON) matrixTable(w io.Writer, width int) {
	rows, narrow := [][]string{}, [][]string{}
	for i := range d.Matrix {
		m := &d.Matrix[i]
		remark := ""
		if !m.OK {
			remark = "not offered"
		}
		cells := []string{m.API, m.offered(), versionsText(m.Used), fmt.Sprint(m.Requests), remark}
		rows = append(rows, append([]string{m.Broker, harmless(m.ClientID), m.Address}, cells...))
		narrow = append(narrow, cells)
	}
	if fitted(w, width, rows, "BROKER", "CLIENT", "ADDRESS", "API", "OFFERED", "USED", "REQUESTS", "REMARK") {
		return
	}
	i, above := -1, ""
	for line := range strings.Lines(aligned(narrow, "API", "OFFERED", "USED", "REQUESTS", "REMARK")) {
		if i >= 0 {
			who := strings.TrimSpace(rows[i][1]+" at "+rows[i][2]) + " with " + rows[i][0]
			if who != above {
				report.Wrap(w, width, "", "", who)
			}
			above = who
		}
		io.WriteString(w, "    "+line)
		i++
	}
}

func harmless(s string) string { return string(escape.Text(nil, s)) }

// text is what is gone, with the versions that were used.
func (g *goneJSON) text() string { return strings.TrimSpace(g.What + " " + versionsText(g.Versions)) }

// text says what was seen of a client, and what was not.
func (s *seenJSON) text(requests int64) string {
	out := fmt.Sprintf("%s: %s", report.Plural(requests, "request"), strings.Join(s.APIs[:min(len(s.APIs), 6)], " "))
	if more := len(s.APIs) - 6; more > 0 {
		out += fmt.Sprintf(" and %d more", more)
	}
	if s.Begun < s.Connections {
		out += fmt.Sprintf("; %d of %d connections are not there from their beginning", s.Connections-s.Begun, s.Connections)
	}
	if s.Gaps {
		out += "; packets are missing or cut"
	}
	if s.Unread > 0 {
		out += "; " + report.Plural(int64(s.Unread), "request") + " could not be read"
	}
	return out
}
