package schema_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// sharedDir is the folder with the vectors and Apache's files: KSNIFF_SHARED, or beside the
// repository. The test is skipped where there is none.
func sharedDir(t *testing.T) string {
	dir := os.Getenv("KSNIFF_SHARED")
	if dir == "" {
		root, _ := os.Getwd()
		for root != filepath.Dir(root) {
			if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
				break
			}
			root = filepath.Dir(root)
		}
		dir = filepath.Join(root, "..", "shared")
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("no folder %s with Apache's message files and vectors", dir)
	}
	return dir
}

func shared(t *testing.T, name string) []byte {
	text, err := os.ReadFile(filepath.Join(sharedDir(t), name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}
