package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"ksniff/reassembly/session"
	"ksniff/report"
	"ksniff/report/audit"
)

// What is left out while a capture cannot keep up is not known afterwards; all else is counted as ever.
func TestEasedCountsAreTrue(t *testing.T) {
	counted := func(eased bool) *report.Result {
		p, sums := opened(t, report.Config{Deep: true})
		if eased && !p.session.Ease(true) {
			t.Fatal("nothing to leave out")
		}
		if err := p.run(context.Background()); err != nil {
			t.Fatal(err)
		}
		return p.result(sums)
	}
	all, less := counted(false), counted(true)
	if all.Totals.Produce.Uncompressed == nil || less.Totals.Produce.Uncompressed != nil {
		t.Errorf("uncompressed bytes: %v, and eased %v, want a number and null", all.Totals.Produce.Uncompressed, less.Totals.Produce.Uncompressed)
	}
	// 19 topics, 25 messages in each (pcaps/README.md).
	if n := less.Totals.Produce.Messages; n != 19*25 || n != all.Totals.Produce.Messages || less.Totals.Produce.Bytes != all.Totals.Produce.Bytes {
		t.Errorf("eased: %d messages, %d bytes; otherwise %d, %d", n, less.Totals.Produce.Bytes, all.Totals.Produce.Messages, all.Totals.Produce.Bytes)
	}
}

// Whoever reads numbers of a capture that could not keep up is told so, wherever they are.
func TestStrainIsTold(t *testing.T) {
	p, sums := opened(t, report.Config{Deep: true})
	if err := p.run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if advice := strings.Join(p.result(sums).Advice(), "\n"); strings.Contains(advice, "could not keep up") {
		t.Errorf("advice without strain: %s", advice)
	}
	p.strain.packets = 7
	result := p.result(sums)
	if line, err := json.Marshal(result.Capture); err != nil || !strings.Contains(string(line), `"strained_packets":7`) {
		t.Errorf("%s, %v", line, err)
	}
	if advice := result.Advice(); !strings.HasPrefix(advice[0], "7 packets counted without looking into record sets") {
		t.Errorf("%q", advice)
	}
	if p.status().Strained != 7 || p.health(true).Capture.Strained != 7 {
		t.Error("top and serve are not told")
	}
}

// opened is a pipeline over quickstart.pcap that decompresses.
func opened(t *testing.T, cfg report.Config) (*pipeline, *report.Report) {
	t.Helper()
	sums, err := report.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	in := &input{}
	c := &cobra.Command{}
	c.SetErr(io.Discard)
	in.flags(c)
	p, err := in.open(context.Background(), []string{pcap("quickstart")}, session.Config{Deep: true, Whole: true}, sums)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.source.Close() })
	return p, sums
}

// easing takes the session's breath away now and then.
type easing struct {
	session.Sink
	p      *pipeline
	frames int
}

func (e *easing) Frame(f *session.Frame) {
	e.Sink.Frame(f)
	e.frames++
	e.p.session.Ease(e.frames/20%2 == 0)
}

// Rules do not take what was not looked into for broken: they find less, and nothing else.
func TestEasedAuditFindsNothingElse(t *testing.T) {
	files, err := filepath.Glob("../../pcaps/*.pcap")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		found := func(eased bool) map[string]bool {
			lines := map[string]bool{}
			a := audit.New(audit.Config{Deep: true, Found: func(f *audit.Finding) {
				lines[fmt.Sprintf("%s of client %q: %s", f.Rule.ID, f.ClientID(), f.Message)] = true
			}})
			e := &easing{Sink: a}
			var sink session.Sink = a
			if eased {
				sink = e
			}
			in := &input{}
			c := &cobra.Command{}
			c.SetErr(io.Discard)
			in.flags(c)
			p, err := in.open(context.Background(), []string{file}, a.SessionConfig(), sink)
			if err != nil {
				t.Fatal(err)
			}
			defer p.source.Close()
			e.p = p
			if err := p.run(context.Background()); err != nil {
				t.Fatal(err)
			}
			a.Finish()
			return lines
		}
		all := found(false)
		for line := range found(true) {
			if !all[line] {
				t.Errorf("%s: only found where the capture could not keep up: %s", file, line)
			}
		}
	}
}
