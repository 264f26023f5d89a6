package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Resident memory stayed near 45 MB whatever smaller value --memory had, since 20 MB of the program, lines that wait to
// be written and what is kept of each connection were not counted.
func TestResidentMemoryStaysBelowTwiceTheBound(t *testing.T) {
	if testing.Short() {
		t.Skip("writes and reads some 100 MB")
	}
	half := all(i32(500), asks(3, 1, 2, "client"), i32(20), text("topic"))
	captures := []string{
		crowded(t, "connections", func(c *crowd) {
			for i := range 30_000 {
				c.greets(i)
			}
		}),
		crowded(t, "unproven", func(c *crowd) {
			for i := range 30_000 {
				c.opens(i)
				c.sends(i, 0, half[:1])
			}
		}),
		crowded(t, "unfinished", func(c *crowd) {
			for i := range 30_000 {
				c.greets(i)
				c.sends(i, 0, half)
			}
		}),
		crowded(t, "holes", func(c *crowd) {
			for i := range 30_000 {
				c.greets(i)
				c.skips(i, 0, 1000, half)
			}
		}),
		crowded(t, "names", func(c *crowd) {
			c.opens(0)
			for i := range 60_000 {
				name := fmt.Sprintf("%060d", i)
				c.sends(0, 0, framed(asks(0, 3, i, name), i16(-1), i16(1), i32(1000), i32(1), text(name), i32(1), i32(i), i32(0)))
			}
		}),
		crowded(t, "lines", func(c *crowd) {
			c.opens(0)
			for i := range 60_000 {
				c.sends(0, 0, framed(asks(18, 0, i, "client")))
				c.sends(0, 1, framed(i32(i), i16(0), i32(1), i16(18), i16(0), i16(4)))
			}
		}),
		crowded(t, "bytes", func(c *crowd) { // in packets of one byte
			for i := range 20 {
				for range 20_000 {
					c.sends(i, 0, []byte{1})
				}
			}
		}),
	}
	for _, path := range captures {
		for _, command := range []string{"report --deep -o json", "frames -o json", "audit -o json"} {
			if peak := residentPeak(t, append(strings.Fields(command), "--memory", "24M", path)...); peak >= 48<<20 {
				t.Errorf("%s %s: %d KB", command, filepath.Base(path), peak>>10)
			}
		}
	}
}

// residentPeak runs the program apart and gives its peak resident memory, in bytes, as its own status says: the usage that
// wait tells begins with the memory of the process that forked it.
func residentPeak(t *testing.T, args ...string) size {
	t.Helper()
	file := filepath.Join(t.TempDir(), "status")
	c := exec.Command(os.Args[0], args...)
	c.Env = append(os.Environ(), "KSNIFF_TEST_AS=ksniff", "KSNIFF_TEST_STATUS="+file)
	if err := c.Run(); err != nil && c.ProcessState.ExitCode() != exitFindings {
		t.Fatalf("%v: %v", args, err)
	}
	status, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	var kilobytes size
	if _, err := fmt.Sscan(peak, &kilobytes); err != nil {
		t.Fatalf("no peak in %s", status)
	}
	return kilobytes << 10
}

// Less than can be kept was taken without a word.
func TestMemoryBoundThatCannotBeKept(t *testing.T) {
	for _, bound := range []string{"0", "1M", "8M", "16M", "23M"} {
		if _, errs := ksniff(t, exitUsage, "report", "--memory", bound, pcap("legacy")); !strings.Contains(errs, "the least bound that can be kept is 24M") {
			t.Errorf("%s: %s", bound, errs)
		}
	}
	ksniff(t, 0, "report", "--memory", "24M", pcap("legacy"))
}
