package escape

import (
	"encoding/csv"
	"strings"
	"testing"
	"unicode"
)

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"orders":           "orders",
		"été ✓ 日本":         "été ✓ 日本",
		"a\nb\tc\r":        `a\nb\tc\r`,
		"\x1b[2Jx\x00\x7f": `\x1b[2Jx\x00\x7f`,
		"\u009b31m":        `\x9b31m`,
		"a\xffb":           `a\xffb`,
		"abc\u202ecba":     `abc\u202ecba`,
		`say "x" \n`:       `say "x" \n`,
	} {
		if got := string(Text(nil, in)); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

func TestCSV(t *testing.T) {
	for in, want := range map[string]string{
		"orders":          "orders",
		"a,b":             `"a,b"`,
		`a"b`:             `"a""b"`,
		`""`:              `""""""`,
		"=1+1":            `"'=1+1"`,
		" =1+1":           `"' =1+1"`,
		"-1":              `"'-1"`,
		"@SUM(A1)":        `"'@SUM(A1)"`,
		"\t=1":            `\t=1`,
		"line\nbreak":     `line\nbreak`,
		`=HYPERLINK("x")`: `"'=HYPERLINK(""x"")"`,
		"＝1":              `"'＝1"`,
		"":                "",
	} {
		if got := string(CSV([]byte("x,"), in)); got != "x,"+want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

func FuzzEscape(f *testing.F) {
	for _, s := range []string{"", "orders", "\x1b]0;x\a", "=cmd|' /C calc'!A0", "\xff\xfe", "\u2028\u202e", `"\`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		cell := string(CSV(nil, s))
		rows, err := csv.NewReader(strings.NewReader(cell + ",end\n")).ReadAll()
		if err != nil || len(rows) != 1 || len(rows[0]) != 2 || rows[0][1] != "end" {
			t.Fatalf("CSV %q: %s → %q, %v", s, cell, rows, err)
		}
		if c := strings.TrimLeft(rows[0][0], " \u00a0\u3000"); c != "" && strings.ContainsRune("=+-@|%", rune(c[0])) {
			t.Fatalf("CSV %q is a formula: %s", s, cell)
		}
		for _, out := range []string{cell, string(Text(nil, s))} {
			if i := strings.IndexFunc(out, unicode.IsControl); i >= 0 {
				t.Fatalf("%q: a control character is left in %q", s, out)
			}
		}
	})
}

func TestNothingIsAllocated(t *testing.T) {
	dst := make([]byte, 0, 256)
	if n := testing.AllocsPerRun(100, func() {
		dst = CSV(Text(dst[:0], "a\x1bé\xff"), `=a"b`)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
