package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The generated files are those that the notation gives, byte for byte.
func TestNothingIsLeftToGenerate(t *testing.T) {
	files, err := read("..")
	if err != nil {
		t.Fatal(err)
	}
	tables, err := render(files)
	if err != nil {
		t.Fatal(err)
	}
	if tables["zz_errors.go"], err = errorTables(".."); err != nil {
		t.Fatal(err)
	}
	if len(tables) != 4 {
		t.Errorf("%d generated files", len(tables))
	}
	for name, want := range tables {
		got, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(got, want) {
			t.Errorf("%s is out of date: run go generate ./decode/schema", name)
		}
	}
}

func TestFilesMustAgreeWithTheirNames(t *testing.T) {
	const api = "api A 1\nversions 0\n\nrequest\n    F  int8\n\nresponse\n    F  int8\n"
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"other name", map[string]string{"api/B.txt": api}, "B.txt: holds A"},
		{"key twice", map[string]string{"api/A.txt": api, "api/B.txt": strings.Replace(api, "A", "B", 1)}, "A and B are both API key 1"},
		{"record type twice", map[string]string{"inner/f/A.txt": "record A 1 in f\nframing bare\nvalue A 0\n", "inner/f/B.txt": "record B 1 in f\nframing bare\nvalue B 0\n"},
			"A and B are both f record type 1"},
		{"fault", map[string]string{"api/A.txt": "api A 1\nversion 0\n"}, "A.txt:2:1:"},
	} {
		dir := t.TempDir()
		for _, sub := range []string{"api", "header", "inner"} {
			os.Mkdir(filepath.Join(dir, sub), 0o777)
		}
		for name, text := range c.files {
			path := filepath.Join(dir, filepath.FromSlash(name))
			os.MkdirAll(filepath.Dir(path), 0o777)
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := read(dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
