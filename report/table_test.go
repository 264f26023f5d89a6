package report

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"

	"ksniff/decode"
	"ksniff/reassembly/session"
)

// Whatever the names, a table fits its terminal, and the most important columns are there.
func TestTableFits(t *testing.T) {
	for _, by := range [][]string{nil, {"topic", "partition"}, {"client", "topic", "error"}} {
		for _, length := range []int{1, 20, 100} {
			r := newReport(t, Config{By: by})
			for i := range 30 {
				name := fmt.Sprintf("%s-%d", strings.Repeat("名", length/2)+strings.Repeat("x", length/2), i)
				topic := &session.Topic{Name: name}
				q := request(&session.Client{ID: name, Software: name}, 0, int16(i%3-1), topic)
				r.Frame(frame(decode.Request, produceAPI, int16(i%14), 0, q, part(topic, 0, 1e5, 1e9, i%5)))
				r.Frame(frame(decode.Response, produceAPI, int16(i%14), 1234, q, session.Part{Topic: topic, Error: 6}))
			}
			for _, width := range []int{80, 100, 200} {
				var b bytes.Buffer
				if err := Table(&b, result(r), TableStyle{Width: width}); err != nil {
					t.Fatal(err)
				}
				for _, line := range strings.Split(b.String(), "\n") {
					if w := runewidth.StringWidth(line); w > width {
						t.Errorf("%v: %d of %d columns: %s", by, w, width, line)
					}
				}
				for _, must := range []string{"MESSAGES", "SIZE", "ERRORS", "P99", "100,000", "1.00 GB", "NOT_LEA"} {
					if !strings.Contains(b.String(), must) {
						t.Errorf("%v, %d columns: no %s:\n%s", by, width, must, b.String())
					}
				}
			}
		}
	}
}

// Names that begin alike stay apart where they are cut.
func TestCutNamesStayApart(t *testing.T) {
	for in, want := range map[string]string{
		"segmentio.none.produce": "segmen…oduce", "segmentio.none.consume": "segmen…nsume", "名名名名名名名名": "名名名…名名", "short": "short",
	} {
		got := in
		if runewidth.StringWidth(in) > 12 {
			got = shortened(in, 12, true)
		}
		if got != want || runewidth.StringWidth(got) > 12 {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

func TestUnits(t *testing.T) {
	for got, want := range map[string]string{
		grouped(0): "0", grouped(999): "999", grouped(1000): "1,000", grouped(-1234567): "-1,234,567",
		size(0): "0 B", size(999): "999 B", size(999.6): "1.00 kB", size(1200000): "1.20 MB", size(45.6e9): "45.6 GB", size(2e18): "2.00 EB",
		short(12): "12", short(1234): "1.23k", short(99949): "99.9k",
		millis(0): "0 ms", millis(.0123): "12.3 µs", millis(.9996): "1.00 ms", millis(1.5): "1.50 ms", millis(2300): "2.30 s", millis(90e3): "1m30s",
		percent(1): "100 %", percent(.99999): "> 99.99 %", percent(.5): "50 %", percent(.12345): "12.35 %", percent(.00001): "< 0.01 %", percent(0): "0 %",
		spark([]int64{0, 1, 8, 16}, 4): "·▁▄█", spark([]int64{1, 1, 1, 1, 1}, 2): "██", spark(nil, 4): "",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// What a report of 1,000 topics costs, once at the end.
func BenchmarkRender(b *testing.B) {
	r := newReport(b, Config{Auto: true})
	for i := range int64(1000) {
		topic := &session.Topic{Name: fmt.Sprint("topic-", i)}
		q := request(&session.Client{ID: fmt.Sprint(i)}, i, 1, topic)
		r.Frame(frame(decode.Request, produceAPI, 9, i, q, part(topic, 0, 1, i, 1)))
		r.Frame(frame(decode.Response, produceAPI, 9, i+i%50, q, session.Part{Topic: topic}))
	}
	b.Run("result", func(b *testing.B) {
		for b.Loop() {
			result(r)
		}
	})
	res := result(r)
	for name, write := range map[string]func(io.Writer, Page) error{"json": JSON, "csv": CSV, "md": Markdown, "html": HTML, "table": table(100, true)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := write(io.Discard, res); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// drawn is a table of topics with names and codecs so long that columns have no room, of reports sorted by a key.
func drawn(t *testing.T, cfg Config, style TableStyle) string {
	t.Helper()
	r := newReport(t, cfg)
	client := &session.Client{ID: "client"}
	for i := range 3 {
		topic := &session.Topic{Name: fmt.Sprintf("%s-%d", strings.Repeat("name", 15), i)}
		q := request(client, int64(i), 1, topic)
		r.Frame(frame(decode.Request, produceAPI, 9, 0, q, part(topic, 0, 1e5, 1e9, i)))
		r.Frame(frame(decode.Response, produceAPI, 9, 1234, q, session.Part{Topic: topic}))
	}
	var b bytes.Buffer
	if err := Table(&b, result(r), style); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// In a pipe nothing is cut, and what a report is about stays, however long names are; the rest is told.
func TestTableInAPipe(t *testing.T) {
	name := strings.Repeat("name", 15) + "-2"
	for _, c := range []struct {
		style     TableStyle
		must, not []string
	}{
		{TableStyle{}, []string{name + " ", "RATE", "P99", "Left out: PARTS, MSG/S, REQUESTS", "; --wide shows all."}, []string{"…", " PARTS ", "BATCHES  "}},
		{TableStyle{Width: 80, Whole: true}, []string{name + " ", "MESSAGES", "SIZE", "ERRORS", "RATE, "}, []string{"…", "  RATE"}},
		{TableStyle{Width: 80}, []string{"…", "- … stands for what has no room here", "MESSAGES", "ERRORS"}, []string{name}},
		{TableStyle{Width: 80, Wide: true}, []string{name + " ", " PARTS ", "BATCHES  ", "P95", "MAX"}, []string{"…", "Left out"}},
		{TableStyle{Width: 250}, []string{name + " ", " PARTS ", "BATCHES  ", "P95", "MAX"}, []string{"…", "Left out"}},
	} {
		out := drawn(t, Config{}, c.style)
		for _, must := range c.must {
			if !strings.Contains(out, must) {
				t.Errorf("%+v: no %q:\n%s", c.style, must, out)
			}
		}
		for _, not := range c.not {
			if strings.Contains(out, not) {
				t.Errorf("%+v: %q:\n%s", c.style, not, out)
			}
		}
	}
}

// What rows are sorted by is seen at 80 columns.
func TestTableShowsWhatItIsSortedBy(t *testing.T) {
	for key, head := range map[string]string{"latency": " P99", "requests": " REQUESTS", "bytes": " SIZE", "messages": " MESSAGES", "errors": " ERRORS"} {
		for _, by := range [][]string{nil, {"client", "topic"}, {"partition"}} {
			out := drawn(t, Config{Sort: key, By: by}, TableStyle{Width: 80})
			table, _, _ := strings.Cut(out[strings.Index(out, "\n\n")+2:], "\n\n")
			if heads := strings.Split(table, "\n")[2]; !strings.Contains(heads, head) {
				t.Errorf("--sort %s --by %v: no %s in\n%s", key, by, head, table)
			}
		}
	}
}

// A list that is what a table is for goes on in the next line, at its commas.
func TestListsGoOn(t *testing.T) {
	list := "Produce 8, Fetch 11, ListOffsets 5, Metadata 10, OffsetCommit 8, OffsetFetch 8"
	s := sheet{flows: "APIS AND VERSIONS", cols: []column{{"", "TOPIC", false, 0}, {"", "APIS AND VERSIONS", false, 0}, {"", "REQUESTS", true, 2}},
		rows: [][]string{{"orders", list, "13"}, {"other", "Fetch 4", "1"}}}
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	left, cut := s.draw(w, painter{}, TableStyle{Width: 60})
	w.Flush()
	want := `TOPIC   APIS AND VERSIONS                           REQUESTS
orders  Produce 8, Fetch 11, ListOffsets 5,               13
        Metadata 10, OffsetCommit 8, OffsetFetch 8
other   Fetch 4                                            1
`
	if got := b.String(); got != want || cut || len(left) > 0 {
		t.Errorf("%v %v\n%s", left, cut, got)
	}
}
