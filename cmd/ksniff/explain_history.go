package main

import (
	"fmt"
	"strings"

	"ksniff/decode/schema"
)

// change is what a version brought.
type change struct {
	Version int16    `json:"version"`
	Release string   `json:"since,omitempty"` // Kafka release
	KIPs    []string `json:"kips,omitempty"`
	Note    string   `json:"note,omitempty"`
	Changes []string `json:"changes,omitempty"`
}

func history(a *schema.API) []change {
	var out []change
	known := map[int16]schema.Change{}
	for _, c := range a.History {
		known[c.Version] = c
	}
	for v := a.Versions().Min; v <= a.Versions().Max; v++ {
		k := known[v]
		c := change{Version: v, Release: k.Release, Note: k.Note}
		if k.KIP != "" {
			c.KIPs = strings.Fields(k.KIP)
		}
		if v > a.Versions().Min {
			c.Changes = append(changes("request", a.Request, v), changes("response", a.Response, v)...)
			if a.Request.Flexible.Min == v && !a.Request.Flexible.Empty() {
				c.Changes = append([]string{"flexible"}, c.Changes...)
			}
		}
		out = append(out, c)
	}
	return out
}

func historyRows(changes []change) [][]string {
	var rows [][]string
	for _, c := range changes {
		what := strings.Join(c.Changes, "; ")
		if c.Note != "" && what != "" {
			what = c.Note + "; " + what
		} else if what == "" {
			what = c.Note
		}
		rows = append(rows, []string{fmt.Sprint(c.Version), orDash(c.Release), orDash(strings.Join(c.KIPs, " ")), what})
	}
	return rows
}

// changes says what version v of a message has that the one before lacks, and the other way round.
func changes(kind string, m *schema.Message, v int16) (out []string) {
	var added, gone, nullable []string
	var walk func(fields []schema.Field, path string)
	walk = func(fields []schema.Field, path string) {
		for _, f := range fields {
			now, before := f.Versions.Has(v), f.Versions.Has(v-1)
			switch {
			case now && !before:
				added = append(added, path+f.Name)
			case before && !now:
				gone = append(gone, path+f.Name)
			case now && f.Nullable.Has(v) && !f.Nullable.Has(v-1):
				nullable = append(nullable, path+f.Name)
			}
			if now && before {
				walk(f.Fields, path+f.Name+".")
			}
		}
	}
	walk(m.Fields, "")
	for _, c := range []struct {
		sign  string
		names []string
	}{{"+", added}, {"-", gone}} {
		for _, n := range c.names {
			out = append(out, c.sign+n)
		}
	}
	for _, n := range nullable {
		out = append(out, n+" may be null")
	}
	if len(out) == 0 {
		return nil
	}
	return []string{kind + " " + strings.Join(out, ", ")}
}
