package main

import (
	"strings"
	"testing"
)

// Each command's help begins with examples, and shows them once.
func TestHelpBeginsWithExamples(t *testing.T) {
	for _, c := range rootCommand().Commands() {
		if c.Name() == "help" || c.Name() == "completion" {
			continue // cobra's own
		}
		if strings.Count(c.Example, "\n") < 1 {
			t.Errorf("%s has not two examples: %q", c.Name(), c.Example)
			continue
		}
		out, _ := ksniff(t, exitDone, c.Name(), "--help")
		if !strings.HasPrefix(out, c.Example) || strings.Count(out, c.Example) != 1 || !strings.Contains(out, "Usage:") {
			t.Errorf("%s --help:\n%s", c.Name(), out)
		}
	}
}
