package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
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
		"csv and parquet":      {"frames", "-o", "xml", "../../pcaps/errors.pcap"},
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
