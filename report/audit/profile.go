package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"ksniff/decode/schema"
	"ksniff/reassembly/session"
)

// Profile is a release that clients are to be ready for. What it no longer has, the message tables say
// (KIP-896: Removed), but for the APIs that this release still has.
type Profile struct {
	Name  string // kafka-4.0
	Title string
	Keeps []int16 // keys of which nothing is gone yet
	// Legacy is the profile of everything since 0.8: only 0.6 and 0.7 are gone.
	Legacy bool
}

// Profiles are the known ones.
var Profiles = []Profile{
	{Name: "kafka-4.0", Title: "Kafka 4.0", Keeps: []int16{76, 77, 78, 79}}, // early access of share groups ends with 4.1
	{Name: "kafka-4.1", Title: "Kafka 4.1"},
	{Name: "kafka-4.2", Title: "Kafka 4.2"},
	{Name: "kafka-4.3", Title: "Kafka 4.3"},
	{Name: "kafka-4.4", Title: "Kafka 4.4"},
	{Name: "legacy", Title: "Kafka 0.8 and newer", Legacy: true},
}

// ProfileNamed finds a profile, nil where there is none.
func ProfileNamed(name string) *Profile {
	for i := range Profiles {
		if Profiles[i].Name == name {
			return &Profiles[i]
		}
	}
	return nil
}

// gone says whether the profile's release lacks what is used.
func (p *Profile) gone(u *Use) bool {
	switch a := schema.Lookup(u.Key); {
	case u.Legacy:
		return true
	case p.Legacy || a == nil:
		return false
	case u.Format >= 0:
		return true // KIP-724: they come with versions of Produce that are gone
	default:
		return a.Removed.Has(u.Version) && !slices.Contains(p.Keeps, u.Key)
	}
}

// Verdict is what can be said about a client.
type Verdict string

// The verdicts. What a client used at the broker's most says nothing about what it could.
const (
	Ready    Verdict = "ready"
	ReadySo  Verdict = "ready so far" // a part of what it sent was missed
	NotReady Verdict = "not ready"
	NotShown Verdict = "not shown"
)

// Readiness is the verdict about a client.
type Readiness struct {
	Client   *session.Client
	Verdict  Verdict
	Requests int64
	APIs     []string // that it used, the grounds of the verdict with Seen
	Seen     Seen
	Gone     []Gone // what it uses that the release no longer has
}

// Gone is something that a client uses and the release lacks.
type Gone struct {
	What   string // Fetch, message format 1, PRODUCE
	Used   []int16
	Oldest int16  // version that the release has at least, -1 where the API is gone
	Since  string // the first release of Kafka whose clients have that version; "" unknown
	Count  int64
	Packet uint64
	// Forced: the client asks which versions a broker has, and it was the newest that the brokers had.
	Forced bool
}

// Readiness gives the verdict about each client. Config.Usage must be set.
func (a *Audit) Readiness(p *Profile) []Readiness {
	var all []Readiness
	uses := a.Uses()
	asking := map[*session.Client]bool{}
	for _, u := range uses {
		if !u.Legacy && u.Key == keyApiVersions {
			asking[u.Client] = true
		}
	}
	for _, u := range uses {
		n := len(all) - 1
		if n < 0 || all[n].Client != u.Client {
			r := Readiness{Client: u.Client, Verdict: Ready}
			if s := a.usage.seen.get(u.Client); s != nil {
				r.Seen = *s
			}
			if !r.Seen.Whole() {
				r.Verdict = ReadySo
			}
			all = append(all, r)
			n++
		}
		r := &all[n]
		if u.Format < 0 {
			r.Requests += u.Count
			if api := u.API(); !slices.Contains(r.APIs, api) {
				r.APIs = append(r.APIs, api)
			}
		}
		if p.gone(u) {
			forced := asking[u.Client] && a.most(u)
			r.add(u, forced)
			if r.Verdict != NotReady {
				r.Verdict = NotShown
			}
			if !forced {
				r.Verdict = NotReady
			}
		}
	}
	slices.SortStableFunc(all, func(x, y Readiness) int {
		return cmp.Or(
			cmp.Compare(x.Verdict.rank(), y.Verdict.rank()), cmp.Compare(x.Client.ID, y.Client.ID))
	})
	return all
}

// most says that the broker has no newer version of the API than the one that was used.
func (a *Audit) most(u *Use) bool {
	b := a.brokers.get(u.Broker)
	if u.Legacy || b == nil {
		return false
	}
	offered, told := b.Offer.Versions(u.Key)
	return told && !offered.Empty() && u.Version >= offered.Max
}

// rank orders verdicts: what there is to do comes first.
func (v Verdict) rank() int { return slices.Index([]Verdict{NotReady, NotShown, ReadySo, Ready}, v) }

// add notes something that is gone; brokers and versions of one API are one.
func (r *Readiness) add(u *Use, forced bool) {
	g := Gone{What: u.API(), Oldest: -1, Packet: u.Packet, Forced: true}
	if u.Format >= 0 {
		g.What = "message format " + strconv.Itoa(int(u.Format))
	} else if a := schema.Lookup(u.Key); !u.Legacy && a != nil && a.Removed.Max < a.Versions().Max {
		g.Oldest = a.Removed.Max + 1
		for _, change := range a.History {
			if change.Version == g.Oldest {
				g.Since = change.Release
			}
		}
	}
	i := slices.IndexFunc(r.Gone, func(have Gone) bool { return have.What == g.What })
	if i < 0 {
		r.Gone = append(r.Gone, g)
		i = len(r.Gone) - 1
	}
	have := &r.Gone[i]
	have.Count += u.Count
	have.Packet = min(have.Packet, u.Packet)
	have.Forced = have.Forced && forced
	if u.Format < 0 && !u.Legacy && !slices.Contains(have.Used, u.Version) {
		have.Used = append(have.Used, u.Version)
	}
}

// Needs says what the client must do, for people.
func (g Gone) Needs() string {
	switch {
	case g.Forced:
		return g.needs() + "; it may have that: the broker has nothing newer than what was used"
	default:
		return g.needs()
	}
}

func (g Gone) needs() string {
	switch {
	case g.Oldest >= 0 && g.Since != "":
		return fmt.Sprintf("%s %d or newer (Kafka %s)", g.What, g.Oldest, g.Since)
	case g.Oldest >= 0:
		return fmt.Sprintf("%s %d or newer", g.What, g.Oldest)
	case g.Used == nil && len(g.What) > 7 && g.What[:7] == "message":
		return "message format 2 (Kafka 0.11)"
	case g.Used == nil:
		return "a client of Kafka 0.8 or newer"
	}
	return "a cluster without ZooKeeper: the API is gone"
}
