package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"ksniff/reassembly/session"
	"ksniff/report/frames"
)

// framesFlags are the flags of frames beside those of the input.
type framesFlags struct {
	in               input
	format           string
	tree, hex, deep  bool
	payload, secrets bool
	time             int
}

func framesCommand() *cobra.Command {
	o := &framesFlags{}
	c := &cobra.Command{
		Use:   "frames [FILE…]",
		Short: "Print each frame: a line, all its fields, hex, JSON, CSV, Parquet",
		Example: `  ksniff frames capture.pcap -Y 'api == Fetch and error != 0'
  ksniff frames capture.pcap -V -c 1`,
		RunE: func(c *cobra.Command, args []string) error { return o.run(c, args) },
	}
	o.in.flags(c)
	f := c.Flags()
	f.StringVarP(&o.format, "output", "o", "text", "text, json, csv, md, html or parquet")
	f.BoolVarP(&o.tree, "tree", "V", false, "all fields, with their byte offsets and lengths")
	f.BoolVarP(&o.hex, "hex", "x", false, "all bytes, with their fields")
	f.BoolVar(&o.deep, "deep", false, "open record batches and list their records (-V on a terminal does)")
	f.BoolVar(&o.payload, "payload", false, "show keys, values and header values of records")
	f.BoolVar(&o.secrets, "show-secrets", false, "show passwords, tokens and other secrets")
	f.CountVarP(&o.time, "time", "t", "no time; -tt since 1970, -ttt since the line before, -tttt with date, -ttttt since the first line")
	return c
}

var frameFormats = map[string]frames.Format{"text": frames.Plain, "table": frames.Plain, "json": frames.JSON, "csv": frames.CSV, "md": frames.Markdown, "html": frames.HTML, "parquet": frames.Parquet}

func (o *framesFlags) run(c *cobra.Command, args []string) error {
	options, err := o.options(c)
	if err != nil {
		return err
	}
	options.Ordered = o.in.files(args) && options.Time != frames.Delta
	options.Hold = int(o.in.state() / 8)
	printer := frames.New(c.OutOrStdout(), options)
	var sink session.Sink = printer
	end := func() {}
	if options.Ordered && !options.Whole() && o.in.mayWorkApart(args) {
		apart := newApart(printer, printer.Print)
		sink, end = apart, apart.close
	}
	p, err := o.in.open(c.Context(), args, session.Config{Deep: o.deep, Whole: options.Whole()}, sink)
	if err != nil {
		end()
		return err
	}
	defer p.source.Close()
	printer.Names(p.session.TopicName)
	if !options.Ordered {
		p.idle = func() { printer.Flush() }
	}
	p.broken = printer.Failed
	broken := p.follow(c)
	end()
	if mannersOf(c).verbose {
		l := p.session.Ledger()
		fmt.Fprintf(c.ErrOrStderr(), "ksniff: completeness %.4f; bytes that are in no whole frame: %d undecodable, %d skipped, %d pending, %d missing; %d encrypted, %d not Kafka\n",
			l.Completeness(), l.Undecodable, l.Skipped, l.Pending, l.Gap, l.Encrypted, l.Foreign)
	}
	if err := errors.Join(printer.Close(), broken); err != nil {
		return failed(err)
	}
	return nil
}

func (o *framesFlags) options(c *cobra.Command) (frames.Options, error) {
	format, known := frameFormats[o.format]
	switch {
	case !known:
		return frames.Options{}, usage("-o %s: there are text, json, csv, md, html and parquet", o.format)
	case o.tree && format != frames.Plain && format != frames.JSON:
		return frames.Options{}, usage("-V goes with text and json")
	case o.hex && format != frames.Plain:
		return frames.Options{}, usage("-x goes with text")
	case o.time > int(frames.Elapsed):
		return frames.Options{}, usage("-t can be given five times at most")
	}
	options := frames.Options{Format: format, Tree: o.tree, Hex: o.hex, Deep: o.deep, Payload: o.payload,
		Secrets: o.secrets, Time: frames.TimeStyle(o.time)}
	out := c.OutOrStdout()
	options.Colour = mannersOf(c).coloured(out)
	if width := terminalWidth(out); width > 0 {
		options.Deep = options.Deep || o.tree
		options.Width = width
	}
	return options, nil
}
