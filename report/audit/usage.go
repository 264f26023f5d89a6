package audit

import (
	"cmp"
	"slices"

	"ksniff/decode/schema"
	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

// usage counts which client uses which version of which API at which broker.
type usage struct {
	m    map[useKey]*Use
	seen bounded[*session.Client, Seen]
	lost int64 // requests beyond maxUses
}

const maxUses = 50_000

type useKey struct {
	client  *session.Client
	broker  reassembly.Endpoint
	legacy  bool
	key     int16
	version int16
	format  int8 // message format written, -1: this counts requests
}

// Use is a version of an API, or a message format, that a client uses at a broker.
type Use struct {
	Client  *session.Client
	Broker  reassembly.Endpoint
	Legacy  bool
	Key     int16
	Version int16
	Format  int8   // message format that was written with it, -1 where the Use counts requests
	Count   int64  // requests or batches
	Packet  uint64 // first one
}

// Seen is how much of a client was seen: the grounds of a verdict about it.
type Seen struct {
	Connections int
	Begun       int   // of these, captured from their beginning
	Gaps        bool  // bytes are missing on one of them, beside those from before the capture
	Unread      int64 // requests that could not be read, or of an API that ksniff does not know
}

// Whole says that nothing that the client sent on its connections was missed, as far as the capture can tell.
func (s Seen) Whole() bool { return s.Begun == s.Connections && !s.Gaps && s.Unread == 0 }

// request counts a request.
func (u *usage) request(c *Ctx, readable bool) {
	f := c.Frame
	if f.Client == nil {
		return
	}
	s := u.seen.at(f.Client, maxUses)
	if c.Conn.user != f.Client {
		c.Conn.user = f.Client
		s.Connections++
		if c.guards&Start != 0 {
			s.Begun++
		}
	}
	s.Gaps = s.Gaps || c.Conn.torn
	if known := f.API != nil || f.Generation == session.Legacy; !readable || !known {
		s.Unread++
		if !known {
			return
		}
	}
	u.count(c, -1)
}

func (u *usage) count(c *Ctx, format int8) {
	f := c.Frame
	if f.Client == nil {
		return
	}
	key := useKey{client: f.Client, legacy: f.Generation == session.Legacy, key: f.Key, version: f.Version, format: format}
	if c.Conn.Broker != nil {
		key.broker = c.Conn.Broker.End
	}
	use := u.m[key]
	if use == nil {
		if len(u.m) >= maxUses {
			u.lost++
			return
		}
		if u.m == nil {
			u.m = map[useKey]*Use{}
		}
		use = &Use{key.client, key.broker, key.legacy, key.key, key.version, key.format, 0, f.Last.Packet}
		u.m[key] = use
	}
	use.Count++
}

// Uses gives what was used, by client, broker, API and version. Config.Usage asks for it.
func (a *Audit) Uses() []*Use {
	var all []*Use
	for _, u := range a.usage.m {
		all = append(all, u)
	}
	slices.SortFunc(all, func(x, y *Use) int {
		return cmp.Or(cmp.Compare(x.Client.ID, y.Client.ID), slices.Compare(x.Client.Addr[:], y.Client.Addr[:]),
			slices.Compare(x.Broker.Addr[:], y.Broker.Addr[:]), cmp.Compare(x.Broker.Port, y.Broker.Port),
			cmp.Compare(x.Key, y.Key), cmp.Compare(x.Version, y.Version), cmp.Compare(x.Format, y.Format))
	})
	return all
}

// API is the name of the API or legacy request.
func (u *Use) API() string {
	if u.Legacy {
		return apiName(session.Legacy, u.Key)
	}
	return apiName(session.Modern, u.Key)
}

// Cell is a row of the matrix: the versions that a broker offers of an API, and those that a client uses.
type Cell struct {
	Broker    reassembly.Endpoint
	Client    *session.Client
	API       string
	Offered   schema.Versions
	Told      bool // the broker told what it offers
	Used      []int16
	Requests  int64
	Unoffered bool  // a version that is used is not offered
	CouldUse  int16 // the highest version that is offered, -1 where that is not known
}

// Matrix sets the versions that are offered against those that are used, per broker and client.
func (a *Audit) Matrix() []Cell {
	var cells []Cell
	for _, u := range a.Uses() {
		if u.Legacy || u.Format >= 0 {
			continue
		}
		n := len(cells) - 1
		if n < 0 || cells[n].Client != u.Client || cells[n].Broker != u.Broker || cells[n].API != u.API() {
			c := Cell{Broker: u.Broker, Client: u.Client, API: u.API(), Offered: schema.None, CouldUse: -1}
			if b := a.brokers.get(u.Broker); b != nil {
				if c.Offered, c.Told = b.Offer.Versions(u.Key); c.Told && !c.Offered.Empty() {
					c.CouldUse = c.Offered.Max
				}
			}
			cells = append(cells, c)
			n++
		}
		c := &cells[n]
		c.Used = append(c.Used, u.Version)
		c.Requests += u.Count
		c.Unoffered = c.Unoffered || c.Told && !c.Offered.Has(u.Version)
	}
	return cells
}
