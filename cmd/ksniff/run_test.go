package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func init() { os.Unsetenv("COLUMNS") } // tables in tests are those of a pipe

type reportJSON struct {
	Ledger struct {
		Payload      int64   `json:"tcp_payload_bytes"`
		Decoded      int64   `json:"decoded_bytes"`
		Undecodable  int64   `json:"undecodable_bytes"`
		Skipped      int64   `json:"skipped_bytes"`
		Encrypted    int64   `json:"encrypted_bytes"`
		Foreign      int64   `json:"foreign_bytes"`
		Pending      int64   `json:"pending_bytes"`
		Completeness float64 `json:"completeness"`
	}
	Connections struct{ Total int64 }
	Totals      flowJSON
	Topics      []struct {
		Topic string
		flowJSON
	}
	APIs []struct {
		API         string
		Requests    int64
		Errors      map[string]int64
		ErrorTopics map[string][]string `json:"error_topics"`
	}
	Frames struct {
		Requests, Responses int64
		Unmatched           int64 `json:"unmatched_responses"`
		Unanswered          int64 `json:"unanswered_requests"`
		TokenRequests       int64 `json:"token_requests"`
		TokenResponses      int64 `json:"token_responses"`
	}
	Rows []struct {
		By map[string]any
		rowJSON
	}
	Other *struct {
		Topics int64
		flowJSON
		Rows *rowJSON
	}
}

type rowJSON struct {
	Requests int64
	Errors   map[string]int64
	flowJSON
}

type flowJSON struct {
	Produce, Fetch struct {
		Messages, Bytes int64
		Uncompressed    *int64 `json:"uncompressed_bytes"`
		Sets            int64  `json:"incomplete_record_sets"`
		CutFrames       int64  `json:"incomplete_frames"`
		Errors          map[string]int64
		Latency         map[string]float64 `json:"latency_ms"`
	}
}

// ksniff runs the program; it must end with the given code.
func ksniff(t *testing.T, code int, args ...string) (out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	if got := run(args, strings.NewReader(""), &o, &e); got != code {
		t.Fatalf("ksniff %s: exit %d, want %d: %s", strings.Join(args, " "), got, code, e.String())
	}
	return o.String(), e.String()
}

func reported(t *testing.T, args ...string) (r reportJSON) {
	t.Helper()
	out, _ := ksniff(t, 0, append([]string{"report", "-o", "json"}, args...)...)
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func pcap(name string) string { return "../../pcaps/" + name + ".pcap" }
