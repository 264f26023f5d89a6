package main

import (
	"io"

	"github.com/spf13/cobra"

	"ksniff/reassembly"
	"ksniff/reassembly/session"
	"ksniff/report"
)

// reportFlags are the flags of report beside those of the input.
type reportFlags struct {
	in     input
	format string
	by     []string
	deep   bool
}

func reportCommand() *cobra.Command {
	o := &reportFlags{}
	c := &cobra.Command{
		Use:   "report [FILE…]",
		Short: "Who moves how much through which topic, how fast, with which errors",
		Example: `  ksniff report capture.pcap
  tcpdump -i eth0 -w - tcp port 9092 | ksniff report -o json -`,
		RunE: func(c *cobra.Command, args []string) error { return o.run(c, args) },
	}
	o.in.flags(c)
	f := c.Flags()
	f.StringVarP(&o.format, "output", "o", "table", "table or json")
	f.StringSliceVar(&o.by, "by", nil, "rows by topic, partition, client, api, error, connection; several with commas")
	f.BoolVar(&o.deep, "deep", false, "decompress all record batches")
	return c
}

func (o *reportFlags) run(c *cobra.Command, args []string) error {
	render, err := o.renderer()
	if err != nil {
		return err
	}
	sums, err := report.New(report.Config{By: o.by, Deep: o.deep, Memory: int64(o.in.memory) / 4})
	if err != nil {
		return usage("%w", err)
	}
	p, err := o.in.open(c.Context(), args, session.Config{Deep: o.deep}, sums)
	if err != nil {
		return err
	}
	defer p.source.Close()
	broken := p.follow(c)
	if err := render(c.OutOrStdout(), p.result(sums)); err != nil {
		return failed(err)
	}
	if broken != nil {
		return failed(broken)
	}
	return nil
}

func (o *reportFlags) renderer() (func(io.Writer, *report.Result) error, error) {
	switch o.format {
	case "json":
		return report.JSON, nil
	case "table":
		return func(w io.Writer, r *report.Result) error { return report.Table(w, r, report.TableStyle{}) }, nil
	}
	return nil, usage("-o %s: there are table and json", o.format)
}

// result puts together what the parts of the pipeline counted.
func (p *pipeline) result(sums *report.Report) *report.Result {
	bytes, stats := p.session.Ledger(), p.assembler.Stats()
	found := p.session.Connections
	capture := report.Capture{Sources: p.names, Packets: p.seen.packets, Bytes: p.seen.bytes, Cut: p.seen.cut}
	capture.Span(p.seen.first, p.seen.last)
	return sums.Result(ledger(bytes, stats), report.Connections{
		Total: stats.Connections, Modern: found.Modern, Legacy: found.Legacy,
		TLS: found.TLS, ZooKeeper: found.ZooKeeper, Foreign: found.Foreign,
	}, capture)
}

func ledger(l reassembly.Ledger, stats reassembly.Stats) report.Ledger {
	return report.Ledger{
		TCPPayload: l.Payload, Decoded: l.Decoded, Undecodable: l.Undecodable, Skipped: l.Skipped,
		Encrypted: l.Encrypted, Foreign: l.Foreign, Pending: l.Pending, Gap: l.Gap,
		Retransmitted: stats.Repeated, Completeness: l.Completeness(),
	}
}
