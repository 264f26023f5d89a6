package audit

import (
	"cmp"
	"math"
	"slices"

	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

// Group adds up the findings of a rule about a client and an API.
type Group struct {
	Rule        *Rule
	Severity    Severity        // the highest that was reported
	Client      *session.Client // nil where unknown
	API         string
	Count       int64  // how often it was seen
	Message     string // of the first finding
	First, Last reassembly.Moment

	reported int
	ignored  bool
}

type groupKey struct {
	rule   *Rule
	client *session.Client
	api    string
}

type onceKey struct {
	rule    *Rule
	client  *session.Client
	conn    int
	api     string
	version int16
	broker  reassembly.Endpoint
}

// groups are all groups; those beyond maxGroups are one.
type groups struct {
	m    map[groupKey]*Group
	rest Group
}

// of gives the group of a finding.
func (g *groups) of(a *Audit, r *Rule, client *session.Client, api string) *Group {
	key := groupKey{r, client, api}
	if have := g.m[key]; have != nil {
		return have
	}
	if len(g.m) >= maxGroups {
		return &g.rest
	}
	if g.m == nil {
		g.m = map[groupKey]*Group{}
	}
	group := &Group{Rule: r, Client: client, API: api}
	group.ignored = a.cfg.Ignore != nil && a.cfg.Ignore(r, client, api)
	g.m[key] = group
	return group
}

// note counts one more.
func (g *Group) note(at reassembly.Moment) {
	if g.Count == 0 || at.Packet < g.First.Packet { // what a connection shows when it ends may be older than what came before
		g.First = at
	}
	g.Count++
	if at.Packet >= g.Last.Packet {
		g.Last = at
	}
}

// forget takes one back.
func (g *Group) forget() { g.Count-- }

// Groups gives what was reported, by severity, rule and first packet. Omitted counts what was seen
// beyond the bound on groups.
func (a *Audit) Groups() (all []*Group, omitted int64) {
	for _, g := range a.groups.m {
		if g.reported > 0 {
			all = append(all, g)
		}
	}
	slices.SortFunc(all, func(x, y *Group) int {
		return cmp.Or(cmp.Compare(y.Severity, x.Severity), cmp.Compare(x.Rule.ID, y.Rule.ID),
			cmp.Compare(x.First.Packet, y.First.Packet), cmp.Compare(x.API, y.API))
	})
	return all, a.groups.rest.Count
}

// Worst is the highest severity that was reported, 0 where there was none.
func (a *Audit) Worst() Severity {
	worst := Severity(0)
	for _, g := range a.groups.m {
		worst = max(worst, g.Severity)
	}
	return worst
}

// noTime is the time of a packet without one.
const noTime = math.MinInt64
