// Package top shows in a terminal what a capture is about right now: topics, partitions, clients, APIs,
// errors and groups by rate. A Tally adds up on the goroutine that captures; a Model shows it.
package top

import (
	"maps"
	"math"
	"net/netip"
	"sync"

	"ksniff/reassembly"
	"ksniff/reassembly/session"
	"ksniff/report"
	"ksniff/report/filter"
)

// Table is one of the tables that are shown.
type Table uint8

// The tables, in the order of their keys.
const (
	Topics Table = iota
	Partitions
	Clients
	APIs
	Errors
	Groups
	tables
)

// Within says what the rows of a table are part of.
type Within uint8

// All of the capture, or one topic or client of it.
const (
	All Within = iota
	InTopic
	InClient
)

// key is the place of a cell. Names are those that are shown.
type key struct {
	table     Table
	within    Within
	partition int32
	of, name  string
}

// cellCost is a cell and its place in the map, bytes.
const cellCost = 1024

// Tally is a session.Sink that keeps sums per second of capture time. It may be read by other
// goroutines while it counts.
type Tally struct {
	mu       sync.Mutex
	memory   int64
	follow   *report.Follower
	cells    map[key]*cell
	most     int
	swept    int64 // second of the last sweep
	full     bool  // something was left out or forgotten since
	first    int64 // first second of capture time
	now      int64 // second that is open
	clients  map[*session.Client]string
	unnamed  map[[16]byte]unnamed
	overflow *session.Topic
	match    *filter.Filter
	frame    filter.Frame
	status   Status
	frozen   *Tally // what is shown while paused
	rewind   func() // reads the captures again, nil where that is not possible
}

const noTime = math.MinInt64

// New makes an empty Tally that takes about so many bytes.
func New(memory int64) *Tally {
	t := &Tally{memory: memory, most: max(int(memory/cellCost), 64)}
	t.Rewound()
	return t
}

func (t *Tally) clear() {
	t.cells, t.full, t.first, t.now = map[key]*cell{}, false, noTime, noTime
}

// Names says how to find the name of a topic by its id in a filter; see filter.Frame.
func (t *Tally) Names(find func(id [16]byte) string) { t.frame.Names = find }

// Advance says that capture time, in ns, has come so far though no frame may have.
func (t *Tally) Advance(ns int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.advance(ns)
}

func (t *Tally) advance(ns int64) {
	if ns == noTime || ns < 0 {
		return
	}
	second := ns / 1e9
	if t.now == noTime {
		t.first, t.now = second, second
	}
	if second > t.now {
		t.now = second
		t.rename()
	}
}

// Frame adds a frame.
func (t *Tally) Frame(f *session.Frame) {
	t.mu.Lock()
	defer t.mu.Unlock()
	facts, group := t.follow.Frame(f), t.follow.Group(f)
	t.advance(f.Last.Time)
	if t.now == noTime { // of a capture without times there are only sums
		t.first, t.now = 0, 0
	}
	if t.match != nil {
		t.frame.Set(f)
		if !t.match.Match(&t.frame) {
			return
		}
	}
	if f.Token || f.Key < 0 {
		return
	}
	x := entry{t: t, f: f, facts: facts, api: report.APIName(f), group: group}
	if x.api == "" {
		x.api = "unknown"
	}
	client := f.Client
	if client == nil && f.Request != nil {
		client = f.Request.Client
	}
	x.client = t.client(client)
	x.whole()
	x.topics()
	x.parts()
}

// Unanswered forgets a request that got no response.
func (t *Tally) Unanswered(_ *reassembly.Conn, q *session.Request, _ session.Why) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.follow.Unanswered(q)
}

// client is how a client is shown: its id and address.
func (t *Tally) client(c *session.Client) string {
	if c == nil {
		return ""
	}
	name, known := t.clients[c]
	if !known {
		if len(t.clients) >= t.most {
			clear(t.clients)
		}
		name = c.ID + " " + netip.AddrFrom16(c.Addr).Unmap().String()
		t.clients[c] = name
	}
	return name
}

func (t *Tally) add(k key, d *Counts, weight float32) {
	if k.name == "" { // no client is known, or no group
		return
	}
	c := t.cells[k]
	if c == nil {
		if len(t.cells) >= t.most {
			t.full = true
			if t.sweep(); len(t.cells) >= t.most {
				return
			}
		}
		c = &cell{at: t.now}
		t.cells[k] = c
	}
	c.add(t.now, d, weight)
}

// sweep forgets what was silent for as long as a trend tells.
func (t *Tally) sweep() {
	if t.swept == t.now {
		return
	}
	t.swept = t.now
	maps.DeleteFunc(t.cells, func(_ key, c *cell) bool { return c.at < t.now-Trend })
}
