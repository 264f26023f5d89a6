package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	xbpf "golang.org/x/net/bpf"

	"ksniff/capture"
	"ksniff/capture/bpf"
	"ksniff/capture/live"
)

// defaultFilter is what a live capture takes without -f: no other packet can carry Kafka.
const defaultFilter = "tcp"

// liveFlags are the flags of a live capture.
type liveFlags struct {
	iface   string
	list    bool
	snap    int
	ring    size
	promisc bool
	user    string
}

func (l *liveFlags) flags(f *pflag.FlagSet) {
	l.ring = 32 << 20
	f.StringVarP(&l.iface, "interface", "i", "", "capture live from this interface, or any")
	f.BoolVarP(&l.list, "list-interfaces", "D", false, "list the interfaces and end")
	f.IntVarP(&l.snap, "snapshot-length", "s", 0, "bytes to keep of each packet of a live capture; 0: all")
	f.VarP(&l.ring, "buffer-size", "B", "ring buffer of a live capture")
	f.BoolVar(&l.promisc, "promisc", false, "live: also packets that are not for this machine")
	f.StringVarP(&l.user, "relinquish-privileges", "Z", "", "live: become this user once the interface is open")
}

// kernelExpression is the filter of a live capture: -f, also where it is empty, which takes all packets.
func (in *input) kernelExpression() string {
	if in.command.Changed("filter") {
		return in.bpf
	}
	return defaultFilter
}

// open begins the capture and gives up the privileges that it needed.
func (l *liveFlags) open(expression string) (*live.Source, error) {
	source, err := live.Open(live.Options{
		Interface: l.iface, Snap: l.snap, Ring: int(l.ring), Promisc: l.promisc,
		Filter: func(link capture.LinkType, snap uint32) ([]xbpf.RawInstruction, error) {
			return kernelFilter(expression, link, snap)
		},
	})
	if err != nil {
		return nil, err
	}
	if l.user != "" {
		if err := becomeUser(l.user); err != nil {
			source.Close()
			return nil, fmt.Errorf("-Z %s: %w", l.user, err)
		}
	}
	return source, nil
}

// kernelFilter compiles a filter that keeps snap bytes of each packet that passes.
func kernelFilter(expression string, link capture.LinkType, snap uint32) ([]xbpf.RawInstruction, error) {
	program, err := bpf.CompileLive(expression, uint32(link))
	if err != nil {
		return nil, filterError(expression, err)
	}
	for i, one := range program {
		if end, is := one.(xbpf.RetConstant); is && end.Val != 0 {
			program[i] = xbpf.RetConstant{Val: snap}
		}
	}
	return xbpf.Assemble(program)
}

// filterError points at the column of -f that is wrong.
func filterError(expression string, err error) error {
	where := &bpf.Error{}
	if !errors.As(err, &where) {
		return usage("-f: %w", err)
	}
	return usage("-f: %s\n  %s\n  %s^", where.Message, expression, strings.Repeat(" ", max(where.Column-1, 0)))
}

// listInterfaces prints what -i knows.
func listInterfaces(c *cobra.Command) error {
	found, err := live.Interfaces()
	if err != nil {
		return failed(err)
	}
	for _, one := range found {
		if err := printInterface(c.OutOrStdout(), one); err != nil {
			return failed(err)
		}
	}
	return nil
}

func printInterface(w io.Writer, one live.Interface) error {
	state := "up"
	switch {
	case one.Name == live.Any:
		state = "all interfaces"
	case !one.Up:
		state = "down"
	case one.Loopback:
		state = "up, loopback"
	}
	_, err := fmt.Fprintf(w, "%-16s %-14s %s\n", one.Name, state, strings.Join(one.Addresses, " "))
	return err
}
