package main

import (
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
