package main

import (
	"encoding/json"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// mayImport is the table of the design: which of our packages each package may depend on, directly
// or not. A package that is not here fails the test, so that a new room gets its rule.
var mayImport = map[string][]string{
	"capture":                {},
	"capture/bpf":            {"capture"},
	"capture/live":           {"capture", "capture/bpf"},
	"reassembly":             {},
	"decode/schema":          {},
	"decode":                 {"decode/schema"},
	"decode/records":         {"decode", "decode/schema"},
	"decode/legacy":          {"decode", "decode/schema", "decode/records"},
	"decode/inner":           {"decode", "decode/schema", "decode/records"},
	"reassembly/session":     {"reassembly", "decode..."},
	"report":                 {"report/escape", "reassembly/session", "reassembly", "decode..."},
	"report/escape":          {},
	"report/parquet":         {},
	"report/jsonschema":      {},
	"report/frames":          {"reassembly/session", "reassembly", "decode...", "report/escape", "report/filter", "report/parquet"},
	"report/filter":          {"reassembly/session", "reassembly", "decode..."},
	"report/top":             {"report...", "reassembly/session", "reassembly", "decode..."},
	"report/metrics":         {"report...", "reassembly/session", "reassembly", "decode..."},
	"report/audit":           {"reassembly/session", "reassembly", "decode...", "report/escape"},
	"report/mask":            {"reassembly/session", "reassembly", "decode...", "capture"},
	"decode/schema/notation": {"decode/schema"},
}

// notInDecode are standard packages that would give decode a clock, a connection or output.
var notInDecode = []string{"net", "time", "log", "os"}

type listed struct {
	ImportPath, Name string
	Imports, Deps    []string
}

func TestPackagesImportOnlyWhatTheDesignAllows(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps=false", "-json=ImportPath,Name,Imports,Deps", "ksniff/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	seen := 0
	for {
		var p listed
		if err := decoder.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if p.Name == "main" {
			continue
		}
		seen++
		name := strings.TrimPrefix(p.ImportPath, "ksniff/")
		allowed, known := mayImport[name]
		if !known {
			t.Errorf("%s has no line in the import table", name)
			continue
		}
		for _, dep := range p.Deps {
			ours, found := strings.CutPrefix(dep, "ksniff/")
			if found && !slices.ContainsFunc(allowed, func(pattern string) bool { return covers(pattern, ours) }) {
				t.Errorf("%s depends on %s", name, ours)
			}
		}
		if name == "decode" || strings.HasPrefix(name, "decode/") {
			for _, standard := range p.Imports {
				if slices.Contains(notInDecode, standard) {
					t.Errorf("%s imports %s", name, standard)
				}
			}
		}
	}
	if seen < 5 {
		t.Fatalf("go list showed only %d packages", seen)
	}
}

// covers says whether a package lies under a pattern: itself, or with "..." all below it too.
func covers(pattern, name string) bool {
	if root, all := strings.CutSuffix(pattern, "..."); all {
		return name == root || strings.HasPrefix(name, root+"/")
	}
	return name == pattern
}
