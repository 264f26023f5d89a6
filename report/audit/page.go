package audit

import (
	"fmt"
	"html/template"
	"io"
	"strconv"

	"ksniff/report/escape"
)

var auditPage = template.Must(template.New("audit").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>ksniff audit</title>
<style>
body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:75em;padding:0 1em;color:#222;background:#fff}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3em .6em;border-bottom:1px solid #ddd;vertical-align:top}
td.n{text-align:right;font-variant-numeric:tabular-nums}.error{color:#b00020;font-weight:600}.warning{color:#9a5b00;font-weight:600}.info{color:#356}
details{margin:.2em 0}small{color:#666}@media(prefers-color-scheme:dark){body{background:#16181c;color:#ddd}th,td{border-color:#333}.error{color:#ff6b7a}.warning{color:#e6a23c}.info{color:#8ab}}
</style>
<h1>ksniff audit</h1>
<p>{{range .Sources}}<code>{{.}}</code> {{end}}</p>
<p>{{.Judged}} of {{.Rules}} rules judged on {{.Frames}} frames, {{.Idle}} have no traffic here.</p>
{{if .Rows}}<table><tr><th>severity<th>rule<th>client<th>API<th>count<th>first packet<th>last packet<th>what</tr>
{{range .Rows}}<tr><td class="{{.Severity}}">{{.Severity}}<td><details><summary>{{.ID}}</summary><b>{{.Title}}</b><br>{{.Explain}}<br><small>{{.Source}}</small></details><td>{{.Client}}<td>{{.API}}<td class="n">{{.Count}}<td class="n">{{.First}}<td class="n">{{.Last}}<td>{{.Message}}</tr>
{{end}}</table>{{else}}<p>No findings.</p>{{end}}
{{if .Unjudged}}<h2>Not judged</h2><table><tr><th>rule<th>why</tr>{{range .Unjudged}}<tr><td>{{.ID}}<td>{{.Why}}</tr>{{end}}</table>{{end}}
</html>
`))

type pageRow struct {
	Severity, ID, Title, Explain, Source, Client, API, Message string
	Count                                                      int64
	First, Last                                                uint64
}

type pageUnjudged struct{ ID, Why string }

// HTML writes the results as one page that needs nothing else.
func HTML(w io.Writer, r *Results) error {
	page := struct {
		Sources             []string
		Judged, Rules, Idle int
		Frames              int64
		Rows                []pageRow
		Unjudged            []pageUnjudged
	}{Sources: r.Sources, Judged: r.Summary.Judged, Rules: r.Summary.Rules, Idle: r.Summary.Idle, Frames: r.Summary.Frames}
	for _, g := range r.Groups {
		page.Rows = append(page.Rows, pageRow{g.Severity.String(), g.Rule.ID, g.Rule.Title, g.Rule.Explain, g.Rule.Source,
			clean(g.ClientName()), g.API, clean(g.Message), g.Count, g.First.Packet, g.Last.Packet})
	}
	for _, u := range r.Summary.Unjudged {
		if u.All {
			page.Unjudged = append(page.Unjudged, pageUnjudged{u.Rule.ID, fmt.Sprintf("%s (%d)", u.Reasons[0].Why, u.Reasons[0].Count)})
		}
	}
	return auditPage.Execute(w, page)
}

// clean escapes control characters.
func clean(s string) string { return string(escape.Text(nil, s)) }

// CSVHead is the first line of CSV.
const CSVHead = "rule,severity,title,packet,time,connection,who,client_id,api,version,correlation_id,offset,field,message,evidence,once\r\n"

// AppendCSV appends a finding as a line of CSV.
func (l *Line) AppendCSV(dst []byte) []byte {
	text := func(s string) { dst = append(escape.CSV(dst, s), ',') }
	or := func(s *string) {
		if s != nil {
			text(*s)
		} else {
			dst = append(dst, ',')
		}
	}
	number := func(n int64, there bool) {
		if there {
			dst = strconv.AppendInt(dst, n, 10)
		}
		dst = append(dst, ',')
	}
	text(l.Rule)
	text(l.Severity)
	text(l.Title)
	number(int64(l.Packet), true)
	or(l.Time)
	number(int64(l.Connection), true)
	text(l.Who)
	or(l.ClientID)
	or(l.API)
	number(value(l.Version), l.Version != nil)
	number(value(l.Correlation), l.Correlation != nil)
	number(value(l.Offset), l.Offset != nil)
	text(l.Field)
	text(l.Message)
	text(string(l.Evidence))
	if l.Once != nil {
		dst = escape.CSV(dst, *l.Once)
	}
	return append(dst, "\r\n"...)
}

func value[T int | int16 | int32](p *T) int64 {
	if p == nil {
		return 0
	}
	return int64(*p)
}
