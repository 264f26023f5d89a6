package main

import (
	"encoding/binary"
	"encoding/json"
	"encoding/xml"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

type auditLine struct {
	Rule, Severity, Message, Field string
	Packet                         int
	ClientID                       *string `json:"client_id"`
}

func auditLines(t *testing.T, out string) (lines []auditLine) {
	t.Helper()
	for line := range strings.Lines(out) {
		var l auditLine
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		lines = append(lines, l)
	}
	return lines
}

func TestAuditFindsAndFails(t *testing.T) {
	const file = "../../pcaps/admin.pcap" // one topic is created with an illegal name
	out, _ := ksniff(t, exitFindings, "audit", file, "--severity", "error", "--fail-on", "error", "-o", "json")
	lines := auditLines(t, out)
	if len(lines) != 1 || lines[0].Rule != "KS2021" || lines[0].Packet != 26 || *lines[0].ClientID != "admin-all" {
		t.Errorf("%+v", lines)
	}
	baseline := filepath.Join(t.TempDir(), "known.jsonl")
	if err := os.WriteFile(baseline, []byte(out), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, _ := ksniff(t, exitDone, "audit", file, "--severity", "error", "--fail-on", "error", "-o", "json", "--baseline", baseline); out != "" {
		t.Errorf("known: %s", out)
	}
	for _, args := range [][]string{{"--ignore-client", "admin-*"}, {"--rules", "-KS2021"}, {"-Y", "api == Metadata"}} {
		if out, _ := ksniff(t, exitDone, append([]string{"audit", file, "--severity", "error", "--fail-on", "error", "-o", "json"}, args...)...); out != "" {
			t.Errorf("%v: %s", args, out)
		}
	}
	for _, args := range [][]string{{"-o", "yaml"}, {"--rules", "KS99"}, {"--severity", "bad"}, {"--fail-on", "bad"}, {"--profile", "kafka-9"}, {"--ignore-client", "["}} {
		ksniff(t, exitUsage, append([]string{"audit", file}, args...)...)
	}
	ksniff(t, exitIO, "audit", file, "--baseline", "nowhere.jsonl")
}

func TestAuditFormats(t *testing.T) {
	const file = "../../pcaps/admin.pcap"
	table, remarks := ksniff(t, exitDone, "audit", file)
	if !strings.Contains(table, "KS2021") || !strings.Contains(remarks, "rules judged") {
		t.Errorf("table:\n%s\n%s", table, remarks)
	}
	if out, _ := ksniff(t, exitDone, "audit", file, "-o", "sarif"); !json.Valid([]byte(out)) {
		t.Error("SARIF is no JSON")
	}
	out, _ := ksniff(t, exitDone, "audit", file, "-o", "junit")
	if err := xml.Unmarshal([]byte(out), new(struct{})); err != nil {
		t.Error(err)
	}
	for _, format := range []string{"text", "csv", "html"} {
		if out, _ := ksniff(t, exitDone, "audit", file, "-o", format); !strings.Contains(out, "KS2021") {
			t.Errorf("%s lacks KS2021", format)
		}
	}
}

func TestAuditProfile(t *testing.T) {
	const file = "../../pcaps/kafka-0.8.pcap"
	out, _ := ksniff(t, exitFindings, "audit", file, "--profile", "kafka-4.0", "--fail-on", "error", "-o", "json")
	var doc readinessJSON
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	found := false
	for _, c := range doc.Clients {
		if c.ClientID == "op-gzip" {
			found = true
			if c.Ready || len(c.Gone) != 2 || c.Gone[0].Needs != "Produce 3 or newer (Kafka 0.11.0)" || c.Gone[1].What != "message format 0" {
				t.Errorf("%+v", c)
			}
		}
	}
	if !found {
		t.Error("no op-gzip")
	}
	ksniff(t, exitDone, "audit", file, "--profile", "legacy", "--fail-on", "error")
	ksniff(t, exitFindings, "audit", "../../pcaps/legacy.pcap", "--profile", "legacy", "--fail-on", "error")
	if out, _ := ksniff(t, exitDone, "audit", "../../pcaps/quickstart.pcap", "--matrix"); !strings.Contains(out, "OFFERED") {
		t.Error(out)
	}
}

func TestExplainRule(t *testing.T) {
	out, _ := ksniff(t, exitDone, "explain", "ks2021")
	if !strings.Contains(out, "INVALID_TOPIC_EXCEPTION") {
		t.Error(out)
	}
}

// trueErrors are the findings of severity error that are true, by capture; docs/audit-findings.md has the
// proof of those that no truth file or note names.
var trueErrors = map[string]string{
	"legacy/legacy-errors.pcap":        "KS1016 KS1017",
	"legacy/legacy-fetch.pcap":         "KS1019",
	"legacy/legacy-multi.pcap":         "KS1017",
	"legacy/legacy-raw.pcap":           "KS1001 KS1004 KS1008 KS1009 KS1010 KS1011 KS1012 KS1015 KS1016 KS1017 KS1022",
	"kfake/kfake.pcap.zst":             "KS2011 KS8016",
	"modern/04-admin-java.pcap":        "KS2021",
	"modern/06-sasl-fail.pcap":         "KS8005",
	"modern/08-errors-clients.pcap":    "KS2021",
	"modern/08-errors-raw.pcap":        "KS2012 KS2017 KS9001",
	"old/autocreate-0.10.2.2.pcap":     "KS2021",
	"old/autocreate-0.8.2.2.pcap":      "KS2021",
	"old/basic-":                       "KS6013",
	"old/bigmsg-0.9.0.1.pcap":          "KS6013",
	"old/downconv-":                    "KS6013",
	"old/js-0.9.0.1.pcap":              "KS3023",
	"public/wireshark-SampleCaptures_": "KS2005 KS2011 KS2012 KS6013",
}

// No finding of severity error in a capture of real brokers and clients but those that are true.
func TestNoFalseAlarm(t *testing.T) {
	root := os.Getenv("KSNIFF_SHARED")
	if root == "" {
		root = "../../../shared"
	}
	root = filepath.Join(root, "captures")
	if _, err := os.Stat(root); err != nil {
		t.Skip("the captures of real brokers are not there")
	}
	captures := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(d.Name(), ".pcap") || strings.Contains(path, "negatives") {
			return err
		}
		captures++
		name, _ := filepath.Rel(root, path)
		allowed := ""
		for prefix, rules := range trueErrors {
			if strings.HasPrefix(filepath.ToSlash(name), prefix) {
				allowed = rules
			}
		}
		var out, errs strings.Builder
		if code := run([]string{"audit", "-q", "--deep", "--severity", "error", "--max", "3", "-o", "json", path}, strings.NewReader(""), &out, &errs); code != exitDone && code != exitIO {
			t.Errorf("%s: exit %d: %s", name, code, errs.String())
		}
		for _, l := range auditLines(t, out.String()) {
			if !strings.Contains(allowed, l.Rule) {
				t.Errorf("%s: packet %d: %s: %s (%s)", name, l.Packet, l.Rule, l.Message, l.Field)
			}
		}
		return nil
	})
	if err != nil || captures < 100 {
		t.Errorf("%d captures, %v", captures, err)
	}
}

// A client of which a part was missed is no ready one, in no format; where nothing could be read, nobody is.
func TestReadySoFarIsNotReady(t *testing.T) {
	so := readinessJSON{Clients: []clientJSON{{}, {}, {}}, ready: 1, soFar: 1, unready: 1}
	if got := so.headline("Kafka 4.0"); got != "1 of 3 clients are ready for Kafka 4.0, by what they were seen to use; 1 are ready so far: only a part of them was seen." {
		t.Error(got)
	}
	if got := (&readinessJSON{Encrypted: 2}).headline("Kafka 4.0"); !strings.HasPrefix(got, "Nothing can be said") {
		t.Error(got)
	}
	packets, err := os.ReadFile("../../pcaps/quickstart.pcap")
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(t.TempDir(), "cut.pcap")
	if err := os.WriteFile(cut, snapped(packets, 128), 0o644); err != nil {
		t.Fatal(err)
	}
	out, _ := ksniff(t, exitDone, "audit", cut, "--profile", "kafka-4.0", "-o", "json")
	var doc readinessJSON
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	soFar := 0
	for _, c := range doc.Clients {
		if c.Ready != (c.Verdict == "ready") || c.Ready && !c.Seen.Whole {
			t.Errorf("%+v", c)
		}
		if c.Verdict == "ready so far" {
			soFar++
		}
	}
	if soFar == 0 {
		t.Errorf("no client was missed in part: %s", out)
	}
}

// snapped cuts the packets of a little-endian pcap file.
func snapped(b []byte, most int) []byte {
	out := append([]byte(nil), b[:24]...)
	for at := 24; at+16 <= len(b); {
		size := int(binary.LittleEndian.Uint32(b[at+8:]))
		n := min(size, most)
		head := append([]byte(nil), b[at:at+16]...)
		binary.LittleEndian.PutUint32(head[8:], uint32(n))
		out = append(append(out, head...), b[at+16:at+16+n]...)
		at += 16 + size
	}
	return out
}
