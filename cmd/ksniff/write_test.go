package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// count gives the number of lines of a text.
func count(text string) int { return strings.Count(text, "\n") }

func TestOnlyKafkaIsWrittenAndAllOfIt(t *testing.T) {
	file := filepath.Join(t.TempDir(), "kafka.pcapng")
	original := pcap("quickstart") // Kafka on port 22091, ZooKeeper on 22181
	before, _ := ksniff(t, exitDone, "frames", original, "-w", file, "--only", "kafka")
	after, _ := ksniff(t, exitDone, "frames", file)
	if count(after) != count(before) || count(after) == 0 {
		t.Errorf("%d frames in what was written, %d in the original", count(after), count(before))
	}
	if r := reported(t, "-f", "port 22181", file); r.Connections.Total != 0 {
		t.Errorf("%d connections of ZooKeeper were written", r.Connections.Total)
	}
}

// The output of one run must never be the input of the same.
func TestWritingOverTheInputIsRefused(t *testing.T) {
	folder := t.TempDir()
	file, link := filepath.Join(folder, "a.pcap"), filepath.Join(folder, "link.pcap")
	content, err := os.ReadFile(pcap("errors"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, content, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"report", file, "-w", file},
		{"frames", file, "-w", link},
		{"mask", file, file},
		{"mask", link, file},
		{"report", pcap("quickstart"), "--against", file, "-w", file},
	} {
		if _, errs := ksniff(t, exitUsage, args...); !strings.Contains(errs, "overwrite") {
			t.Errorf("%v: %q", args, errs)
		}
	}
	ksniff(t, exitIO, "report", filepath.Join(folder, "nothing"), "-w", file)
	if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, content) {
		t.Errorf("the file has %d bytes after that, %d before (%v)", len(now), len(content), err)
	}
}

func TestPacketsAndResultsDoNotShareStandardOutput(t *testing.T) {
	if _, errs := ksniff(t, exitUsage, "report", pcap("errors"), "-w", "-"); !strings.Contains(errs, "standard output") {
		t.Errorf("%q", errs)
	}
}

// Flags that would do nothing are mistakes, and are told so.
func TestFlagsThatDoNothingAreRefused(t *testing.T) {
	for _, args := range [][]string{
		{"--memory", "0"}, {"--memory", "1"}, {"-s", "96"}, {"--promisc"}, {"-B", "64M"}, {"-Z", "nobody"},
		{"-w", "x.pcapng", "-C", "-5"}, {"-w", "x.pcapng", "-W", "5"}, {"-c", "-1"},
	} {
		ksniff(t, exitUsage, append([]string{"report", pcap("errors")}, args...)...)
	}
	ksniff(t, exitUsage, "mask", "-Y", "client == x", pcap("errors"), filepath.Join(t.TempDir(), "out.pcapng"))
}

func TestErrorsDoNotControlTheTerminal(t *testing.T) {
	if _, errs := ksniff(t, exitIO, "report", "no\x1b[2Jfile"); strings.Contains(errs, "\x1b") || !strings.Contains(errs, "file") {
		t.Errorf("%q", errs)
	}
}

func TestRotationNeedsAFile(t *testing.T) {
	if _, errs := ksniff(t, exitUsage, "report", pcap("quickstart"), "-C", "5"); !strings.Contains(errs, "-w") {
		t.Errorf("%q does not name -w", errs)
	}
}

func TestFilterErrorsPointAtTheColumn(t *testing.T) {
	_, errs := ksniff(t, exitUsage, "report", pcap("quickstart"), "-f", "port 9092 and prot 1")
	if !strings.Contains(errs, "port 9092 and prot 1\n                ^") {
		t.Errorf("no caret below the wrong word:\n%s", errs)
	}
}

func TestWritingWhereThereIsNoFolderFails(t *testing.T) {
	_, errs := ksniff(t, exitIO, "report", pcap("quickstart"), "-w", filepath.Join(t.TempDir(), "no", "file.pcapng"))
	if !strings.Contains(errs, "file.pcapng") {
		t.Errorf("%q does not name the file", errs)
	}
}
