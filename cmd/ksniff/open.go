package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ksniff/capture"
	"ksniff/capture/bpf"
	"ksniff/reassembly"
	"ksniff/reassembly/session"
	"ksniff/report"
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
	p := &pipeline{names: names, buffer: bufferFor(size(in.state())), only: report.Only{CaptureFilter: in.bpf, DisplayFilter: in.display, FrameLimit: in.frames}}
	if p.recorder, err = in.write.open(names); err != nil {
		return nil, err
	}
	if in.frames > 0 {
		limit := &limited{sink, in.frames}
		sink, p.enough = limit, limit.enough
	}
	var display *filtered
	if expression != nil {
		display = &filtered{next: sink, match: expression, asked: map[*session.Request]struct{}{}}
		sink = display
	}
	if p.recorder != nil {
		sink = recording{sink, p.recorder}
	}
	if in.write.mask != "" {
		sink = p.masked(sink, &cfg, in.live.iface != "", in.state()/2)
	}
	cfg.Memory = in.state() / 2
	in.limitMemory(cfg.Deep)
	p.session = session.New(cfg, sink)
	if display != nil {
		display.frame.Names = p.session.TopicName
	}
	streams := p.session.Streams()
	if p.masker != nil {
		streams = p.masker.Streams(streams)
	}
	p.relay = &relay{to: streams}
	p.assembler = reassembly.New(p.relay, reassembly.Config{Memory: in.state() / 4, Most: in.most(in.heard)})
	if in.live.iface != "" {
		err = p.openLive(in)
	} else {
		err = p.openFiles(ctx, in.bpf)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (p *pipeline) openLive(in *input) error {
	source, err := in.live.open(in.kernelExpression())
	if exit := (exitError{}); errors.As(err, &exit) {
		return exit
	} else if err != nil {
		return failed(err)
	}
	p.source, p.live, p.names = source, source, []string{in.live.iface}
	return nil
}

func (p *pipeline) openFiles(ctx context.Context, expression string) error {
	if expression != "" {
		filter, err := bpf.New(expression)
		if err != nil {
			return filterError(expression, err)
		}
		p.keep = func(packet *capture.Packet) bool { return filter.Match(uint32(packet.Link), packet.Data) }
	}
	files := capture.OpenAll(p.names...)
	files.OnRead = func() {
		if p.idle != nil {
			p.idle()
		}
	}
	p.source, p.progress = files, files.Progress
	if slices.Contains(p.names, "-") {
		// A pipe may have nothing to read for ever: closing it is what ends the wait.
		context.AfterFunc(ctx, func() { os.Stdin.Close() })
	}
	return nil
}

// errInterrupted is the end of files that the user did not want to wait for.
var errInterrupted = errors.New("interrupted")

// endOf says in one line why not all was read.
func endOf(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, errInterrupted):
		return errInterrupted.Error()
	}
	return strings.ReplaceAll(err.Error(), "\n", "; ")
}

// follow runs the pipeline, with its progress on a terminal.
func (p *pipeline) follow(c *cobra.Command) error {
	errs := c.ErrOrStderr()
	if p.progress != nil && !mannersOf(c).quiet && terminalWidth(errs) > 0 && terminalWidth(c.OutOrStdout()) > 0 {
		stop := progress(errs, p.progress)
		defer stop()
	}
	asked, stop := askedForStatistics()
	defer stop()
	p.asked = func() {
		select {
		case <-asked:
			p.statistics(errs)
		default:
		}
	}
	err := p.run(c.Context())
	if c.Context().Err() != nil && p.live == nil {
		err = errors.Join(err, fmt.Errorf("%w: %d packets were read, what is behind them was not", errInterrupted, p.seen.packets))
	}
	p.ended = endOf(err)
	if p.live != nil && !mannersOf(c).quiet {
		p.statistics(errs)
	}
	return err
}
