package main

import (
	"context"
	"io"
	"testing"

	"github.com/spf13/cobra"

	"ksniff/reassembly/session"
	"ksniff/report"
)

// What is left out while a capture cannot keep up is not known afterwards; all else is counted as ever.
func TestEasedCountsAreTrue(t *testing.T) {
	counted := func(eased bool) *report.Result {
		sums, err := report.New(report.Config{Deep: true})
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
		defer p.source.Close()
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
