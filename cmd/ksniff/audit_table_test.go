package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"ksniff/report"
	"ksniff/report/audit"
)

// TestAuditInANarrowTerminal: at 80 columns a long message left no room for count, first, last and was cut itself.
func TestAuditInANarrowTerminal(t *testing.T) {
	message := strings.Repeat("nine word ", 30)
	rows := func() [][]string {
		return [][]string{{"warning", "KS6022", strings.Repeat("c", 40), "OffsetCommit", "123", "4567", "89012", message}}
	}
	if text, below := auditRows(rows(), 0); below || !strings.Contains(text, message[:290]) {
		t.Errorf("in a pipe %q", text)
	}
	text, below := auditRows(rows(), 80)
	row := strings.Split(text, "\n")[1]
	if !below || strings.Contains(text, "nine") || !strings.HasSuffix(row, strings.Repeat("c", 40)) {
		t.Errorf("%v %q", below, text)
	}
	if at := strings.Index(row, "89012"); at < 0 || at > 74 {
		t.Errorf("last at %d of %q", at, row)
	}
	var out strings.Builder
	report.Wrap(&out, 80, "    ", "    ", message)
	for line := range strings.Lines(out.String()) {
		if utf8.RuneCountInString(line) > 81 {
			t.Errorf("%q", line)
		}
	}
	if strings.Join(strings.Fields(out.String()), " ") != strings.TrimSpace(message) {
		t.Errorf("%q", out.String())
	}
}

// TestReadinessInANarrowTerminal: a row of --profile or --matrix was wrapped by the terminal, in the middle of words.
func TestReadinessInANarrowTerminal(t *testing.T) {
	software := "confluent-kafka-python/2.3.0-rdkafka-2.3.0"
	apis := []string{"Produce", "Fetch", "ListOffsets", "Metadata", "OffsetCommit", "OffsetFetch"}
	d := readinessJSON{
		Clients: []clientJSON{
			{ClientID: "id_1-host_127.0.0.1-port_22091", Address: "127.0.0.1", Verdict: "not ready", Seen: seenJSON{APIs: apis, Connections: 9}, Gone: []goneJSON{
				{What: "ControlledShutdown", Versions: []int16{3}, Needs: "a cluster without ZooKeeper: the API is gone"},
				{What: "message format 0", Needs: "message format 2 (Kafka 0.11)"}}},
			{ClientID: "other", Address: "127.0.0.2", Verdict: "ready", Software: &software, Seen: seenJSON{APIs: apis}},
		},
		Matrix: []matrixJSON{
			{Broker: "127.0.0.1:22091", ClientID: "id_1-host_127.0.0.1-port_22091", Address: "127.0.0.1", API: "Fetch", Used: []int16{0, 1}, Requests: 7},
			{Broker: "127.0.0.1:22091", ClientID: "id_1-host_127.0.0.1-port_22091", Address: "127.0.0.1", API: "ControlledShutdown", OK: true},
		},
		ready: 1, soFar: 3, Encrypted: 1,
	}
	profile := audit.ProfileNamed("kafka-4.0")
	for _, width := range []int{0, 60, 80, 100, 300} {
		var b strings.Builder
		d.table(&b, width, profile, true)
		for line := range strings.Lines(b.String()) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); width > 0 && n > width {
				t.Errorf("%d of %d columns: %s", n, width, line)
			}
		}
		got := strings.Join(strings.Fields(b.String()), " ")
		for _, must := range []string{"ControlledShutdown 3", "needs a cluster without ZooKeeper: the API is gone", "message format 0", software, "0 requests: Produce Fetch ListOffsets",
			"id_1-host_127.0.0.1-port_22091", "Fetch ? 0 1 7 not offered"} {
			if width == 0 || width == 300 {
				must = strings.TrimPrefix(must, "needs ")
			}
			if !strings.Contains(got, must) {
				t.Errorf("%d columns: no %q in\n%s", width, must, b.String())
			}
		}
		if n := strings.Count(b.String(), "id_1-host"); width == 0 && n != 4 || width == 60 && n != 2 {
			t.Errorf("%d columns: the client is named %d times in\n%s", width, n, b.String())
		}
	}
}

// TestFindingsInANarrowTerminal: the message of a finding stands below its line where there is no room, whole in a pipe.
func TestFindingsInANarrowTerminal(t *testing.T) {
	f := &audit.Finding{Rule: audit.Rules[0], Severity: audit.Warning, API: "Fetch", Version: 4, Message: strings.Repeat("word ", 30)}
	for _, colour := range []bool{false, true} {
		if text := string(findingText(f, 0, colour)); strings.Count(text, "\n") != 1 {
			t.Errorf("in a pipe %q", text)
		}
		text := string(findingText(f, 80, colour))
		for line := range strings.Lines(text) {
			if n := utf8.RuneCountInString(escapes.ReplaceAllString(line, "")); n > 81 {
				t.Errorf("%d columns: %q", n, line)
			}
		}
		if strings.Count(text, "word") != 30 || strings.Count(text, "\n") != 3 || strings.Contains(strings.Split(text, "\n")[0], "word") {
			t.Errorf("%s", text)
		}
	}
}
