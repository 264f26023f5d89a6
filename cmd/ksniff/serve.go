package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"ksniff/reassembly/session"
	"ksniff/report/audit"
	"ksniff/report/metrics"
)

// serveFlags are the flags of serve beside those of the input.
type serveFlags struct {
	in     input
	listen string
	most   int
	otlp   string
	every  time.Duration
	audit  bool
	deep   bool
}

const (
	tellEvery = 200 * time.Millisecond // how old the capture's health may be in a scrape
	goodbye   = 3 * time.Second        // for scrapes under way and the last push
)

func serveCommand() *cobra.Command {
	o := &serveFlags{}
	c := &cobra.Command{
		Use:   "serve [FILE…]",
		Short: "Metrics for Prometheus, of an interface or of captures",
		Example: `  ksniff serve -i eth0
  ksniff serve -i any -f 'port 9092' --listen 0.0.0.0:9308
  ksniff serve -i eth0 --otlp http://localhost:4318`,
		RunE: func(c *cobra.Command, args []string) error { return o.run(c, args) },
	}
	o.in.flags(c)
	f := c.Flags()
	f.StringVar(&o.listen, "listen", "127.0.0.1:9308", "address and port of /metrics and /healthz")
	f.IntVar(&o.most, "most", 200, "topics, and clients, that get label values of their own; the rest is other")
	f.StringVar(&o.otlp, "otlp", "", "also push the metrics to this OTLP receiver, such as http://localhost:4318 (headers: OTEL_EXPORTER_OTLP_HEADERS)")
	f.DurationVar(&o.every, "otlp-interval", 15*time.Second, "time between two pushes")
	f.BoolVar(&o.audit, "audit", false, "also apply the rules of audit, and count what they find per rule")
	f.BoolVar(&o.deep, "deep", false, "with --audit: decompress record batches to look at their records")
	return c
}

func (o *serveFlags) run(c *cobra.Command, args []string) error {
	if o.most < 1 || o.every <= 0 {
		return usage("--most and --otlp-interval must be more than 0")
	}
	m := metrics.New(metrics.Config{Most: o.most, Memory: o.in.state() / 8})
	var push *metrics.Exporter
	if o.otlp != "" {
		var err error
		if push, err = metrics.NewExporter(m.Gatherer(), o.otlp, os.Getenv("OTEL_EXPORTER_OTLP_HEADERS")); err != nil {
			return usage("--otlp: %w", err)
		}
	}
	sink, cfg := o.sink(m)
	p, err := o.in.open(c.Context(), args, cfg, sink)
	if err != nil {
		return err
	}
	defer p.source.Close()
	m.Overflow(p.session.Overflow())
	listener, err := net.Listen("tcp", o.listen)
	if err != nil {
		return failed(err)
	}
	errs := c.ErrOrStderr()
	if !mannersOf(c).quiet {
		fmt.Fprintf(errs, "metrics on http://%s/metrics\n", listener.Addr())
	}
	stop := o.publish(m, listener, push, errs)
	defer stop()
	return p.serve(c, m)
}

// sink is where frames go: to the metrics and, if asked for, to the audit too.
func (o *serveFlags) sink(m *metrics.Metrics) (session.Sink, session.Config) {
	if !o.audit {
		return m, session.Config{}
	}
	o.in.heard = audit.ConnCost
	count := m.Findings()
	a := audit.New(audit.Config{Deep: o.deep, PerGroup: 1, Counted: func(r *audit.Rule) { count(r.ID, r.Severity.String()) }})
	return both{m, a}, a.SessionConfig()
}

// serve reads to the end of the input, then waits until it is interrupted: metrics of files stay there.
func (p *pipeline) serve(c *cobra.Command, m *metrics.Metrics) error {
	var told time.Time
	p.idle = func() { // what comes next may take long to come
		told = time.Now()
		m.Tell(p.health(true))
	}
	p.beat = func() {
		if time.Since(told) >= tellEvery {
			p.idle()
		}
	}
	err := p.follow(c)
	m.Tell(p.health(false))
	if err != nil && !errors.Is(err, errInterrupted) {
		return failed(err)
	}
	<-c.Context().Done()
	return nil
}

func (p *pipeline) health(up bool) *metrics.Health {
	lost := p.losses()
	return &metrics.Health{
		Up: up, Live: p.live != nil, Received: lost.Received, Dropped: lost.Dropped, Downs: lost.Downs,
		Capture: p.captured(), Ledger: p.ledger(), Connections: p.connections(), Limits: p.limits(),
	}
}

// publish hands out the metrics until stop is called.
func (o *serveFlags) publish(m *metrics.Metrics, listener net.Listener, push *metrics.Exporter, errs io.Writer) (stop func()) {
	server := &http.Server{Handler: m.Handler(), ReadHeaderTimeout: 5 * time.Second, WriteTimeout: time.Minute, IdleTimeout: 5 * time.Minute, MaxHeaderBytes: 16 << 10}
	end := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			fmt.Fprintf(errs, "ksniff: %v\n", err)
		}
	})
	if push != nil {
		running.Go(func() { o.push(push, end, errs) })
	}
	return func() {
		close(end)
		ctx, cancel := context.WithTimeout(context.Background(), goodbye)
		defer cancel()
		server.Shutdown(ctx)
		running.Wait()
	}
}

// push sends all metrics at each interval and at the end. It speaks up when pushes begin to fail and
// when they work again.
func (o *serveFlags) push(to *metrics.Exporter, end <-chan struct{}, errs io.Writer) {
	clock := time.NewTicker(o.every)
	defer clock.Stop()
	failing := false
	for last := false; !last; {
		timeout := o.every
		select {
		case <-clock.C:
		case <-end:
			last, timeout = true, goodbye
		}
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		err := to.Push(ctx)
		cancel()
		switch {
		case err != nil && !failing:
			fmt.Fprintf(errs, "ksniff: OTLP: %v\n", err)
		case err == nil && failing:
			fmt.Fprintln(errs, "ksniff: OTLP: pushes work again")
		}
		failing = err != nil
	}
}
