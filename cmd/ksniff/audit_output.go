package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"ksniff/capture"
	"ksniff/report"
	"ksniff/report/audit"
	"ksniff/report/escape"
)

// auditWriter writes what an audit finds, as it comes or at the end.
type auditWriter struct {
	found   func(*audit.Finding)
	close   func(p *pipeline, a *audit.Audit, broken error) // broken: why the input could not be read to its end
	unready int                                             // clients that are not ready for the profile
	err     error
}

// writer makes the writer for a format.
func (o *auditFlags) writer(c *cobra.Command, out *bufio.Writer, profile *audit.Profile, failOn audit.Severity) (*auditWriter, error) {
	w := &auditWriter{found: func(*audit.Finding) {}, close: func(*pipeline, *audit.Audit, error) {}}
	write := func(b []byte, err error) {
		if w.err == nil {
			w.err = err
		}
		if w.err == nil {
			_, w.err = out.Write(b)
		}
	}
	width, colour := terminalWidth(c.OutOrStdout()), mannersOf(c).coloured(c.OutOrStdout())
	if profile != nil || o.matrix {
		return w, o.readinessWriter(w, out, width, profile)
	}
	switch o.format {
	case "table":
		w.close = func(_ *pipeline, a *audit.Audit, _ error) { auditTable(out, a, width, colour) }
	case "text":
		w.found = func(f *audit.Finding) { write(findingText(f, width, colour), nil) }
	case "json":
		w.found = func(f *audit.Finding) {
			b, err := json.Marshal(f)
			write(append(b, '\n'), err)
		}
	case "csv":
		write([]byte(audit.CSVHead), nil)
		w.found = func(f *audit.Finding) {
			l, err := f.Line()
			write(l.AppendCSV(nil), err)
		}
	case "sarif", "junit", "html":
		r := &audit.Results{Tool: release}
		w.found = r.Add
		w.close = func(p *pipeline, a *audit.Audit, broken error) {
			r.Close(a)
			r.Sources, r.Broken = p.names, broken
			if files, ok := p.source.(*capture.Files); ok {
				r.Starts = files.Starts()
			}
			switch o.format {
			case "sarif":
				w.err = audit.SARIF(out, r)
			case "junit":
				w.err = audit.JUnit(out, r, max(failOn, audit.Warning))
			default:
				w.err = audit.HTML(out, r)
			}
		}
	default:
		return nil, usage("-o %s: there are table, text, json, csv, sarif, junit and html", o.format)
	}
	return w, nil
}

var severityColours = map[audit.Severity]string{audit.Error: "\x1b[31m", audit.Warning: "\x1b[33m", audit.Info: "\x1b[36m"}

// painted is a severity, padded, in its colour.
func painted(s audit.Severity, colour bool) string {
	text := fmt.Sprintf("%-7s", s)
	if colour {
		return severityColours[s] + text + "\x1b[0m"
	}
	return text
}

// findingText is a finding as one line for people; where a terminal has no room for it, the message stands below.
func findingText(f *audit.Finding, width int, colour bool) []byte {
	where := f.API
	if f.Version >= 0 {
		where = fmt.Sprintf("%s v%d", f.API, f.Version)
	}
	at := f.Time()
	if len(at) > 26 {
		at = at[11:26]
	}
	head := func(severity string) []byte {
		return fmt.Appendf(nil, "%s  %s %s  packet %d  %s  %s", at, severity, f.Rule.ID, f.At.Packet, escape.Text(nil, f.ClientID()), where)
	}
	line, message := head(painted(f.Severity, colour)), escape.Text(nil, f.Message)
	plain := utf8.RuneCount(head(painted(f.Severity, false))) + len("  ") + utf8.RuneCount(message)
	if width <= 0 || plain <= width {
		return append(append(append(line, "  "...), message...), '\n')
	}
	below := bytes.NewBuffer(append(line, '\n'))
	report.Wrap(below, width, "    ", "    ", string(message))
	return below.Bytes()
}

// auditRemarks says what was judged.
func auditRemarks(w io.Writer, p *pipeline, a *audit.Audit, verbose bool) {
	s := a.Summary()
	partly := 0
	for _, u := range s.Unjudged {
		if !u.All {
			partly++
		}
	}
	width := terminalWidth(w)
	report.Wrap(w, width, "", "", fmt.Sprintf("%d of %d rules judged on %s, %d have no traffic here, %d could not be judged, %d only for part of the traffic",
		s.Judged, s.Rules, report.Plural(s.Frames, "frame"), s.Idle, len(s.Unjudged)-partly, partly))
	if s.Withheld > 0 {
		report.Wrap(w, width, "", "", "not reported, since the capture does not prove them: "+report.Plural(s.Withheld, "suspicion"))
	}
	if n := p.session.Connections.TLS; n > 0 {
		report.Wrap(w, width, "", "", report.Plural(n, "connection")+" encrypted (TLS): not judged")
	}
	shown := 0
	for _, u := range s.Unjudged {
		if !u.All && !verbose {
			continue
		}
		if shown++; shown > 12 && !verbose {
			fmt.Fprintln(w, "  … (-v shows all)")
			break
		}
		var why []string
		for _, r := range u.Reasons {
			why = append(why, fmt.Sprintf("%s (%d)", r.Why, r.Count))
		}
		report.Wrap(w, width, "  ", "  ", u.Rule.ID+" not judged: "+strings.Join(why, "; "))
	}
}
