package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// What a capture lacks is no zero: cut batches are marked, in numbers and in the table. 543 messages were sent;
// none of their batches' heads lies within 128 bytes of its packet.
func TestReportCutBatchesAreNotZero(t *testing.T) {
	out, _ := ksniff(t, 0, "report", pcap("snaplen"))
	for _, line := range strings.Split(out, "\n") {
		if strings.HasPrefix(line, "snap-confluent ") && !strings.Contains(strings.Join(strings.Fields(line), " "), "snap-confluent ? ≥ ") {
			t.Errorf("cut batches look whole: %s", line)
		}
	}
	for _, p := range []struct {
		capture    string
		incomplete bool
	}{{"snaplen", true}, {"loss", true}, {"quickstart", false}, {"legacy", false}} {
		f := reported(t, pcap(p.capture)).Totals.Produce
		if (f.Sets+f.CutFrames > 0) != p.incomplete {
			t.Errorf("%s: %d record sets and %d frames are not whole", p.capture, f.Sets, f.CutFrames)
		}
	}
}

// Answers alone: what could not be proved is not said to be something else.
func TestReportUnknownIsNotForeign(t *testing.T) {
	out, _ := ksniff(t, 0, "report", pcap("quickstart"), "-f", "src port 22091")
	if strings.Contains(out, "other protocols") || strings.Contains(out, "not Kafka") {
		t.Errorf("says that Kafka is something else:\n%s", out)
	}
	for _, must := range []string{"\nonly packets of -f 'src port 22091'\n", "Only one direction"} {
		if !strings.Contains(out, must) {
			t.Errorf("no %q:\n%s", must, out)
		}
	}
}

// Nothing to read is no 100 %.
func TestReportWithoutKafkaHasNoPercentage(t *testing.T) {
	for _, filter := range []string{"port 9", "port 22181"} { // no packet; ZooKeeper
		for _, format := range []string{"table", "md", "html"} {
			out, _ := ksniff(t, 0, "report", pcap("quickstart"), "-f", filter, "-o", format)
			if strings.Contains(out, "100 %") && format != "html" || !strings.Contains(out, "no Kafka") {
				t.Errorf("%s, %s:\n%.600s", filter, format, out)
			}
		}
	}
}

// A report of a part says so, and does not take the rest for lost.
func TestReportOfAPartSaysSo(t *testing.T) {
	for _, format := range []string{"table", "md", "html", "json"} {
		out, _ := ksniff(t, 0, "report", pcap("transactions"), "-Y", "request", "-c", "50", "-f", "tcp", "-o", format)
		for _, must := range []string{"request", "tcp", "50"} {
			if !strings.Contains(out, must) {
				t.Errorf("%s: no word of %s", format, must)
			}
		}
		if strings.Contains(out, "one direction") || format != "json" && !strings.Contains(out, "only packets of") {
			t.Errorf("%s:\n%.800s", format, out)
		}
	}
	var r struct{ Capture map[string]any }
	out, _ := ksniff(t, 0, "report", pcap("transactions"), "-Y", "request", "-c", "50", "-f", "tcp", "-o", "json")
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	if c := r.Capture; c["capture_filter"] != "tcp" || c["display_filter"] != "request" || c["frame_limit"] != 50.0 {
		t.Errorf("%v", c)
	}
}

// A comparison says what it cannot know, shows errors without a topic, and takes no flag that it ignores.
func TestReportAgainstIncomplete(t *testing.T) {
	out, _ := ksniff(t, 0, "report", pcap("transactions"), "--against", pcap("loss"))
	for _, must := range []string{"before: completeness 39.61 %", "MEMBER_ID_REQUIRED", "CONCURRENT_TRANSACTIONS"} {
		if !strings.Contains(out, must) {
			t.Errorf("no %s:\n%s", must, out)
		}
	}
	for _, flag := range []string{"--by=topic", "--interval=1s", "--deep"} {
		ksniff(t, 2, "report", pcap("transactions"), "--against", pcap("loss"), flag)
	}
}

// --deep shows in tables what it found: 25 messages of a text each, 469 bytes gzipped and 1282 without.
func TestReportDeepIsSeen(t *testing.T) {
	for _, format := range []string{"table", "md", "html"} {
		out, _ := ksniff(t, 0, "report", pcap("quickstart"), "--deep", "-o", format)
		if !strings.Contains(out, "×2.7") || !strings.Contains(strings.ToUpper(out), "UNPACKED") {
			t.Errorf("%s: no uncompressed size", format)
		}
	}
}

// Two of the seven transactions were aborted (pcaps/README.md).
func TestReportAbortedTransactions(t *testing.T) {
	out, _ := ksniff(t, 0, "report", pcap("transactions"))
	if !strings.Contains(out, "2 transactions aborted") {
		t.Error(out)
	}
}

// Nothing of who is left out where its output is no terminal.
func TestWhoInAPipeHasAll(t *testing.T) {
	out, _ := ksniff(t, 0, "who", pcap("transactions"))
	for _, must := range []string{"InitProducerId 5", "ApiVersions 5", "JoinGroup 9"} {
		if !strings.Contains(out, must) {
			t.Errorf("no %s:\n%s", must, out)
		}
	}
}

// A spark line has a scale: its interval and its highest value, in Markdown too.
func TestReportOverTimeHasAScale(t *testing.T) {
	for _, format := range []string{"table", "md"} {
		out, _ := ksniff(t, 0, "report", pcap("transactions"), "--interval", "1s", "-o", format)
		if !strings.Contains(out, "each character is 1.00 s") && !strings.Contains(out, "each character is 1 s") || !strings.Contains(strings.ToUpper(out), "PEAK") {
			t.Errorf("%s:\n%s", format, out)
		}
	}
}

// Requests without a response can be found: they are listed with packet and connection, and as many as are counted.
func TestReportListsUnanswered(t *testing.T) {
	for _, name := range []string{"quickstart", "legacy-errors", "loss", "sasl"} {
		out, _ := ksniff(t, 0, "report", "-o", "json", pcap(name))
		var r struct {
			Frames struct {
				Unanswered int `json:"unanswered_requests"`
			}
			Unanswered []struct {
				Packet     int
				API, Ends  string
				Connection int
			}
		}
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			t.Fatal(err)
		}
		if len(r.Unanswered) != r.Frames.Unanswered {
			t.Errorf("%s: %d listed, %d counted", name, len(r.Unanswered), r.Frames.Unanswered)
		}
		for _, u := range r.Unanswered {
			lines, _ := ksniff(t, 0, "frames", "-o", "json", pcap(name), "-Y", fmt.Sprintf("packet == %d and connection == %d and request", u.Packet, u.Connection))
			if !strings.Contains(lines, fmt.Sprintf("%q", u.API)) || !strings.Contains(u.Ends, " ↔ ") {
				t.Errorf("%s: %+v is not among the frames: %s", name, u, lines)
			}
		}
	}
}

// A connection is told by its ends too.
func TestReportConnectionsHaveAddresses(t *testing.T) {
	out, _ := ksniff(t, 0, "report", pcap("legacy-errors"), "--by", "connection")
	if !strings.Contains(out, "127.0.0.1:55512 ↔ 127.0.0.1:37092") {
		t.Error(out)
	}
}
