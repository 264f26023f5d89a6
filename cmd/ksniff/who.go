package main

import (
	"github.com/spf13/cobra"

	"ksniff/reassembly/session"
	"ksniff/report"
)

func whoCommand() *cobra.Command {
	var in input
	var o reportFlags // for its renderers
	c := &cobra.Command{
		Use:   "who [FILE…]",
		Short: "Which clients use which topics, in which API versions, with which software",
		Example: `  ksniff who capture.pcap
  ksniff who capture.pcap -Y 'topic == orders' -o csv`,
		RunE: func(c *cobra.Command, args []string) error {
			render, err := o.renderer(c)
			if err != nil {
				return err
			}
			who := report.NewWho(in.state() / 4)
			p, err := in.open(c.Context(), args, session.Config{}, who)
			if err != nil {
				return err
			}
			defer p.source.Close()
			who.Overflow(p.session.Overflow())
			who.Names(p.session.TopicName)
			broken := p.follow(c)
			if broken == nil || p.seen.packets > 0 {
				if err := render(c.OutOrStdout(), who.Result(p.captured())); err != nil {
					return failed(err)
				}
			}
			if broken != nil {
				return failed(broken)
			}
			return nil
		},
	}
	in.flags(c)
	c.Flags().StringVarP(&o.format, "output", "o", "table", "table, json, csv, md or html")
	o.wideFlag(c)
	return c
}
