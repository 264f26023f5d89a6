package audit

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// The part of JUnit's report that CI systems read.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Time     string      `xml:"time,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Time    string        `xml:"time,attr"`
		Skipped *junitSkipped `xml:"skipped,omitempty"`
		Failure *junitFailure `xml:"failure,omitempty"`
		Output  string        `xml:"system-out,omitempty"`
	}
	junitSkipped struct {
		Message string `xml:"message,attr"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes the results as a JUnit report: a suite per family, a case per rule. A case fails where
// there is a finding at or above least, and is skipped where the rule could not be judged.
func JUnit(w io.Writer, r *Results, least Severity) error {
	all := junitSuites{Name: "ksniff audit"}
	for _, f := range families {
		suite := junitSuite{Name: f.name + " " + f.title, Time: "0"}
		for _, rule := range f.rules {
			c := r.junitCase(f.name, rule, least)
			suite.Tests++
			if c.Failure != nil {
				suite.Failures++
			}
			if c.Skipped != nil {
				suite.Skipped++
			}
			suite.Cases = append(suite.Cases, c)
		}
		all.Tests += suite.Tests
		all.Failures += suite.Failures
		all.Suites = append(all.Suites, suite)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", " ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (r *Results) junitCase(class string, rule *Rule, least Severity) junitCase {
	c := junitCase{Name: rule.ID + " " + rule.Title, Class: "ksniff." + class, Time: "0"}
	var lines []string
	var count int64
	worst := Severity(0)
	for _, g := range r.Groups {
		if g.Rule == rule {
			worst = max(worst, g.Severity)
			count += g.Count
			lines = append(lines, fmt.Sprintf("%s: client %s, %s: %s (%d times, packets %d to %d)", g.Severity, g.ClientName(), g.API, g.Message, g.Count, g.First.Packet, g.Last.Packet))
		}
	}
	text := strings.Join(lines, "\n")
	judged, why := r.Judged(rule)
	switch {
	case worst >= least && worst > 0:
		c.Failure = &junitFailure{Message: fmt.Sprintf("%s, seen %d times", rule.Title, count), Type: worst.String(), Text: text}
	case len(lines) > 0:
		c.Output = text
	case !judged:
		c.Skipped = &junitSkipped{why}
	}
	return c
}

// ClientName is the client's id for people.
func (g *Group) ClientName() string {
	switch {
	case g.Client == nil:
		return "-"
	case g.Client.NullID:
		return "(null)"
	case g.Client.ID == "":
		return "(empty)"
	}
	return g.Client.ID
}
