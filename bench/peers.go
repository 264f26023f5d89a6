package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"
)

// peer is one command that reads a capture; it is left out where its program is not installed.
type peer struct {
	name    string
	program string
	args    func(file string) []string
	slow    bool // run once: it takes a hundred times longer than the others
}

func peers(binary string) []peer {
	return []peer{
		{name: "cat F", program: "cat", args: func(f string) []string { return []string{f} }},
		{name: "tcpdump -r F -w /dev/null", program: "tcpdump", args: func(f string) []string { return []string{"-r", f, "-w", os.DevNull} }},
		{name: "ksniff report F", program: binary, args: func(f string) []string { return []string{"report", f} }},
		{name: "ksniff report --deep F", program: binary, args: func(f string) []string { return []string{"report", "--deep", f} }},
		{name: "ksniff frames -o json F", program: binary, args: func(f string) []string { return []string{"frames", "-o", "json", f} }},
		{name: "ksniff audit F", program: binary, args: func(f string) []string { return []string{"audit", f} }},
		{name: "tshark -r F -Y kafka", program: "tshark", slow: true, args: func(f string) []string {
			return []string{"-r", f, "-Y", "kafka", "-T", "fields", "-e", "kafka.api_key"}
		}},
	}
}

// figures of one command: wall-clock times, processor times (user and system), and the largest resident set.
type figures struct {
	times, busy []time.Duration
	memory      int64 // bytes
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

// measure runs all peers in turns, so that a machine that gets slower slows all of them, and prints a table.
func measure(file, binary string, runs int) error {
	var present []peer
	for _, p := range peers(binary) {
		if _, err := exec.LookPath(p.program); err != nil {
			fmt.Printf("left out, not installed: %s\n", p.name)
			continue
		}
		present = append(present, p)
	}
	results := make([]figures, len(present))
	for turn := -1; turn < runs; turn++ { // turn -1 fills the page cache and is not counted
		for i, p := range present {
			if p.slow && turn != 0 {
				continue
			}
			took, busy, memory, err := once(p.program, p.args(file))
			if err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			if turn >= 0 {
				results[i].times = append(results[i].times, took)
				results[i].busy = append(results[i].busy, busy)
				results[i].memory = max(results[i].memory, memory)
			}
		}
	}
	ours := median(results[slices.IndexFunc(present, func(p peer) bool { return p.name == "ksniff report F" })].times)
	fmt.Printf("%-28s %10s %10s %10s %10s %10s %12s\n", "command", "median", "min", "max", "CPU", "peak MB", "÷ report")
	for i, p := range present {
		f := results[i]
		m := median(f.times)
		fmt.Printf("%-28s %10s %10s %10s %10s %10d %12.2f\n", p.name, round(m), round(f.times[0]), round(f.times[len(f.times)-1]),
			round(median(f.busy)), f.memory>>20, m.Seconds()/ours.Seconds())
	}
	return nil
}

func round(d time.Duration) time.Duration { return d.Round(time.Millisecond) }

// once runs a command with its output thrown away.
func once(program string, args []string) (took, busy time.Duration, memory int64, err error) {
	sink, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return 0, 0, 0, err
	}
	defer sink.Close()
	command := exec.Command(program, args...)
	command.Stdout = sink
	start := time.Now()
	err = command.Run()
	took = time.Since(start)
	if command.ProcessState != nil && command.ProcessState.ExitCode() == 1 && err != nil {
		err = nil // audit's findings are not a failure of the run
	}
	if command.ProcessState != nil {
		busy = command.ProcessState.UserTime() + command.ProcessState.SystemTime()
		if usage, ok := command.ProcessState.SysUsage().(*syscall.Rusage); ok {
			memory = usage.Maxrss << 10
		}
	}
	return took, busy, memory, err
}
