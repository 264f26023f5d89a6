package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"ksniff/capture"
	"ksniff/reassembly"
	"ksniff/reassembly/session"
	"ksniff/report"
	"ksniff/report/mask"
)

func maskCommand() *cobra.Command {
	in := &input{}
	c := &cobra.Command{
		Use:   "mask IN… OUT",
		Short: "The same capture, fit to be shared: without payload and secrets",
		Long: `The same packets with the same lengths, times and structure; keys, values, header values and secrets
overwritten, checksums redone. What could not be decoded (other protocols, TLS, what is cut or skipped) is zeros.
Topics, client ids, group ids, header keys and addresses stay. docs/mask.md says it all.`,
		Example: `  ksniff mask capture.pcap shared.pcapng
  tcpdump -i eth0 -w - tcp port 9092 | ksniff mask - shared.pcapng
  ksniff report -i eth0 -w shared.pcapng --mask payload`,
		RunE: func(c *cobra.Command, args []string) error { return runMask(c, in, args) },
	}
	in.inputFlags(c)
	return c
}

// runMask masks captures into one file.
func runMask(c *cobra.Command, in *input, args []string) error {
	switch {
	case in.display != "" || in.frames != 0:
		return usage("mask writes whole connections: -f selects packets, -Y and -c do not go with it")
	case len(args) == 0:
		return usage("name the capture to mask and the file to write: ksniff mask IN OUT")
	}
	in.write = writeFlags{file: args[len(args)-1], mask: "payload", alone: true}
	p, err := in.open(c.Context(), args[:len(args)-1], session.Config{}, nothing{})
	if err != nil {
		return err
	}
	defer p.source.Close()
	broken := p.follow(c)
	if !mannersOf(c).quiet {
		maskedLine(c.ErrOrStderr(), p.masker.Counts)
	}
	if broken != nil {
		return failed(broken)
	}
	return nil
}

// maskedLine says what was masked.
func maskedLine(w io.Writer, n mask.Counts) {
	width := terminalWidth(w)
	report.Wrap(w, width, "", "", fmt.Sprintf("masked: %d packets, %d frames, %d keys and values, %d secrets; %d bytes zeroed that no frame accounts for",
		n.Packets, n.Frames, n.Records, n.Secrets, n.Zeroed))
	for _, more := range []struct {
		n    int64
		what string
	}{
		{n.Opaque, "frames could not be decoded: their header is kept, the rest is zeros"},
		{n.Blank, "compressed batches could not be masked in their size: their data is zeros"},
		{n.Early, "packets had to be written before their frames were whole: zeros"},
	} {
		if more.n > 0 {
			report.Wrap(w, width, "", "", fmt.Sprintf("masked: %d %s", more.n, more.what))
		}
	}
}

// nothing is a sink for commands that want no frames.
type nothing struct{}

func (nothing) Frame(*session.Frame)                                       {}
func (nothing) Unanswered(*reassembly.Conn, *session.Request, session.Why) {}

// maskWait is how long a live capture lets a packet wait for its frame, ns.
const maskWait = 10e9

// masked puts a masker in front of the recorder. It goes where all frames and connections pass.
func (p *pipeline) masked(sink session.Sink, cfg *session.Config, live bool, memory int64) session.Sink {
	bounds := mask.Config{Memory: memory}
	if live {
		bounds.Wait = maskWait
	}
	p.masker = mask.New(bounds, sink, func(packet *capture.Packet, segment *capture.Segment, tcp bool) error {
		p.recorder.take(packet, segment, tcp)
		return p.recorder.err
	})
	cfg.Whole = true
	cfg.Watch = p.masker.Watch(cfg.Watch)
	return p.masker
}

// record writes a packet, masked or as it is.
func (p *pipeline) record(packet *capture.Packet, segment *capture.Segment, tcp bool) {
	switch {
	case p.masker != nil:
		p.masker.Take(packet, segment, tcp)
	case p.recorder != nil:
		p.recorder.take(packet, segment, tcp)
	}
}

// idleRecord brings to the file what need not wait, while no packet comes.
func (p *pipeline) idleRecord() {
	if p.masker != nil {
		p.masker.Idle(time.Now().UnixNano())
	}
	if p.recorder != nil {
		p.recorder.flush()
	}
}

// closeRecord writes what waits and closes the file. Where nothing could be read at all, none is made.
func (p *pipeline) closeRecord(broken error) error {
	if p.recorder == nil || broken != nil && p.seen.packets == 0 {
		return nil
	}
	var err error
	if p.masker != nil {
		err = p.masker.Flush()
	}
	if p.live != nil {
		lost := p.losses()
		p.recorder.losses(lost.Received, lost.Dropped)
	}
	return errors.Join(err, p.recorder.close())
}
