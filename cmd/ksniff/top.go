package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"sync"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/spf13/cobra"

	"ksniff/capture"
	"ksniff/report/top"
)

// topFlags are the flags of top beside those of the input.
type topFlags struct {
	in    input
	speed float64
}

func topCommand() *cobra.Command {
	o := &topFlags{}
	c := &cobra.Command{
		Use:   "top [FILE…]",
		Short: "Watch topics, clients, APIs, errors and groups by rate, full-screen",
		Example: `  ksniff top -i eth0
  ksniff top capture.pcap --speed 10
  ssh broker tcpdump -i any -U -w - tcp port 9092 | ksniff top -r -`,
		RunE: func(c *cobra.Command, args []string) error { return o.run(c, args) },
	}
	o.in.flags(c)
	c.Flags().Float64Var(&o.speed, "speed", 1, "of captures: seconds of capture per second; 0 is as fast as they can be read")
	return c
}

func (o *topFlags) run(c *cobra.Command, args []string) error {
	if o.speed < 0 {
		return usage("--speed cannot be negative")
	}
	if terminalWidth(c.OutOrStdout()) == 0 || os.Getenv("TERM") == "dumb" {
		return usage("top fills a terminal, and standard output is none; ksniff report and ksniff frames are for pipes")
	}
	names, err := o.in.names(args)
	if err != nil {
		return err
	}
	if !c.Flags().Changed("speed") && !regular(names) {
		o.speed = 0 // a pipe has a pace of its own
	}
	keys, err := keyboard(names)
	if err != nil {
		return err
	}
	if keys != nil {
		defer keys.Close()
	}
	w := &watch{flags: o, args: args, tally: top.New(o.in.state() / 4), skip: capture.NoTime}
	match, err := o.in.expression()
	if err != nil {
		return err
	}
	w.tally.Filter(match)
	model := top.NewModel(w.tally, o.in.display)
	o.in.display = "" // the view filters, so that the filter can be changed
	ctx, cancel := context.WithCancel(c.Context())
	defer cancel()
	p, err := w.open(ctx)
	if err != nil {
		return err
	}
	w.rereadable(p.names)
	var broken error
	var reading sync.WaitGroup
	reading.Go(func() { broken = w.read(ctx, p) })
	shown := o.show(c, ctx, model, keys)
	cancel()
	reading.Wait()
	if err := errors.Join(shown, broken); err != nil {
		return failed(err)
	}
	return nil
}

// show runs the view until the user or a signal ends it.
func (o *topFlags) show(c *cobra.Command, ctx context.Context, model top.Model, keys *os.File) error {
	options := []tea.ProgramOption{tea.WithContext(ctx), tea.WithOutput(c.OutOrStdout()), tea.WithoutSignalHandler()}
	if keys != nil {
		options = append(options, tea.WithInput(keys))
	}
	if !mannersOf(c).coloured(c.OutOrStdout()) {
		options = append(options, tea.WithColorProfile(colorprofile.Ascii))
	}
	_, err := tea.NewProgram(model, options...).Run()
	if ctx.Err() != nil {
		return nil // SIGINT and SIGTERM are a way to quit
	}
	return err
}

// keyboard is where keys come from: the terminal itself where standard input is a capture.
func keyboard(names []string) (*os.File, error) {
	if !slices.Contains(names, "-") {
		return nil, nil
	}
	tty, err := os.Open("/dev/tty")
	if err != nil {
		return nil, failed(err)
	}
	return tty, nil
}
