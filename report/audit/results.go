package audit

import (
	"encoding/json"
	"net/netip"

	"ksniff/reassembly"
)

// Results collects findings for the formats that need all of them at once.
type Results struct {
	Tool     string   // version of ksniff
	Sources  []string // captures
	Starts   []uint64 // how many packets were read before each of them; fewer where not all were reached
	Broken   error    // why the input could not be read to its end
	Findings []Line
	Groups   []*Group
	Omitted  int64 // findings that are neither listed nor in a group
	Summary  Summary
	Judged   func(*Rule) (judged bool, why string) // see Audit.Judged
}

// maxLines bounds what is collected.
const maxLines = 20_000

// Add takes a finding.
func (r *Results) Add(f *Finding) {
	if len(r.Findings) >= maxLines {
		return
	}
	if l, err := f.Line(); err == nil {
		r.Findings = append(r.Findings, l)
	}
}

// Close takes what the audit knows at its end.
func (r *Results) Close(a *Audit) {
	r.Groups, r.Omitted = a.Groups()
	r.Summary = a.Summary()
	r.Judged = a.Judged
}

// Unlisted is how many findings were counted only.
func (r *Results) Unlisted() int64 {
	n := r.Omitted - int64(len(r.Findings))
	for _, g := range r.Groups {
		n += g.Count
	}
	return n
}

// Source is the capture that a packet is of, "" where there is none.
func (r *Results) Source(packet uint64) string {
	at := 0
	for i, before := range r.Starts {
		if before < packet {
			at = i
		}
	}
	if at >= len(r.Sources) {
		return ""
	}
	return r.Sources[at]
}

// Judged says whether a rule was judged anywhere and, where it was not, why.
func (a *Audit) Judged(r *Rule) (judged bool, why string) {
	n, u := a.judged(r)
	switch {
	case !a.wanted[r.index]:
		return false, "not asked for"
	case n > 0:
		return true, ""
	case len(u.Reasons) > 0:
		return false, u.Reasons[0].Why
	}
	return false, "no traffic of the kind"
}

// UnmarshalLine reads a line of "audit -o json", for a baseline.
func UnmarshalLine(b []byte) (l Line, err error) {
	err = json.Unmarshal(b, &l)
	return l, err
}

// Address is an endpoint's address without port.
func Address(addr [16]byte) string { return netip.AddrFrom16(addr).Unmap().String() }

// Endpoint is an endpoint with its port; IPv6 in brackets.
func Endpoint(e reassembly.Endpoint) string {
	return netip.AddrPortFrom(netip.AddrFrom16(e.Addr).Unmap(), e.Port).String()
}
