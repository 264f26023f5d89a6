package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ksniff/decode/schema/notation"
)

// source is one notation file.
type source struct {
	*notation.File
	path string
	text []byte
}

// write formats the file where it is not in canonical form.
func (s source) write() error {
	text := notation.Format(s.File)
	if bytes.Equal(text, s.text) {
		return nil
	}
	return os.WriteFile(s.path, text, 0o666)
}

// read parses every notation file under a folder and orders them: APIs by key, headers by name,
// records by family, type and name.
func read(dir string) ([]source, error) {
	var out []source
	for _, sub := range []string{"api", "header", "inner"} {
		err := filepath.WalkDir(filepath.Join(dir, sub), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || filepath.Ext(path) != ".txt" {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			f, err := notation.Parse(path, text)
			if err != nil {
				return err
			}
			if want := strings.TrimSuffix(filepath.Base(path), ".txt"); f.Name() != want {
				return fmt.Errorf("%s: holds %s", path, f.Name())
			}
			out = append(out, source{f, path, text})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out, func(a, b source) int {
		switch {
		case kind(a) != kind(b):
			return cmp.Compare(kind(a), kind(b))
		case a.API != nil:
			return cmp.Compare(a.API.Key, b.API.Key)
		case a.Record != nil:
			return cmp.Or(strings.Compare(a.Record.Family, b.Record.Family), cmp.Compare(a.Record.Type, b.Record.Type),
				strings.Compare(a.Record.Name, b.Record.Name))
		}
		return strings.Compare(a.Name(), b.Name())
	})
	return out, unique(out)
}

func kind(f source) int {
	switch {
	case f.API != nil:
		return 0
	case f.Header != nil:
		return 1
	}
	return 2
}

// unique fails where two files describe the same thing.
func unique(files []source) error {
	seen := map[string]string{}
	for _, f := range files {
		id := "header " + f.Name()
		switch {
		case f.API != nil:
			id = fmt.Sprintf("API key %d", f.API.Key)
		case f.Record != nil && f.Record.Type >= 0:
			id = fmt.Sprintf("%s record type %d", f.Record.Family, f.Record.Type)
		case f.Record != nil:
			id = "record " + f.Name()
		}
		if other, ok := seen[id]; ok {
			return fmt.Errorf("%s and %s are both %s", other, f.Name(), id)
		}
		seen[id] = f.Name()
	}
	return nil
}
