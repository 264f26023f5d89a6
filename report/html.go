package report

import (
	"bufio"
	"cmp"
	_ "embed"
	"html/template"
	"io"
	"strings"
)

// The page: one file, complete in itself. uPlot (html/uPlot.LICENSE) draws the charts.
var (
	//go:embed html/page.html
	pageHTML string
	//go:embed html/page.css
	pageCSS string
	//go:embed html/page.js
	pageJS string
	//go:embed html/uPlot.iife.min.js
	chartJS string
	//go:embed html/uPlot.LICENSE
	chartLicense string // goes with every page that has the code
	//go:embed html/uPlot.min.css
	chartCSS string

	pageTemplate = template.Must(template.New("page").Parse(pageHTML))
)

type htmlPage struct {
	Title, Completeness, Grade, Interval string
	Summary, Advice                      []string
	Shares                               []htmlShare
	Tiles                                []htmlTile
	Sheets                               []htmlSheet
	Series                               *htmlSeries
	CSS, ChartCSS                        template.CSS
	JS, ChartJS                          template.JS
}

type htmlShare struct {
	Class, Text string
	Grow        int64
}

type htmlTile struct {
	Name, Value, Note string
	Bad               bool
}

type htmlSheet struct {
	Title  string
	Note   string
	Groups []htmlGroup // over the heads; nil where there are none
	Heads  []htmlHead
	Rows   [][]htmlCell
}

type htmlGroup struct {
	Text string
	Span int
}

type htmlHead struct {
	Text  string
	Right bool
}

type htmlCell struct{ Text, Class string }

// HTML writes a page that works offline: for a Result charts over time where it has a series, its
// completeness, and the tables.
func HTML(w io.Writer, p Page) error {
	page := p.page()
	page.CSS, page.ChartCSS = template.CSS(pageCSS), template.CSS(chartCSS)
	page.JS, page.ChartJS = template.JS(pageJS), template.JS("/*!\n"+chartLicense+"*/\n"+chartJS)
	page.Sheets = htmlSheets(p)
	b := bufio.NewWriter(w)
	if err := pageTemplate.Execute(b, page); err != nil {
		return err
	}
	return b.Flush()
}

func (r *Result) page() htmlPage {
	summary := r.summary()
	page := htmlPage{
		Title: r.Capture.sources(), Summary: summary[:len(summary)-1], Completeness: r.Completeness(),
		Grade: r.grade(), Advice: r.Advice(), Shares: r.shares(), Tiles: r.tiles(),
	}
	if r.Series != nil {
		page.Series, page.Interval = htmlSeriesOf(r.Series), millis(r.Series.Seconds*1000)
	}
	return page
}

func (c *Comparison) page() htmlPage {
	return htmlPage{Title: "what changed", Summary: c.summary(), Advice: c.Advice()}
}

func (r *Result) grade() string {
	switch c := r.Ledger.Completeness; {
	case r.Ledger.clear() == 0:
		return "warn"
	case c >= 1:
		return ""
	case c > .95:
		return "warn"
	}
	return "bad"
}

// shares are the parts of the ledger's bar.
func (r *Result) shares() []htmlShare {
	l := &r.Ledger
	var list []htmlShare
	for _, s := range []struct {
		n          int64
		name, text string
	}{
		{l.Decoded, "decoded", "decoded"}, {l.Gap, "gap", "missing"}, {l.Undecodable, "undecodable", "undecodable"},
		{l.Skipped, "skipped", "skipped"}, {l.Pending, "pending", "not whole"}, {l.Encrypted, "encrypted", "encrypted"},
		{l.Foreign, "foreign", "not proved to be Kafka"},
	} {
		if s.n > 0 {
			list = append(list, htmlShare{s.name, size(float64(s.n)) + " " + s.text, s.n})
		}
	}
	return list
}

func (r *Result) tiles() []htmlTile {
	p, f := &r.Totals.Produce, &r.Totals.Fetch
	var errors int64
	var slow *API
	kinds := map[string]int64{}
	for i := range r.APIs {
		a := &r.APIs[i]
		for name, n := range a.Errors {
			errors += n
			kinds[name] += n
		}
		if a.Latency.Count > 0 && (slow == nil || a.Latency.P99 > slow.Latency.P99) {
			slow = a
		}
	}
	tiles := []htmlTile{
		{"Produced", size(float64(p.Bytes)), plural(p.Messages, "message") + ", " + cmp.Or(rateText(p.BytesPerSec, p.Bytes), "no rate"), false},
		{"Fetched", size(float64(f.Bytes)), plural(f.Messages, "message") + ", " + cmp.Or(rateText(f.BytesPerSec, f.Bytes), "no rate"), false},
		{"Requests", grouped(r.Frames.Requests), plural(int64(len(r.APIs)), "API") + ", " + plural(r.Connections.Total, "connection"), false},
		{"Errors", grouped(errors), firstOf(strings.Split(countsText(kinds), ", "), 1), errors > 0},
	}
	if slow != nil {
		tiles = append(tiles, htmlTile{"Slowest API, p99", millis(slow.Latency.P99), slow.label() + ", at most " + millis(slow.Latency.Max), false})
	}
	return tiles
}

func htmlSheets(p Page) []htmlSheet {
	var list []htmlSheet
	for _, s := range p.sheets() {
		s = s.page()
		h := htmlSheet{Title: s.title, Note: s.note}
		for _, c := range s.cols {
			h.Heads = append(h.Heads, htmlHead{c.head, c.right})
			if n := len(h.Groups); n > 0 && h.Groups[n-1].Text == c.group {
				h.Groups[n-1].Span++
			} else {
				h.Groups = append(h.Groups, htmlGroup{c.group, 1})
			}
		}
		if len(h.Groups) == 1 {
			h.Groups = nil
		}
		for _, row := range s.rows {
			cells := make([]htmlCell, len(row))
			for i, text := range row {
				cells[i] = htmlCell{text, s.class(i, text)}
			}
			h.Rows = append(h.Rows, cells)
		}
		list = append(list, h)
	}
	return list
}

func (s *sheet) class(i int, text string) string {
	c := s.cols[i]
	switch {
	case text == "":
		return ""
	case c.head == sparkHead:
		return "spark"
	case c.head == "ERRORS" && c.right:
		return "n bad"
	case c.head == "ERROR":
		return "bad"
	case c.right:
		return "n"
	case len(text) > 40 && i > 0:
		return "long"
	}
	return ""
}
