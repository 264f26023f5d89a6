package decode

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// A vector is a frame written by Apache's own classes, with its fields as their converters print them.
type vector struct {
	Key           int16           `json:"key"`
	API           string          `json:"api"`
	Kind          string          `json:"kind"`
	Version       int16           `json:"version"`
	HeaderVersion int16           `json:"header_version"`
	HeaderBytes   int             `json:"header_bytes"`
	Hex           string          `json:"hex"`
	Header        json.RawMessage `json:"header"`
	Body          json.RawMessage `json:"body"`
	HeaderUnknown []unknownTag    `json:"header_unknown"`
	BodyUnknown   []unknownTag    `json:"body_unknown"`
}

type unknownTag struct {
	Path string `json:"path"`
	Tag  uint32 `json:"tag"`
	Hex  string `json:"hex"`
}

func (v *vector) kind() Kind {
	if v.Kind == "request" {
		return Request
	}
	return Response
}

func (v *vector) bytes(t testing.TB) []byte {
	b, err := hex.DecodeString(v.Hex)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// vectors are those of the repository: one of each (API, kind, version); with the folder shared beside
// it, all.
func vectors(t testing.TB) []vector {
	var all []vector
	if dir := shared(); dir != "" && !testing.Short() {
		for _, name := range []string{"messages-4.4.jsonl.zst", "messages-3.9.jsonl.zst"} {
			all = append(all, readVectors(t, filepath.Join(dir, "vectors", name))...)
		}
		return all
	}
	return sample(t)
}

// sample are those of the repository; every fourth where the test is to be short.
func sample(t testing.TB) []vector {
	all := readVectors(t, "testdata/messages.jsonl.zst")
	if !testing.Short() {
		return all
	}
	var some []vector
	for i := 0; i < len(all); i += 4 {
		some = append(some, all[i])
	}
	return some
}

// shared is the folder of test material that is not part of the repository, "" where it is not there.
func shared() string {
	if dir := os.Getenv("KSNIFF_SHARED"); dir != "" {
		return dir
	}
	dir, err := filepath.Abs("../../shared")
	if _, missing := os.Stat(filepath.Join(dir, "vectors")); err != nil || missing != nil {
		return ""
	}
	return dir
}

func readVectors(t testing.TB, path string) (all []vector) {
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	reader, err := zstd.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	lines := bufio.NewReader(reader)
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var v vector
			if err := json.Unmarshal(line, &v); err != nil {
				t.Fatal(err)
			}
			all = append(all, v)
		}
		if err != nil {
			return all
		}
	}
}
