package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const nobody = 65534

// -Z gives up all that root may do, in all threads, before the first packet is read.
func TestLiveRelinquishesPrivileges(t *testing.T) {
	n := namespaces(t, "b")
	n.ip("b", "link set lo up")
	live := n.start(n.command("b", "ksniff", "report", "-i", "lo", "-Z", "nobody", "-o", "json"))
	n.sockets("b", 1)
	time.Sleep(200 * time.Millisecond)
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", live.Process.Pid))
	if err != nil || len(threads) < 2 {
		t.Fatalf("threads %v: %v", threads, err)
	}
	for _, thread := range threads {
		status, err := os.ReadFile(thread)
		if err != nil {
			continue // a thread that has ended
		}
		for _, line := range []string{"Uid:\t65534\t65534\t65534\t65534", "CapEff:\t0000000000000000", "CapPrm:\t0000000000000000"} {
			if !strings.Contains(string(status), line) {
				t.Errorf("%s has no line %q:\n%s", thread, line, status)
			}
		}
	}
	n.traffic("b", "b", "127.0.0.1")
	if err := live.end(t, os.Interrupt); err != nil {
		t.Fatalf("%v: %s", err, live.errs.String())
	}
	if totalOf(t, live.out.Bytes()) == 0 {
		t.Errorf("nothing was captured as nobody: %s", live.errs.String())
	}
}

// CAP_NET_RAW is all that a capture needs; without it, the error says how to grant it.
func TestLiveNeedsOnlyOneCapability(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("changing users needs root")
	}
	dir, err := os.MkdirTemp("", "ksniff")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "ksniff")
	binary, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, binary, 0o755); err != nil {
		t.Fatal(err)
	}
	capture := func() (*exec.Cmd, *strings.Builder) {
		var errs strings.Builder
		c := exec.Command(program, "report", "-i", "lo", "-o", "json")
		c.Env = append(os.Environ(), "KSNIFF_TEST_AS=ksniff")
		c.Dir = dir
		c.Stderr = &errs
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		return c, &errs
	}
	c, errs := capture()
	if err := c.Run(); err == nil || c.ProcessState.ExitCode() != exitIO || !strings.Contains(errs.String(), "setcap cap_net_raw+ep") {
		t.Errorf("as nobody: %v, exit %d: %s", err, c.ProcessState.ExitCode(), errs)
	}
	if out, err := exec.Command("setcap", "cap_net_raw+ep", program).CombinedOutput(); err != nil {
		t.Skipf("setcap: %v: %s", err, out)
	}
	c, errs = capture()
	if err := c.Start(); err != nil {
		t.Skipf("programs with capabilities are not started here: %v", err)
	}
	time.Sleep(500 * time.Millisecond)
	c.Process.Signal(os.Interrupt) //nolint:errcheck // seen by what follows
	if err := c.Wait(); err != nil {
		t.Errorf("with CAP_NET_RAW: %v: %s", err, errs)
	}
}
