package records

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// vector is a line of records.jsonl: bytes written by Kafka's classes, and what these read in them.
type vector struct {
	Magic    int8             `json:"magic"`
	Codec    string           `json:"codec"`
	Note     string           `json:"note"`
	Hex      string           `json:"hex"`
	Batches  []map[string]any `json:"batches"`
	Records  []map[string]any `json:"records"`
	Trailing int64            `json:"trailing_partial_bytes"`
	Expect   string           `json:"expect"`
	Detail   string           `json:"detail"`
	Before   int              `json:"good_batches_before"`
	Kept     int              `json:"records_before_error"`
	set      []byte
}

// shared returns a file of the folder that lies beside the repository, or skips the test.
func shared(t testing.TB, name string) string {
	root := os.Getenv("KSNIFF_SHARED")
	if root == "" {
		dir, _ := os.Getwd()
		for {
			if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil || dir == filepath.Dir(dir) {
				break
			}
			dir = filepath.Dir(dir)
		}
		root = filepath.Join(dir, "..", "shared")
	}
	path := filepath.Join(root, name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%s is not here: the vectors lie outside of the repository", name)
	}
	return path
}

func parseVectors(t testing.TB, text []byte) []vector {
	var all []vector
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		var v vector
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		v.set, _ = hex.DecodeString(v.Hex)
		all = append(all, v)
	}
	return all
}

// vectors returns all of Apache's record vectors.
func vectors(t testing.TB) []vector {
	packed, err := os.ReadFile(shared(t, "vectors/records.jsonl.zst"))
	if err != nil {
		t.Fatal(err)
	}
	d, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	text, err := d.DecodeAll(packed, nil)
	if err != nil {
		t.Fatal(err)
	}
	return parseVectors(t, text)
}

// samples are the few vectors that lie in the repository.
func samples(t testing.TB) []vector {
	text, err := os.ReadFile("testdata/samples.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return parseVectors(t, text)
}
