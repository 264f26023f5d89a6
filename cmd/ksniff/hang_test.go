package main

import "testing"

// Lines break at blanks, below their last column; what a terminal has room for stays as it is.
func TestHung(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"short\n", "short\n"},
		{"  -w, --write  also write all packets to this file\n", "  -w, --write  also write\n               all packets\n               to this file\n"},
		{"one two three four five six seven eight\n", "one two three four five six\nseven eight\n"},
		{"  a indented by two, and too long for it\n", "  a indented by two, and too\n  long for it\n"},
		{"KEY  ä ö ü ä ö ü ä ö ü ä ö ü ä ö ü ä ö ü", "KEY  ä ö ü ä ö ü ä ö ü ä ö ü\n     ä ö ü ä ö ü"},
		{"one two    a-word-that-is-too-long b\n", "one two\n           a-word-that-is-too-long b\n"},
		{"no-blank-in-this-line-so-it-stays-as-it-is\n", "no-blank-in-this-line-so-it-stays-as-it-is\n"},
	} {
		if got := hung(c.in, 28); got != c.want {
			t.Errorf("%q:\n%s\nwant\n%s", c.in, got, c.want)
		}
		if got := hung(c.in, 0); got != c.in {
			t.Errorf("in a pipe %q", got)
		}
	}
}
