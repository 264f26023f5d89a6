package main

import (
	"fmt"
	"io"
	"strings"

	"ksniff/decode/schema"
)

// apiFacts is what explain says of an API in JSON.
type apiFacts struct {
	Kind            string       `json:"kind"`
	Key             int16        `json:"key"`
	Name            string       `json:"name"`
	Versions        string       `json:"versions"`
	Flexible        string       `json:"flexible_versions"`
	Removed         string       `json:"removed_versions"` // that the newest release no longer has
	Unstable        *int16       `json:"unstable_version,omitempty"`
	Listeners       []string     `json:"listeners"`
	RequestHeaders  []int16      `json:"request_header_versions,omitempty"` // by version, from the first
	ResponseHeaders []int16      `json:"response_header_versions,omitempty"`
	History         []change     `json:"history,omitempty"`
	Request         []fieldFacts `json:"request,omitempty"`
	Response        []fieldFacts `json:"response,omitempty"`
}

func allAPIs() article {
	var all []apiFacts
	var rows [][]string
	for _, a := range schema.APIs {
		all = append(all, basics(a))
		since := ""
		if len(a.History) > 0 {
			since = a.History[0].Release
		}
		rows = append(rows, []string{fmt.Sprint(a.Key), a.Name, ranges(a.Versions()), orDash(ranges(a.Request.Flexible)), orDash(ranges(a.Removed)),
			orDash(since), strings.Join(a.Listeners, ", ")})
	}
	return article{all, func(w io.Writer) {
		columns(w, rows, "KEY", "API", "VERSIONS", "FLEXIBLE", "REMOVED", "SINCE", "LISTENERS")
	}}
}

func basics(a *schema.API) apiFacts {
	f := apiFacts{Kind: "api", Key: a.Key, Name: a.Name, Versions: ranges(a.Versions()), Flexible: ranges(a.Request.Flexible),
		Removed: ranges(a.Removed), Listeners: a.Listeners}
	if a.Unstable >= 0 {
		f.Unstable = &a.Unstable
	}
	return f
}

// apiArticle describes an API over all its versions; asked is what the user called it.
func apiArticle(a *schema.API, asked string) article {
	f := basics(a)
	for v := a.Versions().Min; v <= a.Versions().Max; v++ {
		f.RequestHeaders = append(f.RequestHeaders, a.RequestHeaderVersion(v))
		f.ResponseHeaders = append(f.ResponseHeaders, a.ResponseHeaderVersion(v))
	}
	f.History = history(a)
	f.Request, f.Response = facts(a, a.Request.Fields), facts(a, a.Response.Fields)
	return article{f, func(w io.Writer) {
		fmt.Fprintf(w, "%s, API key %d\n\n", a.Name, a.Key)
		rows := [][]string{{"versions", f.Versions}}
		if !a.Removed.Empty() {
			rows = append(rows, []string{"removed", f.Removed + " (present brokers refuse them)"})
		}
		if a.Unstable >= 0 {
			rows = append(rows, []string{"unstable", fmt.Sprintf("%d (its form may still change)", a.Unstable)})
		}
		columns(w, append(rows, []string{"flexible", orDash(f.Flexible)}, []string{"headers", headers(a)},
			[]string{"listeners", strings.Join(a.Listeners, ", ")}))
		fmt.Fprintln(w)
		columns(w, historyRows(f.History), "VERSION", "SINCE", "KIP", "WHAT CHANGES")
		for _, m := range []*schema.Message{a.Request, a.Response} {
			fmt.Fprintf(w, "\n%s\n", m.Name)
			fieldTable(w, facts(a, m.Fields))
			if m.Early != nil {
				fmt.Fprintf(w, "\n%s %s in its early-access form\n", m.Name, ranges(m.Early.Valid))
				fieldTable(w, facts(nil, m.Early.Fields))
			}
		}
		if l := findLegacy(a.Name); l != nil {
			fmt.Fprintf(w, "\nKafka 0.6 and 0.7 have another %s: ksniff explain legacy %s.\n", l.Name, asked)
		}
		if e := schema.LookupError(a.Key); e != nil && strings.Trim(asked, "0123456789") == "" {
			fmt.Fprintf(w, "\nThe error code %d is %s: ksniff explain error %d.\n", e.Code, e.Name, e.Code)
		}
	}}
}

// headers says which header versions go before which API versions.
func headers(a *schema.API) string {
	run := func(of func(int16) int16) string {
		var parts []string
		for v := a.Versions().Min; v <= a.Versions().Max; v++ {
			if h := of(v); v == a.Versions().Min || h != of(v-1) {
				parts = append(parts, fmt.Sprintf("%d from %d", h, v))
			}
		}
		if len(parts) == 1 {
			return strings.Fields(parts[0])[0]
		}
		return strings.Join(parts, ", ")
	}
	return "request " + run(a.RequestHeaderVersion) + "; response " + run(a.ResponseHeaderVersion)
}
