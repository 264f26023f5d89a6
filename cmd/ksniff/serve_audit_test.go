//go:build unix

package main

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// serve --audit counts what the audit finds: admin.pcap creates one topic with an illegal name.
func TestServeCountsFindings(t *testing.T) {
	url, stop := serving(t, "--audit", "../../pcaps/admin.pcap")
	const want = `ksniff_audit_findings_total{rule="KS2021",severity="error"} 1`
	body := ""
	for deadline := time.Now().Add(20 * time.Second); !strings.Contains(body, want) && time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		answer, err := http.Get(url + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		body = string(b)
	}
	if code := stop(); code != exitDone {
		t.Errorf("exit %d", code)
	}
	if !strings.Contains(body, want) {
		t.Errorf("no %s in\n%s", want, body)
	}
}
