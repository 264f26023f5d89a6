package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ksniff/report/jsonschema"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden runs the program and compares what it prints with a file of testdata.
func golden(t *testing.T, file string, args ...string) {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(args, strings.NewReader(""), &out, &errs); code != exitDone || errs.Len() > 0 {
		t.Errorf("ksniff %s: exit %d, %s", strings.Join(args, " "), code, &errs)
	}
	path := filepath.Join("testdata", file)
	if *update {
		if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), want) {
		t.Errorf("ksniff %s differs from %s (go test -update writes it anew):\n%s", strings.Join(args, " "), path, &out)
	}
}

// The numbers are held by other tests, and by the brokers' own logs; these hold what people see.
func TestFramesGolden(t *testing.T) {
	const pcaps = "../../pcaps/"
	for file, args := range map[string][]string{
		"frames.txt":         {"quickstart.pcap", "-c", "40"},
		"frames-times.txt":   {"quickstart.pcap", "-c", "4", "-ttttt"},
		"frames-color.txt":   {"errors.pcap", "-c", "12", "--color", "always"},
		"frames-errors.txt":  {"errors.pcap", "-Y", "error"},
		"frames.csv":         {"errors.pcap", "-o", "csv", "-c", "40"},
		"frames.json":        {"errors.pcap", "-o", "json", "-c", "40"},
		"frames.md":          {"errors.pcap", "-o", "md", "-Y", "error", "-c", "5"},
		"frames.html":        {"errors.pcap", "-o", "html", "-Y", "error", "-c", "5"},
		"frames-legacy.txt":  {"legacy.pcap", "-V", "-c", "6"},
		"frames-legacy.json": {"legacy.pcap", "-V", "-o", "json", "-c", "12", "--payload"},
		"frames-tree.txt":    {"transactions.pcap", "-V", "--deep", "-Y", "topic == tx-out and (api == Produce or messages > 0)", "-c", "4"},
		"frames-payload.txt": {"transactions.pcap", "-V", "--deep", "--payload", "-Y", "topic == tx-out and messages > 0 and size < 1000", "-c", "2"},
		"frames-hex.txt":     {"quickstart.pcap", "-x", "-Y", "api == Produce", "-c", "2"},
		"frames-groups.txt":  {"quickstart.pcap", "-V", "-Y", "api in {JoinGroup, SyncGroup} and client == rdk", "-c", "4"},
		"frames-sasl.json":   {"sasl.pcap", "-V", "-o", "json", "-Y", "api ~ Sasl or !api"},
		"frames-hidden.txt":  {"secrets.pcap", "-V", "--payload", "-Y", "api in {AlterUserScramCredentials, CreateDelegationToken, SaslAuthenticate, IncrementalAlterConfigs}", "-c", "12"},
		"frames-ids.txt":     {"fetch-sessions.pcap", "-Y", "topic contains e", "-c", "20"},
	} {
		golden(t, file, append([]string{"frames", pcaps + args[0]}, args[1:]...)...)
	}
}

func TestWhoGolden(t *testing.T) {
	golden(t, "who.txt", "who", "../../pcaps/quickstart.pcap")
	golden(t, "who.md", "who", "../../pcaps/transactions.pcap", "-o", "md")
	golden(t, "who.csv", "who", "../../pcaps/legacy.pcap", "-o", "csv")
}

// Every line of JSON of every capture is as docs/schema says, and says the same as the row of CSV.
func TestFramesJSONSchema(t *testing.T) {
	text, err := os.ReadFile("../../docs/schema/frames.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	captures, _ := filepath.Glob("../../pcaps/*.pcap*")
	if len(captures) < 10 {
		t.Fatalf("only %d captures", len(captures))
	}
	for _, path := range captures {
		var plain, whole, table, errs bytes.Buffer
		run([]string{"frames", "-o", "json", path}, nil, &plain, &errs)
		run([]string{"frames", "-V", "--deep", "-o", "json", path}, nil, &whole, &errs)
		run([]string{"frames", "-o", "csv", path}, nil, &table, &errs)
		rows, err := csv.NewReader(&table).ReadAll()
		if err != nil {
			t.Errorf("%s: CSV: %v", path, err)
			continue
		}
		lines, trees := strings.Split(plain.String(), "\n"), strings.Split(whole.String(), "\n")
		if len(lines) != len(trees) || len(rows) != len(lines) || len(lines) < 2 {
			t.Errorf("%s: %d lines, %d with -V, %d rows", path, len(lines), len(trees), len(rows))
			continue
		}
		for i, line := range lines[:len(lines)-1] {
			var one, tree map[string]any
			if err := json.Unmarshal([]byte(line), &one); err != nil {
				t.Fatalf("%s: %v in %s", path, err, line)
			}
			if err := json.Unmarshal([]byte(trees[i]), &tree); err != nil {
				t.Fatalf("%s: %v in %s", path, err, trees[i])
			}
			for _, doc := range []map[string]any{one, tree} {
				for _, problem := range jsonschema.Check(schema, doc) {
					t.Errorf("%s: %s", path, problem)
				}
			}
			for column, name := range rows[0] {
				if text, ok := one[name].(string); ok && name != "time" && strings.Trim(text, "'") != strings.Trim(rows[i+1][column], "'") {
					t.Errorf("%s: %s is %q in JSON, %q in CSV", path, name, text, rows[i+1][column])
				}
			}
		}
	}
}

func TestFramesUsage(t *testing.T) {
	for want, args := range map[string][]string{
		"did you mean client?": {"frames", "-Y", "cleint == x", "../../pcaps/errors.pcap"},
		"html and parquet":     {"frames", "-o", "xml", "../../pcaps/errors.pcap"},
		"-V goes with":         {"frames", "-V", "-o", "csv", "../../pcaps/errors.pcap"},
		"-x goes with":         {"frames", "-x", "-o", "json", "../../pcaps/errors.pcap"},
		"five times":           {"frames", "-tttttt", "../../pcaps/errors.pcap"},
	} {
		var out, errs bytes.Buffer
		if code := run(args, nil, &out, &errs); code != exitUsage || !strings.Contains(errs.String(), want) {
			t.Errorf("%v: exit %d, %s", args, code, &errs)
		}
	}
}

// A filter keeps exactly the frames of which the JSON says the same.
func TestFiltersOnRealFrames(t *testing.T) {
	text := func(f map[string]any, name string) string { s, _ := f[name].(string); return s }
	number := func(f map[string]any, name string) float64 { n, _ := f[name].(float64); return n }
	topics := func(f map[string]any, is func(string) bool) bool {
		for _, name := range f["topics"].([]any) {
			if is(name.(string)) {
				return true
			}
		}
		return false
	}
	for expression, want := range map[string]func(f map[string]any) bool{
		"api == produce": func(f map[string]any) bool { return strings.EqualFold(text(f, "api"), "produce") },
		"api in {Fetch, 3} and version < 12": func(f map[string]any) bool {
			return f["version"] != nil && (text(f, "api") == "Fetch" || text(f, "api") == "Metadata") && number(f, "version") < 12
		},
		"response and error": func(f map[string]any) bool { return f["error"] != nil },
		"error == 0": func(f map[string]any) bool {
			return text(f, "kind") == "response" && f["api"] != nil && f["error"] == nil
		},
		"latency > 1ms":     func(f map[string]any) bool { return number(f, "latency_ms") > 1 },
		"latency_ms <= 0.5": func(f map[string]any) bool { return f["latency_ms"] != nil && number(f, "latency_ms") <= 0.5 },
		`topic ~ "^(kpy|tx)-"`: func(f map[string]any) bool {
			return topics(f, func(s string) bool { return strings.HasPrefix(s, "kpy-") || strings.HasPrefix(s, "tx-") })
		},
		"topic != tx-a": func(f map[string]any) bool {
			return len(f["topics"].([]any)) > 0 && !topics(f, func(s string) bool { return s == "tx-a" })
		},
		"client contains java && !response": func(f map[string]any) bool {
			return strings.Contains(text(f, "client_id"), "java") && text(f, "kind") == "request"
		},
		"size > 1kB or length == 8":            func(f map[string]any) bool { return number(f, "length") > 1000 || number(f, "length") == 8 },
		"fault":                                func(f map[string]any) bool { return f["fault"] != nil },
		"packet in {1..100} and not inferred":  func(f map[string]any) bool { return number(f, "packet") <= 100 && f["inferred"] == false },
		"body.topics.name == tx-a and request": func(f map[string]any) bool { return text(f, "kind") == "request" && hasTopicName(f["body"], "tx-a") },
		"header.clientid == java-txn":          func(f map[string]any) bool { h, _ := f["header"].(map[string]any); return h["clientId"] == "java-txn" },
		"body.acks == -1":                      func(f map[string]any) bool { b, _ := f["body"].(map[string]any); return b["acks"] == -1.0 },
	} {
		matched := 0
		for _, capture := range []string{"quickstart", "transactions", "errors", "legacy", "loss"} {
			path := "../../pcaps/" + capture + ".pcap"
			all, some := frameLines(t, path), frameLines(t, path, "-Y", expression)
			var expected []string
			for _, line := range all {
				var f map[string]any
				if err := json.Unmarshal([]byte(line), &f); err != nil {
					t.Fatal(err)
				}
				if want(f) {
					expected = append(expected, line)
				}
			}
			if len(some) != len(expected) || strings.Join(some, "") != strings.Join(expected, "") {
				t.Errorf("%s on %s: %d frames, the JSON of all says %d", expression, capture, len(some), len(expected))
			}
			matched += len(some)
		}
		if matched == 0 {
			t.Errorf("%s matches nothing, so it proves nothing", expression)
		}
	}
}

// hasTopicName says whether the JSON of a body has a name in an element of a field called topics.
func hasTopicName(body any, name string) bool {
	switch v := body.(type) {
	case map[string]any:
		list, _ := v["topics"].([]any)
		for _, e := range list {
			if m, ok := e.(map[string]any); ok && m["name"] == name {
				return true
			}
		}
		for _, inside := range v {
			if hasTopicName(inside, name) {
				return true
			}
		}
	case []any:
		for _, inside := range v {
			if hasTopicName(inside, name) {
				return true
			}
		}
	}
	return false
}

func frameLines(t *testing.T, path string, args ...string) []string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(append([]string{"frames", "-V", "-o", "json", path}, args...), nil, &out, &errs); code != exitDone {
		t.Fatalf("%s %v: exit %d, %s", path, args, code, &errs)
	}
	return slices.Collect(strings.Lines(out.String()))
}
