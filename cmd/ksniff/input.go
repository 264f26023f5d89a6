package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ksniff/report/filter"
)

// input holds the flags that say where packets come from and which frames count. All commands that
// read packets have the same.
type input struct {
	read     []string
	bpf      string
	display  string
	decodeAs []string
	frames   uint64
	memory   size
	heard    int64 // bytes that the command keeps of each connection
	live     liveFlags
	write    writeFlags
	command  *pflag.FlagSet // of the command that has them
}

// flags declares them on a command.
func (in *input) flags(c *cobra.Command) {
	in.inputFlags(c)
	in.write.flags(c.Flags())
}

// inputFlags declares those that say what to read.
func (in *input) inputFlags(c *cobra.Command) {
	in.memory = defaultMemory
	f := c.Flags()
	in.command = f
	f.SortFlags = false
	f.StringArrayVarP(&in.read, "read", "r", nil, "read this capture, as a FILE argument does; - is standard input")
	f.StringVarP(&in.bpf, "filter", "f", "", "capture filter in tcpdump's language, e.g. 'port 9092'; live: tcp, '' takes all")
	f.StringVarP(&in.display, "display", "Y", "", "only frames for which this is true, e.g. 'api == Produce'")
	f.StringArrayVarP(&in.decodeAs, "decode-as", "d", nil, "take a port for Kafka or not: tcp.port==9092,kafka or tcp.port==80,none")
	f.Uint64VarP(&in.frames, "count", "c", 0, "stop after this many frames")
	f.Var(&in.memory, "memory", "bound on all state, 24M or more; resident memory stays below twice that")
	in.live.flags(f)
}

// names are the captures to read, in order: -r first, then the arguments.
func (in *input) names(args []string) ([]string, error) {
	names := append(append([]string(nil), in.read...), args...)
	switch {
	case in.memory < leastMemory:
		least := size(leastMemory)
		return nil, usage("--memory %s: the least bound that can be kept is %s", &in.memory, &least)
	case in.live.iface == "" && in.liveOnly() != "":
		return nil, usage("%s goes with -i", in.liveOnly())
	case in.live.iface != "" && len(names) > 0:
		return nil, usage("either -i or files, not both")
	case in.live.iface == "" && len(names) == 0:
		return nil, usage("nothing to read: name a capture file, - for standard input, or an interface with -i")
	}
	stdin := 0
	for _, name := range names {
		if name == "-" {
			stdin++
		}
	}
	if stdin > 1 {
		return nil, usage("standard input can be read only once")
	}
	return names, nil
}

// files says whether all input lies in files: then nobody waits for what is there so far.
func (in *input) files(args []string) bool {
	if in.live.iface != "" {
		return false
	}
	names, _ := in.names(args)
	return !slices.ContainsFunc(names, func(name string) bool {
		file, err := os.Stat(name)
		return err != nil || !file.Mode().IsRegular()
	})
}

// liveOnly is a flag that was given and says something about live captures only, "" where there is none.
func (in *input) liveOnly() string {
	for _, name := range []string{"snapshot-length", "buffer-size", "promisc", "relinquish-privileges"} {
		if in.command != nil && in.command.Changed(name) {
			return "--" + name
		}
	}
	return ""
}

// ports parses -d into what it says about each port.
func (in *input) ports() (map[uint16]bool, error) {
	ports := map[uint16]bool{}
	for _, rule := range in.decodeAs {
		number, what, _ := strings.Cut(rule, ",")
		port, err := strconv.ParseUint(strings.TrimPrefix(strings.ReplaceAll(number, " ", ""), "tcp.port=="), 10, 16)
		if err != nil || (what != "kafka" && what != "none") {
			return nil, usage("-d %s: write tcp.port==9092,kafka or tcp.port==9092,none", rule)
		}
		ports[uint16(port)] = what == "kafka"
	}
	return ports, nil
}

// expression compiles -Y; nil where there is none.
func (in *input) expression() (*filter.Filter, error) {
	if in.display == "" {
		return nil, nil
	}
	compiled, err := filter.Compile(in.display)
	if err != nil {
		return nil, exitError{exitUsage, fmt.Errorf("-Y: %w", err)}
	}
	return compiled, nil
}
