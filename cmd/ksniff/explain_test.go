package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"ksniff/decode/schema"
)

// runExplain runs explain and returns its output, its errors and the exit code.
func runExplain(args ...string) (out, errs string, code int) {
	var o, e bytes.Buffer
	code = run(append([]string{"explain"}, args...), strings.NewReader(""), &o, &e)
	return o.String(), e.String(), code
}

func TestExplainSays(t *testing.T) {
	for _, c := range []struct {
		args string
		want []string
	}{
		{"", []string{"KEY", "0    Produce", "94   UnregisterController", "zkBroker"}},
		{"produce", []string{"Produce, API key 0", "0-13", "request 1 from 0, 2 from 9; response 0 from 0, 1 from 9", "TransactionalId", "2.1     110", "another PRODUCE"}},
		{"0", []string{"Produce, API key 0", "The error code 0 is NONE"}},
		{"OFFSET_COMMIT", []string{"OffsetCommit, API key 8"}},
		{"group_coordinator", []string{"FindCoordinator, API key 10"}}, // its name up to 0.10
		{"OFFSETS", []string{"request type 4"}},
		{"api-versions", []string{"response 0\n"}},                                    // never header 1 (KIP-511)
		{"ControlledShutdown", []string{"request 0 from 0, 1 from 1, 2 from 3"}},      // no client id in version 0
		{"fetch 17", []string{"since Kafka 3.9, KIP-853", "0 ReplicaDirectoryId"}},    // KIP-853
		{"fetch v3", []string{"refused by present brokers", "int32 count, elements"}}, // Kafka 4.0 removed 0 to 3
		{"consumergroupheartbeat 0", []string{"early-access form", "ClientAssignors"}},
		{"OffsetCommitValue", []string{"in consumer-offsets", "int16 version", "commitTimestamp"}},
		{"offsetcommitkey 1", nil},
		{"TopicRecord 0", []string{"uvarint frame version 1", "record type  2"}},
		{"error 76", []string{"UNSUPPORTED_COMPRESSION_TYPE, error code 76", "zstd"}},
		{"error -1", []string{"UNKNOWN_SERVER_ERROR, error code -1", "UNKNOWN:"}},
		{"error coordinator_not_available", []string{"error code 15", "client retries  yes"}},
		{"error", []string{"136   CONTROLLER_ID_NOT_REGISTERED"}},
		{"NOT_LEADER_OR_FOLLOWER", []string{"error code 6", "refresh metadata"}},
		{"WRONG_PARTITION", []string{"error code 3 of Kafka 0.6 and 0.7"}},
		{"MULTIFETCH", []string{"request type 2 of Kafka 0.6 and 0.7", "fetches", "maxSize"}},
		{"legacy", []string{"MULTIPRODUCE", "WRONG_PARTITION"}},
		{"legacy fetch", []string{"FETCH, request type 1"}},
	} {
		out, errs, code := runExplain(strings.Fields(c.args)...)
		if c.want == nil {
			if code != exitUsage {
				t.Errorf("explain %s: exit %d\n%s", c.args, code, out)
			}
			continue
		}
		if code != exitDone || errs != "" {
			t.Errorf("explain %s: exit %d, %s", c.args, code, errs)
		}
		for _, w := range c.want {
			if !strings.Contains(out, w) {
				t.Errorf("explain %s: no %q in\n%s", c.args, w, out)
			}
		}
		for line := range strings.Lines(out) {
			if strings.TrimRight(line, " \n")+"\n" != line && line != "\n" {
				t.Errorf("explain %s: line ends in spaces: %q", c.args, line)
			}
		}
	}
}

func TestExplainSuggests(t *testing.T) {
	for args, want := range map[string]string{
		"fech":               "perhaps Fetch",
		"NOT_LEADER":         "NOT_LEADER_OR_FOLLOWER",
		"offsetcomit":        "OffsetCommit",
		"fetch 999":          "Fetch has versions 0-",
		"fetch x":            "not x",
		"produce 32768":      "Produce has versions 0-",
		"error 137":          "-1 to 136",
		"error UNKNOWN_TOPC": "UNKNOWN_TOPIC",
		"9999":               "nothing known",
		"zzzzzzzzzzz":        "lists what there is",
		"fech 3":             "perhaps Fetch",
		"legacy commit":      "no request",
		"-o xml fetch":       "table or json",
		"a b c":              "",
	} {
		out, errs, code := runExplain(strings.Fields(args)...)
		if code != exitUsage || out != "" || !strings.Contains(errs, want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("explain %s: exit %d, %q, %q", args, code, out, errs)
		}
	}
}

func TestExplainJSON(t *testing.T) {
	out, _, _ := runExplain("fetch", "17", "-o", "json")
	var f layoutFacts
	if err := json.Unmarshal([]byte(out), &f); err != nil {
		t.Fatal(err)
	}
	// Kafka's definitions of 4.4: version 17 has MaxWaitMs first, and topics by id only (KIP-516).
	if f.Key != 1 || f.Version != 17 || f.Request.HeaderVersion != 2 || f.Response.HeaderVersion != 1 || f.Request.Body[0].Name != "MaxWaitMs" {
		t.Errorf("%+v", f)
	}
	out, _, _ = runExplain("-o", "json")
	var all []apiFacts
	if err := json.Unmarshal([]byte(out), &all); err != nil || len(all) < 95 {
		t.Errorf("%d APIs, %v", len(all), err)
	}
	for _, args := range []string{"produce", "error", "error 3", "legacy", "MULTIFETCH", "OffsetCommitValue", "OffsetCommitValue 4"} {
		out, errs, code := runExplain(append(strings.Fields(args), "-o", "json")...)
		if !json.Valid([]byte(out)) || code != exitDone {
			t.Errorf("explain %s: exit %d, %s%s", args, code, errs, out)
		}
	}
}

func TestExplainKnowsEveryVersion(t *testing.T) {
	for _, a := range schema.APIs {
		for v := a.Versions().Min; v <= a.Versions().Max; v++ {
			l, ok := layoutArticle(a, v).value.(layoutFacts)
			if !ok || l.Version != v || len(l.Request.Header) < 2 || len(l.Response.Header) < 1 {
				t.Errorf("%s %d: %+v", a.Name, v, l)
			}
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"fech", "fetch", 1}, {"kitten", "sitting", 3}, {"abc", "abc", 0}} {
		if got := distance(c.a, c.b); got != c.want || distance(c.b, c.a) != c.want {
			t.Errorf("%s to %s: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
