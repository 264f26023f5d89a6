package report

import (
	"bytes"
	"encoding/csv"
	"flag"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"ksniff/decode"
	"ksniff/reassembly/session"
)

var update = flag.Bool("update", false, "write the golden files anew")

// hostile adds names that try to break out of an output.
func hostile(r *Report) {
	for i, name := range []string{"=1+1", "a|b", "<script>alert(1)</script>", "red\x1b[31m\u202e", "semi;colon,\"quote\"", "*_[x](y)"} {
		c := &session.Client{ID: name, Software: name, Addr: [16]byte{15: 2}}
		topic := &session.Topic{Name: name}
		r.Frame(frame(decode.Request, produceAPI, 9, int64(i)*100, request(c, 0, 1, topic), part(topic, 0, 1, int64(100-i), 1)))
	}
	r.Frame(frame(decode.Request, produceAPI, 13, 700, request(&session.Client{ID: "c"}, 0, 1), part(&session.Topic{ID: [16]byte{9}}, 0, 1, 5, 2)))
}

// What people see of a small capture, in every format. Numbers are checked elsewhere; this holds form.
func TestGolden(t *testing.T) {
	plain := Config{}
	for _, c := range []struct {
		file  string
		cfg   Config
		feed  func(*Report)
		write func(io.Writer, Page) error
	}{
		{"table.txt", plain, traffic, table(0, false)},
		{"table80.txt", plain, traffic, table(80, false)},
		{"table200.txt", plain, traffic, table(200, false)},
		{"color.txt", plain, traffic, table(100, true)},
		{"hostile.txt", plain, hostile, table(100, false)},
		{"hostile.csv", plain, hostile, CSV},
		{"hostile.md", plain, hostile, Markdown},
		{"hostile.json", plain, hostile, JSON},
		{"report.json", plain, traffic, JSON},
		{"report.csv", plain, traffic, CSV},
		{"report.md", plain, traffic, Markdown},
		{"by.txt", Config{By: []string{"topic", "partition", "error"}}, traffic, table(0, false)},
		{"by.csv", Config{By: []string{"client", "api"}, Sort: "requests"}, traffic, CSV},
		{"by.json", Config{By: []string{"topic", "error", "client"}, Top: 2}, traffic, JSON},
		{"interval.txt", Config{Interval: 100 * time.Millisecond}, traffic, table(0, false)},
		{"interval.csv", Config{Interval: 100 * time.Millisecond}, traffic, CSV},
		{"top.txt", Config{Top: 1, Sort: "name"}, traffic, table(0, false)},
	} {
		r := newReport(t, c.cfg)
		c.feed(r)
		golden(t, c.file, func(w io.Writer) error { return c.write(w, result(r)) })
	}
}

// No cell of any CSV begins as a formula does.
func TestNoFormulas(t *testing.T) {
	for _, cfg := range []Config{{}, {By: Dimensions}, {Interval: time.Second}} {
		r := newReport(t, cfg)
		traffic(r)
		hostile(r)
		var b bytes.Buffer
		if err := CSV(&b, result(r)); err != nil {
			t.Fatal(err)
		}
		lines, err := csv.NewReader(&b).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines {
			for _, cell := range line {
				if cell != "" && strings.ContainsRune("=+-@\t|%", rune(cell[0])) {
					t.Errorf("%+v: %q", cfg, cell)
				}
			}
		}
	}
}

func TestGoldenAgainst(t *testing.T) {
	before, after := newReport(t, Config{}), newReport(t, Config{})
	traffic(before)
	traffic(after)
	hostile(after)
	c := Against(result(before), result(after), 0)
	golden(t, "against.txt", func(w io.Writer) error { return Table(w, c, TableStyle{Width: 100}) })
	golden(t, "against.csv", func(w io.Writer) error { return CSV(w, c) })
	golden(t, "against.json", func(w io.Writer) error { return JSON(w, c) })
}

func table(width int, color bool) func(io.Writer, Page) error {
	return func(w io.Writer, p Page) error { return Table(w, p, TableStyle{Width: width, Color: color}) }
}

func golden(t *testing.T, file string, write func(io.Writer) error) {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	path := "testdata/" + file
	if *update {
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), want) {
		t.Errorf("%s differs (go test -update writes it anew):\n%s", file, b.Bytes())
	}
}
