package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"ksniff/report/audit"
	"ksniff/report/escape"
)

// readinessWriter prepares the writing of a profile or of the matrix.
func (o *auditFlags) readinessWriter(w *auditWriter, out *bufio.Writer, width int, profile *audit.Profile) error {
	if o.format == "text" {
		o.format = "table"
	}
	if o.format != "table" && o.format != "json" && o.format != "csv" {
		return usage("-o %s: --profile and --matrix give table, json and csv", o.format)
	}
	w.close = func(p *pipeline, a *audit.Audit, _ error) {
		doc := readinessJSON{Schema: "ksniff.readiness.v1", Encrypted: p.session.Connections.TLS}
		if profile != nil {
			doc.Profile = &profile.Name
			doc.clients(a, profile)
			w.unready = doc.unready
		}
		if o.matrix || o.format == "json" {
			doc.matrix(a)
		}
		switch o.format {
		case "json":
			e := json.NewEncoder(out)
			e.SetEscapeHTML(false)
			e.SetIndent("", " ")
			w.err = e.Encode(doc)
		case "csv":
			doc.csv(out, profile != nil)
		default:
			doc.table(out, width, profile, o.matrix)
		}
	}
	return nil
}

// readinessJSON is the answer of --profile and --matrix.
type readinessJSON struct {
	Schema    string       `json:"schema"`
	Profile   *string      `json:"profile"`
	Encrypted int64        `json:"encrypted_connections"`
	Clients   []clientJSON `json:"clients"`
	Matrix    []matrixJSON `json:"matrix"`
	unready   int          // clients that are known to use what is gone, or may
	ready     int
	soFar     int
}

type clientJSON struct {
	ClientID string     `json:"client_id"`
	Address  string     `json:"address"`
	Software *string    `json:"software"`
	Ready    bool       `json:"ready"`
	Verdict  string     `json:"verdict"` // ready, ready so far, not ready, not shown
	Requests int64      `json:"requests"`
	Seen     seenJSON   `json:"seen"`
	Gone     []goneJSON `json:"gone"`
}

// seenJSON is on what grounds a verdict stands.
type seenJSON struct {
	APIs        []string `json:"apis"`
	Connections int      `json:"connections"`
	Begun       int      `json:"from_beginning"`
	Gaps        bool     `json:"gaps"`
	Unread      int64    `json:"unread_requests"`
	Whole       bool     `json:"whole"`
}

type goneJSON struct {
	What     string  `json:"what"`
	Versions []int16 `json:"versions"`
	Oldest   *int16  `json:"oldest"`
	Needs    string  `json:"needs"`
	Count    int64   `json:"count"`
	Packet   uint64  `json:"packet"`
	Forced   bool    `json:"newest_of_broker"`
}

type matrixJSON struct {
	Broker   string  `json:"broker"`
	ClientID string  `json:"client_id"`
	Address  string  `json:"address"`
	API      string  `json:"api"`
	Offered  []int16 `json:"offered"` // least and greatest; null where the broker did not tell
	Used     []int16 `json:"used"`
	Requests int64   `json:"requests"`
	OK       bool    `json:"ok"`
}

func (d *readinessJSON) clients(a *audit.Audit, profile *audit.Profile) {
	d.Clients = []clientJSON{}
	for _, r := range a.Readiness(profile) {
		c := clientJSON{ClientID: r.Client.ID, Address: audit.Address(r.Client.Addr), Ready: r.Verdict == audit.Ready, Verdict: string(r.Verdict),
			Requests: r.Requests, Gone: []goneJSON{}, Seen: seenJSON{append([]string{}, r.APIs...), r.Seen.Connections, r.Seen.Begun, r.Seen.Gaps, r.Seen.Unread, r.Seen.Whole()}}
		if r.Client.Software != "" {
			c.Software = &r.Client.Software
		}
		for _, g := range r.Gone {
			out := goneJSON{What: g.What, Versions: g.Used, Needs: g.Needs(), Count: g.Count, Packet: g.Packet, Forced: g.Forced}
			if out.Versions == nil {
				out.Versions = []int16{}
			}
			if g.Oldest >= 0 {
				out.Oldest = &g.Oldest
			}
			c.Gone = append(c.Gone, out)
		}
		switch r.Verdict {
		case audit.Ready:
			d.ready++
		case audit.ReadySo:
			d.soFar++
		default:
			d.unready++
		}
		d.Clients = append(d.Clients, c)
	}
}

func (d *readinessJSON) matrix(a *audit.Audit) {
	d.Matrix = []matrixJSON{}
	for _, cell := range a.Matrix() {
		m := matrixJSON{Broker: audit.Endpoint(cell.Broker), ClientID: cell.Client.ID, Address: audit.Address(cell.Client.Addr), API: cell.API,
			Used: cell.Used, Requests: cell.Requests, OK: !cell.Unoffered}
		if cell.Told && !cell.Offered.Empty() {
			m.Offered = []int16{cell.Offered.Min, cell.Offered.Max}
		}
		d.Matrix = append(d.Matrix, m)
	}
}

func versionsText(v []int16) string {
	var parts []string
	for _, n := range v {
		parts = append(parts, fmt.Sprint(n))
	}
	return strings.Join(parts, " ")
}

func (m *matrixJSON) offered() string {
	if m.Offered == nil {
		return "?"
	}
	return fmt.Sprintf("%d-%d", m.Offered[0], m.Offered[1])
}

// csv writes the clients or, without a profile, the matrix.
func (d *readinessJSON) csv(w io.Writer, clients bool) {
	row := func(cells ...string) {
		var b []byte
		for i, cell := range cells {
			if i > 0 {
				b = append(b, ',')
			}
			b = escape.CSV(b, cell)
		}
		w.Write(append(b, "\r\n"...))
	}
	if !clients {
		row("broker", "client_id", "address", "api", "offered", "used", "requests", "ok")
		for _, m := range d.Matrix {
			row(m.Broker, m.ClientID, m.Address, m.API, m.offered(), versionsText(m.Used), fmt.Sprint(m.Requests), fmt.Sprint(m.OK))
		}
		return
	}
	row("client_id", "address", "software", "ready", "requests", "what", "versions", "needs", "count", "packet", "verdict", "seen", "whole")
	for _, c := range d.Clients {
		software := ""
		if c.Software != nil {
			software = *c.Software
		}
		if len(c.Gone) == 0 {
			row(c.ClientID, c.Address, software, fmt.Sprint(c.Ready), fmt.Sprint(c.Requests), "", "", "", "", "", c.Verdict, strings.Join(c.Seen.APIs, " "), fmt.Sprint(c.Seen.Whole))
		}
		for _, g := range c.Gone {
			row(c.ClientID, c.Address, software, "false", fmt.Sprint(c.Requests), g.What, versionsText(g.Versions), g.Needs, fmt.Sprint(g.Count), fmt.Sprint(g.Packet),
				c.Verdict, strings.Join(c.Seen.APIs, " "), fmt.Sprint(c.Seen.Whole))
		}
	}
}
