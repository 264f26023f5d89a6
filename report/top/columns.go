package top

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"ksniff/report"
)

// column is a column of the tables. Its value is what rows are sorted by.
type column struct {
	rate, total string // titles
	width       int
	wide        bool // only where there is room
	value       func(t Table, c *Counts) float64
	text        func(value float64) string
	mean        bool // no sum: the value is not divided by the seconds
	only        func(t Table) bool
}

const (
	nameColumn  = iota // its width is what the others leave
	trendColumn        // as the spark line is drawn: of bytes, requests or errors
	firstNumber
)

var columns = []column{
	nameColumn:  {},
	trendColumn: {rate: "trend", total: "trend", width: 8, value: weight},
	{rate: "in/s", total: "in", width: 7, text: report.Bytes, only: notErrors, value: func(_ Table, c *Counts) float64 { return float64(c.BytesIn) }},
	{rate: "out/s", total: "out", width: 7, text: report.Bytes, only: notErrors, value: func(_ Table, c *Counts) float64 { return float64(c.BytesOut) }},
	{rate: "msg/s", total: "msg", width: 6, text: number, only: records, value: func(_ Table, c *Counts) float64 { return float64(c.MessagesIn + c.MessagesOut) }},
	{rate: "req/s", total: "req", width: 6, text: number, only: notErrors, value: func(_ Table, c *Counts) float64 { return float64(c.Requests) }},
	{rate: "err/s", total: "err", width: 6, text: number, value: func(_ Table, c *Counts) float64 { return float64(c.Errors) }},
	{rate: "mean", total: "mean", width: 7, text: report.Millis, only: notErrors, mean: true, value: meanLatency},
	{rate: "slowest", total: "slowest", width: 7, text: report.Millis, only: notErrors, mean: true, wide: true, value: func(_ Table, c *Counts) float64 { return float64(c.Slowest) / 1e6 }},
}

func notErrors(t Table) bool { return t != Errors }
func records(t Table) bool   { return t != Errors && t != APIs }

// weight is what a table is about: requests, errors or, of the others, bytes.
func weight(t Table, c *Counts) float64 {
	switch t {
	case APIs:
		return float64(c.Requests)
	case Errors:
		return float64(c.Errors)
	}
	return float64(c.BytesIn + c.BytesOut)
}

func meanLatency(_ Table, c *Counts) float64 {
	if c.Answers == 0 {
		return 0
	}
	return float64(c.Latency) / float64(c.Answers) / 1e6
}

// wideFrom is the width at which all columns and a longer trend are shown.
const wideFrom = 110

// shortestName is where columns give way to the name.
const shortestName = 12

// shown gives the columns of a table at a width, and the width of name and trend.
func shown(t Table, width int) (list []int, name, trend int) {
	trend = columns[trendColumn].width
	if width >= wideFrom {
		trend = 30
	}
	name = width - 2 - trend // the mark of the cursor, and a space
	for i := firstNumber; i < len(columns); i++ {
		c := &columns[i]
		if c.only != nil && !c.only(t) || c.wide && width < wideFrom {
			continue
		}
		list = append(list, i)
		name -= c.width + 1
	}
	for len(list) > 0 && name < shortestName {
		name += columns[list[len(list)-1]].width + 1
		list = list[:len(list)-1]
	}
	return list, max(name, 1), trend
}

// arrange sorts rows by a column.
func arrange(rows []Row, t Table, by int, reverse, totals bool) {
	slices.SortStableFunc(rows, func(a, b Row) int {
		order := 0
		if by != nameColumn {
			value := columns[by].value
			order = cmp.Or(cmp.Compare(value(t, b.counts(totals)), value(t, a.counts(totals))),
				cmp.Compare(b.counts(totals).Requests, a.counts(totals).Requests), cmp.Compare(weight(t, &b.Total), weight(t, &a.Total)))
		}
		order = cmp.Or(order, natural(a.Name, b.Name))
		if reverse {
			return -order
		}
		return order
	})
}

// natural compares names so that partition 10 comes after partition 9.
func natural(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] && (a[i] < '0' || a[i] > '9') {
		i++
	}
	x, y := digits(a[i:]), digits(b[i:])
	if x > 0 && y > 0 && x != y {
		return cmp.Compare(x, y)
	}
	return strings.Compare(a, b)
}

func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

func (r *Row) counts(totals bool) *Counts {
	if totals {
		return &r.Total
	}
	return &r.Recent
}

// spark draws the last seconds in so many characters, each of one second or, once they no longer fit, of
// several: a dot is nothing, a full block the most of the row.
func spark(trend []float32, width int) string {
	per := max((len(trend)+width-1)/width, 1)
	sums := make([]float32, width)
	for i, v := range trend {
		sums[width-1-(len(trend)-1-i)/per] += v
	}
	if part := len(trend) % per; part > 0 { // the oldest has fewer seconds: draw its rate, not its sum
		sums[width-1-(len(trend)-1)/per] *= float32(per) / float32(part)
	}
	most := slices.Max(sums)
	begun := width - (len(trend)+per-1)/per
	var b strings.Builder
	for i, v := range sums {
		switch {
		case i < begun:
			b.WriteByte(' ') // before the capture
		case v == 0:
			b.WriteRune('·')
		default:
			b.WriteRune([]rune("▁▂▃▄▅▆▇█")[int(v/most*7.999)])
		}
	}
	return b.String()
}

// number writes a count or a rate: small rates with a tenth.
func number(v float64) string {
	if v < 10 && v != math.Trunc(v) {
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	if v < 1000 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return report.Short(v)
}
