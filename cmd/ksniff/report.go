package main

import (
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ksniff/reassembly"
	"ksniff/reassembly/session"
	"ksniff/report"
)

// reportFlags are the flags of report beside those of the input.
type reportFlags struct {
	in       input
	format   string
	by       []string
	top      int
	sort     string
	interval time.Duration
	against  string
	deep     bool
	wide     bool
}

// topOnTerminal is how many topics, clients and rows a terminal shows without --top.
const topOnTerminal = 20

func reportCommand() *cobra.Command {
	o := &reportFlags{}
	c := &cobra.Command{
		Use:   "report [FILE…]",
		Short: "Who moves how much through which topic, how fast, with which errors",
		Example: `  ksniff report capture.pcap
  ksniff report capture.pcap --by client,topic --sort errors --top 10
  ksniff report capture.pcap -o html > report.html
  ksniff report today.pcap --against yesterday.pcap
  tcpdump -i eth0 -w - tcp port 9092 | ksniff report -o json -`,
		RunE: func(c *cobra.Command, args []string) error { return o.run(c, args) },
	}
	o.in.flags(c)
	f := c.Flags()
	f.StringVarP(&o.format, "output", "o", "table", "table, json, csv, md or html")
	f.StringSliceVar(&o.by, "by", nil, "rows by "+strings.Join(report.Dimensions, ", ")+"; several with commas")
	f.IntVar(&o.top, "top", 0, "only the first N topics, clients and rows, the rest in one; 0 is all (a terminal shows 20)")
	f.StringVar(&o.sort, "sort", "bytes", "what comes first: "+strings.Join(report.SortKeys, ", "))
	f.DurationVar(&o.interval, "interval", 0, "also sums per interval of this length, such as 10s")
	f.StringVar(&o.against, "against", "", "an earlier capture: show per topic what changed since")
	f.BoolVar(&o.deep, "deep", false, "decompress all record batches: uncompressed sizes")
	o.wideFlag(c)
	return c
}

func (o *reportFlags) wideFlag(c *cobra.Command) {
	c.Flags().BoolVar(&o.wide, "wide", false, "tables with all columns and whole names, however wide")
}

func (o *reportFlags) run(c *cobra.Command, args []string) error {
	render, err := o.renderer(c)
	if err != nil {
		return err
	}
	if o.top < 0 || o.interval < 0 {
		return usage("--top and --interval cannot be negative")
	}
	if o.format == "table" && !c.Flags().Changed("top") && terminalWidth(c.OutOrStdout()) > 0 {
		o.top = topOnTerminal
	}
	for _, name := range []string{"by", "interval", "deep"} {
		if o.against != "" && c.Flags().Changed(name) {
			return usage("--%s does not go with --against, which compares topics", name)
		}
	}
	top := o.top
	if o.against != "" {
		o.top = 0 // what is left out of one side would look new on the other
	}
	if o.against != "" && o.in.write.file != "" {
		if err := o.in.write.check([]string{o.against}); err != nil {
			return err
		}
	}
	result, broken, err := o.read(c, &o.in, args)
	if err != nil {
		return err
	}
	if c.Context().Err() != nil {
		o.against = "" // interrupted: there is nothing to compare with
	}
	var page report.Page = result
	if o.against != "" {
		in := o.in
		in.read, in.live, in.write = nil, liveFlags{}, writeFlags{}
		before, cut, err := o.read(c, &in, []string{o.against})
		if err != nil {
			return err
		}
		if c.Context().Err() != nil {
			return failed(cut)
		}
		if broken == nil {
			broken = cut
		}
		page = report.Against(before, result, top)
	}
	if broken == nil || result.Capture.Packets > 0 { // nothing was read: there is nothing to report
		if err := render(c.OutOrStdout(), page); err != nil {
			return failed(err)
		}
	}
	if broken != nil {
		return failed(broken)
	}
	return nil
}

// read reads all captures of an input. What was read before an input broke is in the result.
func (o *reportFlags) read(c *cobra.Command, in *input, args []string) (r *report.Result, broken, err error) {
	sums, err := report.New(report.Config{By: o.by, Top: o.top, Sort: o.sort, Interval: o.interval, Auto: o.format == "html",
		Deep: o.deep, Memory: in.state() / 4})
	if err != nil {
		return nil, nil, usage("%w", err)
	}
	var sink session.Sink = sums
	end := func() {}
	if len(o.by) == 0 && in.mayWorkApart(args) {
		apart := newApart(sums, sums.Add)
		sink, end = apart, apart.close
	}
	p, err := in.open(c.Context(), args, session.Config{Deep: o.deep}, sink)
	if err != nil {
		end()
		return nil, nil, err
	}
	defer p.source.Close()
	sums.Overflow(p.session.Overflow())
	broken = p.follow(c)
	end()
	return p.result(sums), broken, nil
}

func (o *reportFlags) renderer(c *cobra.Command) (func(io.Writer, report.Page) error, error) {
	switch o.format {
	case "json":
		return report.JSON, nil
	case "csv":
		return report.CSV, nil
	case "md":
		return report.Markdown, nil
	case "html":
		return report.HTML, nil
	case "table":
		style := report.TableStyle{Width: terminalWidth(c.OutOrStdout()), Wide: o.wide, Color: mannersOf(c).coloured(c.OutOrStdout())}
		if style.Width == 0 {
			style.Width, style.Whole = askedWidth(), true
		}
		return func(w io.Writer, p report.Page) error { return report.Table(w, p, style) }, nil
	}
	return nil, usage("-o %s: there are table, json, csv, md and html", o.format)
}

// result puts together what the parts of the pipeline counted.
func (p *pipeline) result(sums *report.Report) *report.Result {
	result := sums.Result(p.ledger(), p.connections(), p.captured())
	if limits := p.limits(); limits != (report.Limits{}) {
		result.Limits = &limits
	}
	return result
}

// tcp is what the TCP layer counted of the packets so far.
func (p *pipeline) tcp() reassembly.Stats {
	if p.batch != nil { // another goroutine puts segments in order
		return p.batch.tcp
	}
	return p.assembler.Stats()
}

func (p *pipeline) connections() report.Connections {
	found := p.session.Connections
	return report.Connections{
		Total: p.tcp().Connections, Modern: found.Modern, Legacy: found.Legacy,
		TLS: found.TLS, ZooKeeper: found.ZooKeeper, Foreign: found.Foreign,
	}
}

// limits is what was given up for the bound on memory.
func (p *pipeline) limits() report.Limits {
	stats, dropped := p.tcp(), p.session.Dropped
	return report.Limits{
		Connections: stats.Evicted, Gaps: stats.Forced, Unfinished: p.session.Evictions(),
		Requests: dropped.Requests, Responses: dropped.Responses, Topics: dropped.Topics, Clients: dropped.Clients, Partitions: dropped.Partitions,
	}
}

// captured is what the packets say, whatever is in them.
func (p *pipeline) captured() report.Capture {
	capture := report.Capture{Sources: p.names, Packets: p.seen.packets, Bytes: p.seen.bytes, Cut: p.seen.cut,
		Dropped: int64(p.losses().Dropped), Strained: p.strain.packets, Ended: p.ended, Only: p.only}
	capture.Span(p.seen.first, p.seen.last)
	return capture
}

func (p *pipeline) ledger() report.Ledger {
	l, stats := p.session.Ledger(), p.tcp()
	return report.Ledger{
		TCPPayload: l.Payload, Decoded: l.Decoded, Undecodable: l.Undecodable, Skipped: l.Skipped,
		Encrypted: l.Encrypted, Foreign: l.Foreign, Pending: l.Pending, Gap: l.Gap,
		Retransmitted: stats.Repeated, Completeness: l.Completeness(), Conflicts: stats.Conflicts,
	}
}
