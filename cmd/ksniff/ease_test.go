package main

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"ksniff/reassembly/session"
	"ksniff/report"
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
