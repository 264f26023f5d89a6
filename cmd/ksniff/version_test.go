package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestVersionNamesTheRanges(t *testing.T) {
	out, _ := ksniff(t, exitDone, "--version")
	// Apache's classes of 2.8, 3.9 and 4.4 declare 736 layouts of 95 APIs (API key, direction, version).
	for _, want := range []string{"0.8 to 4.4", "95 API keys", "736 layouts", "0.6 and 0.7"} {
		if !strings.Contains(out, want) {
			t.Errorf("--version does not say %q:\n%s", want, out)
		}
	}
}

func TestManPagesAndCompletionsHaveAllCommands(t *testing.T) {
	folder := t.TempDir()
	ksniff(t, exitDone, "man", folder)
	for _, command := range []string{"report", "frames", "audit", "decode", "explain", "who", "mask", "serve"} {
		page, err := os.ReadFile(filepath.Join(folder, "ksniff-"+command+".1"))
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.Contains(string(page), "EXAMPLE") {
			t.Errorf("the page of %s has no examples", command)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if script, _ := ksniff(t, exitDone, "completion", shell); !strings.Contains(script, "ksniff") || len(script) < 1000 {
			t.Errorf("the completion of %s has %d bytes", shell, len(script))
		}
	}
}

// -D is a flag of every command that captures, and needs no capture to read.
func TestInterfacesAreListedByEveryCommand(t *testing.T) {
	for _, args := range [][]string{{"-D"}, {"report", "-D"}, {"frames", "-D"}, {"top", "-D"}, {"audit", "-D"}} {
		if out, _ := ksniff(t, exitDone, args...); !strings.Contains(out, "any ") {
			t.Errorf("%v prints %q", args, out)
		}
	}
}
