package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"ksniff/reassembly/session"
	"ksniff/report/audit"
	"ksniff/report/filter"
)

// auditFlags are the flags of audit beside those of the input.
type auditFlags struct {
	in       input
	format   string
	rules    []string
	severity string
	failOn   string
	baseline []string
	known    audit.Known
	profile  string
	matrix   bool
	most     int
	deep     bool
}

func auditCommand() *cobra.Command {
	o := &auditFlags{}
	c := &cobra.Command{
		Use:   "audit [FILE…]",
		Short: "Where a client or broker breaks the protocol, and what will break",
		Example: `  ksniff audit capture.pcap
  ksniff audit capture.pcap --fail-on error --baseline known.jsonl
  ksniff audit capture.pcap --rules KS3,KS4007,-KS3018 --deep -o json
  ksniff audit capture.pcap --profile kafka-4.0
  ksniff explain KS3001`,
		RunE: func(c *cobra.Command, args []string) error { return o.run(c, args) },
	}
	o.in.flags(c)
	o.in.heard = audit.ConnCost
	f := c.Flags()
	f.StringVarP(&o.format, "output", "o", "table", "table (in groups), text (as they come), json, csv, sarif, junit or html")
	f.StringSliceVar(&o.rules, "rules", nil, "only these rules or families: KS2003, KS3; -KS9 leaves out")
	f.StringVar(&o.severity, "severity", "info", "only findings at or above info, warning or error")
	f.StringVar(&o.failOn, "fail-on", "", "exit with 1 where there are findings at or above info, warning or error, or clients that are not ready")
	f.StringArrayVar(&o.baseline, "baseline", nil, "an earlier audit -o json: what it found is known, by rule, client and API")
	f.StringArrayVar(&o.known.Clients, "ignore-client", nil, "no findings of these client ids; * stands for anything")
	f.StringArrayVar(&o.known.Topics, "ignore-topic", nil, "no findings about these topics; * stands for anything")
	f.StringVar(&o.profile, "profile", "", "which clients are ready for a release: "+strings.Join(profileNames(), ", "))
	f.BoolVar(&o.matrix, "matrix", false, "the versions that brokers offer against those that clients use")
	f.IntVar(&o.most, "max", 100, "findings that are printed per rule, client and API; the others are counted")
	f.BoolVar(&o.deep, "deep", false, "decompress record batches to look at their records")
	return c
}

func profileNames() []string {
	var names []string
	for _, p := range audit.Profiles {
		names = append(names, p.Name)
	}
	return names
}

func (o *auditFlags) run(c *cobra.Command, args []string) error {
	cfg, failOn, err := o.config()
	if err != nil {
		return err
	}
	if o.in.live.iface != "" && !c.Flags().Changed("output") {
		o.format = "text"
	}
	var profile *audit.Profile
	if o.profile != "" {
		if profile = audit.ProfileNamed(o.profile); profile == nil {
			return usage("--profile %s: there are %s", o.profile, strings.Join(profileNames(), ", "))
		}
	}
	out := bufio.NewWriter(c.OutOrStdout())
	w, err := o.writer(c, out, profile, failOn)
	if err != nil {
		return err
	}
	cfg.Found = w.found
	a := audit.New(cfg)
	p, err := o.in.open(c.Context(), args, a.SessionConfig(), a)
	if err != nil {
		return err
	}
	defer p.source.Close()
	p.idle = func() { out.Flush() }
	broken := p.follow(c)
	a.Finish()
	if broken == nil || p.seen.packets > 0 {
		w.close(p, a, broken)
	}
	if err := out.Flush(); w.err == nil {
		w.err = err
	}
	if w.err != nil {
		return failed(w.err)
	}
	if !mannersOf(c).quiet && !cfg.Usage && (broken == nil || p.seen.packets > 0) {
		auditRemarks(c.ErrOrStderr(), p, a, mannersOf(c).verbose)
	}
	switch {
	case broken != nil:
		return failed(broken)
	case failOn > 0 && (a.Worst() >= failOn && profile == nil || w.unready > 0):
		return exitError{code: exitFindings}
	}
	return nil
}

// config makes the audit's configuration of the flags.
func (o *auditFlags) config() (cfg audit.Config, failOn audit.Severity, err error) {
	cfg = audit.Config{Deep: o.deep, PerGroup: o.most, Usage: o.profile != "" || o.matrix}
	if cfg.Least = audit.SeverityNamed(o.severity); cfg.Least == 0 {
		return cfg, 0, usage("--severity %s: there are info, warning and error", o.severity)
	}
	if failOn = audit.SeverityNamed(o.failOn); o.failOn != "" && failOn == 0 {
		return cfg, 0, usage("--fail-on %s: there are info, warning and error", o.failOn)
	}
	if o.most < 1 {
		return cfg, 0, usage("--max must be 1 or more")
	}
	if cfg.Rules, err = chosen(o.rules); err != nil {
		return cfg, 0, err
	}
	if err := o.known.Check(); err != nil {
		return cfg, 0, usage("--ignore-client, --ignore-topic: %v", err)
	}
	for _, name := range o.baseline {
		file, err := os.Open(name)
		if err != nil {
			return cfg, 0, failed(err)
		}
		err = o.known.Read(file)
		file.Close()
		if err != nil {
			return cfg, 0, failed(fmt.Errorf("%s: %w", name, err))
		}
	}
	cfg.Ignore, cfg.IgnoreTopic = o.known.Ignore, o.known.IgnoreTopic
	match, err := o.in.expression()
	if err != nil {
		return cfg, 0, err
	}
	if match != nil { // what is hidden from the rules would look broken: the findings are filtered, not the frames
		o.in.display = ""
		frame := &filter.Frame{}
		cfg.Show = func(f *session.Frame) bool {
			frame.Set(f)
			return match.Match(frame)
		}
	}
	return cfg, failOn, nil
}
