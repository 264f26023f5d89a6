package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ksniff/report/audit"
	"ksniff/report/escape"
)

// auditFlags are the flags of audit beside those of the input.
type auditFlags struct {
	in       input
	format   string
	rules    []string
	severity string
	failOn   string
	most     int
	deep     bool
}

func init() {
	explainRule, ruleNames = ruleArticle, func() []string {
		var ids []string
		for _, r := range audit.Rules {
			ids = append(ids, r.ID)
		}
		return ids
	}
}

func auditCommand() *cobra.Command {
	o := &auditFlags{}
	c := &cobra.Command{
		Use:   "audit [FILE…]",
		Short: "Where a client or broker breaks the protocol, and what will break",
		Example: `  ksniff audit capture.pcap
  ksniff audit capture.pcap --fail-on error -o json
  ksniff audit capture.pcap --rules KS3,KS4007 --deep
  ksniff explain KS3001`,
		RunE: func(c *cobra.Command, args []string) error { return o.run(c, args) },
	}
	o.in.flags(c)
	f := c.Flags()
	f.StringVarP(&o.format, "output", "o", "table", "table or json")
	f.StringSliceVar(&o.rules, "rules", nil, "only these rules or families: KS2003, KS3; -KS9 leaves out")
	f.StringVar(&o.severity, "severity", "info", "only findings at or above info, warning or error")
	f.StringVar(&o.failOn, "fail-on", "", "exit with 1 where there are findings at or above info, warning or error")
	f.IntVar(&o.most, "max", 100, "findings that are printed per rule, client and API; the others are counted")
	f.BoolVar(&o.deep, "deep", false, "decompress record batches to look at their records")
	return c
}

func (o *auditFlags) run(c *cobra.Command, args []string) error {
	cfg := audit.Config{Deep: o.deep, PerGroup: o.most}
	failOn := audit.SeverityNamed(o.failOn)
	if cfg.Least = audit.SeverityNamed(o.severity); cfg.Least == 0 {
		return usage("--severity %s: there are info, warning and error", o.severity)
	}
	if o.failOn != "" && failOn == 0 {
		return usage("--fail-on %s: there are info, warning and error", o.failOn)
	}
	var err error
	if cfg.Rules, err = chosen(o.rules); err != nil {
		return err
	}
	out := bufio.NewWriter(c.OutOrStdout())
	var wrote error
	switch o.format {
	case "json":
		cfg.Found = func(f *audit.Finding) {
			if b, err := json.Marshal(f); err == nil && wrote == nil {
				_, wrote = out.Write(append(b, '\n'))
			}
		}
	case "table":
	default:
		return usage("-o %s: there are table and json", o.format)
	}
	a := audit.New(cfg)
	p, err := o.in.open(c.Context(), args, a.SessionConfig(), a)
	if err != nil {
		return err
	}
	defer p.source.Close()
	p.idle = func() { out.Flush() }
	broken := p.follow(c)
	a.Finish()
	if o.format == "table" {
		auditTable(out, a)
	}
	if err := out.Flush(); wrote == nil {
		wrote = err
	}
	if wrote != nil {
		return failed(wrote)
	}
	if !mannersOf(c).quiet {
		auditRemarks(c.ErrOrStderr(), a, mannersOf(c).verbose)
	}
	switch {
	case broken != nil:
		return failed(broken)
	case failOn > 0 && a.Worst() >= failOn:
		return exitError{code: exitFindings}
	}
	return nil
}

// chosen parses --rules.
func chosen(names []string) (func(*audit.Rule) bool, error) {
	var with, without []string
	for _, name := range names {
		prefix, leave := strings.CutPrefix(strings.ToUpper(strings.TrimSpace(name)), "-")
		if !slices.ContainsFunc(audit.Rules, func(r *audit.Rule) bool { return strings.HasPrefix(r.ID, prefix) }) {
			return nil, usage("--rules: there is no rule %s", name)
		}
		if leave {
			without = append(without, prefix)
		} else {
			with = append(with, prefix)
		}
	}
	return func(r *audit.Rule) bool {
		in := func(list []string) bool {
			return slices.ContainsFunc(list, func(prefix string) bool { return strings.HasPrefix(r.ID, prefix) })
		}
		return (len(with) == 0 || in(with)) && !in(without)
	}, nil
}

// auditTable writes the findings in groups.
func auditTable(w io.Writer, a *audit.Audit) {
	groups, _ := a.Groups()
	if len(groups) == 0 {
		fmt.Fprintln(w, "No findings.")
		return
	}
	rows := [][]string{}
	for _, g := range groups {
		client := "-"
		if g.Client != nil {
			client = string(escape.Text(nil, g.Client.ID))
		}
		rows = append(rows, []string{g.Severity.String(), g.Rule.ID, client, g.API, fmt.Sprint(g.Count),
			fmt.Sprint(g.First.Packet), fmt.Sprint(g.Last.Packet), string(escape.Text(nil, g.Message))})
	}
	columns(w, rows, "SEVERITY", "RULE", "CLIENT", "API", "COUNT", "FIRST", "LAST", "MESSAGE")
}

// auditRemarks says what was judged.
func auditRemarks(w io.Writer, a *audit.Audit, verbose bool) {
	s := a.Summary()
	partly := 0
	for _, u := range s.Unjudged {
		if !u.All {
			partly++
		}
	}
	fmt.Fprintf(w, "%d of %d rules judged on %d frames, %d have no traffic here, %d could not be judged, %d only for part of the traffic\n",
		s.Judged, s.Rules, s.Frames, s.Idle, len(s.Unjudged)-partly, partly)
	for _, u := range s.Unjudged {
		if !u.All && !verbose {
			continue
		}
		var why []string
		for _, r := range u.Reasons {
			why = append(why, fmt.Sprintf("%s (%d)", r.Why, r.Count))
		}
		fmt.Fprintf(w, "  %s not judged: %s\n", u.Rule.ID, strings.Join(why, "; "))
	}
}

// ruleArticle is what explain says about a rule.
func ruleArticle(id string) (article, bool) {
	r := audit.Lookup(id)
	if r == nil {
		return article{}, false
	}
	value := struct {
		ID       string   `json:"id"`
		Title    string   `json:"title"`
		Severity string   `json:"severity"`
		Who      string   `json:"who"`
		Since    string   `json:"since"`
		Source   string   `json:"source"`
		Explain  string   `json:"explanation"`
		Example  string   `json:"example"`
		Needs    []string `json:"needs"`
	}{r.ID, r.Title, r.Severity.String(), r.Who.String(), r.Since, r.Source, r.Explain, r.Example, r.Needs.Words()}
	return article{value, func(w io.Writer) {
		fmt.Fprintf(w, "%s  %s\n\n%s\n\n", r.ID, r.Title, r.Explain)
		fmt.Fprintf(w, "Severity  %s\nWho       %s\nSince     %s\nSource    %s\nExample   %s\n", r.Severity, r.Who, r.Since, r.Source, r.Example)
		for _, need := range r.Needs.Words() {
			fmt.Fprintf(w, "Needs     %s\n", need)
		}
	}}, true
}
