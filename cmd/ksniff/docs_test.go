package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A fenced block that begins with ```console is a transcript: lines "$ command", each with what it
// prints below it. A line "…" stands for the rest of the output. The commands run in the root of the
// repository; -update writes what they print, as many lines as there were.
var transcript = regexp.MustCompile("(?s)```console\n(.*?)```")

// rest is the line that stands for output left out.
const rest = "…"

func TestDocumentsShowWhatTheProgramPrints(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(folder, "ksniff"), ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	files, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, filepath.Join(root, "README.md"))
	commands := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		changed := transcript.ReplaceAllFunc(text, func(block []byte) []byte {
			inner := transcript.FindSubmatch(block)[1]
			var out strings.Builder
			out.WriteString("```console\n")
			for _, part := range strings.Split("\n"+string(inner), "\n$ ")[1:] {
				command, want, _ := strings.Cut(part, "\n")
				want = strings.TrimRight(want, "\n")
				commands++
				got := want
				t.Run(fmt.Sprintf("%s/%s", filepath.Base(file), command), func(t *testing.T) {
					got = shortened(runInShell(t, root, folder, command), want)
					if got != want && !*update {
						t.Errorf("prints (go test -update writes it):\n%s\nthe document says:\n%s", got, want)
					}
				})
				fmt.Fprintf(&out, "$ %s\n%s\n", command, got)
			}
			return []byte(strings.TrimRight(out.String(), "\n") + "\n```")
		})
		if *update && !bytes.Equal(changed, text) {
			if err := os.WriteFile(file, changed, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if commands < 20 {
		t.Errorf("only %d commands in the documents", commands)
	}
}

// runInShell runs a command line as a reader would type it; its programs must be there.
func runInShell(t *testing.T, root, folder, command string) string {
	t.Helper()
	for _, program := range regexp.MustCompile(`(?:^|\| *)([a-z][a-z0-9]*)`).FindAllStringSubmatch(command, -1) {
		if program[1] == "ksniff" {
			continue
		}
		if _, err := exec.LookPath(program[1]); err != nil {
			t.Skipf("%s is not installed", program[1])
		}
	}
	shell := exec.Command("bash", "-c", command)
	shell.Dir = root
	width := "COLUMNS=100" // what a reader's terminal may have
	if strings.Contains(command, "|") {
		width = "COLUMNS="
	}
	shell.Env = append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"), "TZ=UTC", "NO_COLOR=1", width)
	out, err := shell.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !asExit(err, &exit) {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimRight(string(out), "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

func asExit(err error, exit **exec.ExitError) bool {
	found, ok := err.(*exec.ExitError)
	*exit = found
	return ok
}

// shortened cuts an output where the document cuts it: after as many lines as stand before a final "…".
func shortened(got, want string) string {
	wanted := strings.Split(want, "\n")
	if wanted[len(wanted)-1] != rest || len(wanted) == 1 {
		return got // a lone "…" is a new transcript: -update fills it
	}
	lines := strings.Split(got, "\n")
	if len(lines) < len(wanted) {
		return got
	}
	return strings.Join(append(lines[:len(wanted)-1:len(wanted)-1], rest), "\n")
}
