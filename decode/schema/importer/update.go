package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ksniff/decode/schema/notation"
)

// families says which record family the definitions of a folder of Apache's jars belong to.
var families = map[string]string{
	"kafka-group-coordinator": "consumer-offsets", "kafka-transaction-coordinator": "transaction-state",
	"kafka-share-coordinator": "share-state", "kafka-metadata": "metadata", "kafka-storage": "remote-log",
}

// never are definitions that Kafka writes as JSON text only.
var never = map[string]bool{"QuorumStateData": true}

// update writes the files that change and returns their paths.
func update(dir string, releases []release) (changed []string, err error) {
	type group struct{ parts map[string][]*definition } // per part (request, key, …) by release, oldest first
	groups := map[string]*group{}
	for _, r := range releases {
		for _, d := range r {
			if never[d.Name] {
				continue
			}
			path, part := place(d)
			g := groups[path]
			if g == nil {
				g = &group{map[string][]*definition{}}
				groups[path] = g
			}
			g.parts[part] = append(g.parts[part], d)
		}
	}
	last := map[string]bool{}
	for _, d := range releases[len(releases)-1] {
		path, _ := place(d)
		last[path] = true
	}
	for _, path := range slices.Sorted(maps.Keys(groups)) {
		g := groups[path]
		file := filepath.Join(dir, fileName(path, g.parts))
		old, before, err := load(file)
		if err != nil {
			return changed, err
		}
		if !last[path] {
			changed = append(changed, file+": the newest release lacks it")
		}
		f, err := build(old, path, g.parts)
		if err != nil {
			return changed, fmt.Errorf("%s: %w", path, err)
		}
		text := notation.Format(f)
		if bytes.Equal(text, before) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return changed, err
		}
		if err := os.WriteFile(file, text, 0o666); err != nil {
			return changed, err
		}
		changed = append(changed, file)
	}
	return changed, nil
}

// place says which file (by key, since APIs change their names) and which part of it a definition is.
func place(d *definition) (path, part string) {
	family := families[d.folder]
	switch d.Type {
	case "request", "response":
		return fmt.Sprintf("api/%03d", *d.APIKey), d.Type
	case "header":
		return "header/" + d.Name, "fields"
	case "coordinator-key":
		return "inner/" + family + "/" + strings.TrimSuffix(d.Name, "Key"), "key"
	case "coordinator-value":
		return "inner/" + family + "/" + strings.TrimSuffix(d.Name, "Value"), "value"
	}
	switch {
	case strings.HasPrefix(d.Name, "ConsumerProtocol"):
		family = "consumer-protocol"
	case family == "" || d.Type == "data":
		family = "data"
	}
	return "inner/" + family + "/" + d.Name, "value"
}

func fileName(path string, parts map[string][]*definition) string {
	if rs := parts["request"]; len(rs) > 0 {
		path = "api/" + strings.TrimSuffix(rs[len(rs)-1].Name, "Request")
	}
	return filepath.FromSlash(path) + ".txt"
}

func load(file string) (*notation.File, []byte, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := notation.Parse(file, text)
	return f, text, err
}
