package main

import (
	"context"

	"github.com/spf13/cobra"

	"ksniff/capture"
	"ksniff/capture/live"
	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

// open makes the pipeline that the flags ask for, with sink at its end. The caller closes its source.
func (in *input) open(ctx context.Context, args []string, cfg session.Config, sink session.Sink) (*pipeline, error) {
	names, err := in.names(args)
	if err != nil {
		return nil, err
	}
	expression, err := in.expression()
	if err != nil {
		return nil, err
	}
	if cfg.DecodeAs, err = in.ports(); err != nil {
		return nil, err
	}
	p := &pipeline{}
	if in.frames > 0 {
		limit := &limited{sink, in.frames}
		sink, p.enough = limit, limit.enough
	}
	if expression != nil {
		sink = &filtered{next: sink, match: expression, asked: map[*session.Request]struct{}{}}
	}
	// Half of the bound is the session's, a quarter the segments' that wait for others, and a quarter
	// is left to the aggregates of the command.
	cfg.Memory = int64(in.memory) / 2
	p.session = session.New(cfg, sink)
	p.assembler = reassembly.New(p.session.Streams(), reassembly.Config{Memory: int64(in.memory) / 4})
	if in.live.iface != "" {
		p.source, err = in.live.open()
	} else {
		files := capture.OpenAll(names...)
		files.OnRead = func() {
			if p.idle != nil {
				p.idle()
			}
		}
		p.source, p.progress = files, files.Progress
	}
	if err != nil {
		return nil, failed(err)
	}
	p.names = names
	context.AfterFunc(ctx, func() { p.source.Close() })
	return p, nil
}

// follow runs the pipeline, with its progress on a terminal.
func (p *pipeline) follow(c *cobra.Command) error {
	errs := c.ErrOrStderr()
	if p.progress != nil && !mannersOf(c).quiet && terminalWidth(errs) > 0 && terminalWidth(c.OutOrStdout()) > 0 {
		stop := progress(errs, p.progress)
		defer stop()
	}
	return p.run(c.Context())
}

func (l *liveFlags) open() (packetSource, error) {
	return live.Open(live.Options{Interface: l.iface, Snap: l.snap, Ring: int(l.ring), Promisc: l.promisc})
}
