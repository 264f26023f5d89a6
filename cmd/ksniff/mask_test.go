package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// What a report says of a masked capture is what it says of the original. Only what is not Kafka cannot be told
// apart any more: it is all zeros.
func TestMaskedCapturesReportTheSame(t *testing.T) {
	names, err := filepath.Glob("../../pcaps/*.pcap")
	if err != nil || len(names) == 0 {
		t.Fatalf("no captures: %v", err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "masked.pcapng")
			ksniff(t, exitDone, "mask", name, file)
			for _, deep := range []string{"--deep=false", "--deep"} {
				before, after := comparable(t, deep, name), comparable(t, deep, file)
				for key := range before {
					if !reflect.DeepEqual(before[key], after[key]) {
						t.Errorf("%s %s:\n%v\nin the original:\n%v", deep, key, after[key], before[key])
					}
				}
			}
		})
	}
}

// comparable is a report without what must differ.
func comparable(t *testing.T, args ...string) (r map[string]any) {
	t.Helper()
	out, _ := ksniff(t, exitDone, append([]string{"report", "-o", "json"}, args...)...)
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	delete(r["capture"].(map[string]any), "sources")
	connections := r["connections"].(map[string]any)
	other := 0.0
	for _, what := range []string{"foreign", "zookeeper", "tls"} {
		other += connections[what].(float64)
		delete(connections, what)
	}
	connections["other"] = other
	return r
}

// Masking while analysing gives the same file, and the same report as without.
func TestMaskWhileReporting(t *testing.T) {
	one, two := filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "two")
	plain, _ := ksniff(t, exitDone, "report", "-o", "json", pcap("loss"))
	out, _ := ksniff(t, exitDone, "report", "-o", "json", pcap("loss"), "-w", one, "--mask", "payload")
	if out != plain {
		t.Errorf("with --mask the report is\n%s\nwithout\n%s", out, plain)
	}
	_, errs := ksniff(t, exitDone, "mask", pcap("loss"), two)
	if !strings.Contains(errs, "masked: 910 packets") {
		t.Errorf("%q does not tell of the 910 packets", errs)
	}
	a, err := os.ReadFile(one)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(two); err != nil || string(a) != string(b) {
		t.Errorf("report -w --mask wrote %d bytes, mask %d (%v)", len(a), len(b), err)
	}
}

func TestMaskNeedsTwoNames(t *testing.T) {
	ksniff(t, exitUsage, "mask")
	ksniff(t, exitUsage, "mask", pcap("loss"))
	ksniff(t, exitUsage, "report", pcap("loss"), "--mask", "payload")
	ksniff(t, exitUsage, "report", pcap("loss"), "--mask", "everything", "-w", filepath.Join(t.TempDir(), "x"))
}
