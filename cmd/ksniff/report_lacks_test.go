package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// lacking is what a report says of what was not there.
type lacking struct {
	Capture struct {
		Packets int
		Ended   *string
	}
	Frames struct {
		Unmatched int            `json:"unmatched_responses"`
		Faulty    map[string]int `json:"faulty_frames"`
	}
}

func lacks(t *testing.T, code int, args ...string) (r lacking) {
	t.Helper()
	out, _ := ksniff(t, code, append([]string{"report", "-o", "json"}, args...)...)
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// lines counts those of an output.
func lines(t *testing.T, args ...string) int {
	out, _ := ksniff(t, 0, args...)
	return strings.Count(out, "\n")
}

// One direction only is no 100 % of anything, and undecodable responses are explained.
func TestReportOneDirectionIsNotEveryByte(t *testing.T) {
	out, _ := ksniff(t, 0, "report", pcap("quickstart"), "-f", "dst port 22091")
	if strings.Contains(out, "every byte") || !strings.Contains(out, " of what was captured; no responses were captured") {
		t.Errorf("requests only:\n%.500s", out)
	}
	responses := []string{pcap("quickstart"), "-f", "src port 22091"}
	out, _ = ksniff(t, 0, append([]string{"report"}, responses...)...)
	for _, must := range []string{" of what was captured; no requests were captured", "Only one direction", "-Y unmatched"} {
		if !strings.Contains(out, must) {
			t.Errorf("responses only: no %q:\n%s", must, out)
		}
	}
	n := lacks(t, 0, responses...).Frames.Unmatched
	if shown := lines(t, append([]string{"frames", "-Y", "unmatched"}, responses...)...); n == 0 || shown != n {
		t.Errorf("%d responses without a request, of which frames shows %d", n, shown)
	}
	whole := lacks(t, 0, pcap("group"))
	out, _ = ksniff(t, 0, "report", pcap("group"))
	if strings.Contains(out, "of what was captured") || whole.Capture.Ended != nil {
		t.Errorf("a whole capture lacks something:\n%.500s", out)
	}
}

// As many frames have faults as the command shows that the report names.
func TestReportFaultyFramesAreThoseShown(t *testing.T) {
	for _, name := range []string{"snaplen", "loss", "errors"} {
		n := 0
		for _, times := range lacks(t, 0, pcap(name)).Frames.Faulty {
			n += times
		}
		if shown := lines(t, "frames", "-Y", "fault", pcap(name)); shown != n || n == 0 && name != "errors" {
			t.Errorf("%s: %d faulty frames, frames -Y fault shows %d", name, n, shown)
		}
	}
}

// A capture that breaks off is marked in every format for people and programs.
func TestReportOfATornCaptureSaysSo(t *testing.T) {
	whole, err := os.ReadFile(pcap("quickstart"))
	if err != nil {
		t.Fatal(err)
	}
	torn := filepath.Join(t.TempDir(), "torn.pcap")
	if err := os.WriteFile(torn, whole[:len(whole)/2+1], 0o600); err != nil {
		t.Fatal(err)
	}
	r := lacks(t, 3, torn)
	if r.Capture.Ended == nil || !strings.Contains(*r.Capture.Ended, "cut in a packet") {
		t.Errorf("ended: %v", r.Capture.Ended)
	}
	for _, format := range []string{"table", "md", "html"} {
		if out, _ := ksniff(t, 3, "report", torn, "-o", format); !strings.Contains(out, "not read to its end: ") {
			t.Errorf("%s: not marked:\n%.500s", format, out)
		}
	}
}

// Packets that -f takes away are not counted.
func TestReportCountsPacketsThatPassTheFilter(t *testing.T) {
	all := lacks(t, 0, pcap("legacy")).Capture.Packets
	some := lacks(t, 0, pcap("legacy"), "-f", "src port 37092").Capture.Packets
	rest := lacks(t, 0, pcap("legacy"), "-f", "not src port 37092").Capture.Packets
	if some == 0 || rest == 0 || some+rest != all {
		t.Errorf("%d and %d packets of %d", some, rest, all)
	}
}
