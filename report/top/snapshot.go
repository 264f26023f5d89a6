package top

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"ksniff/reassembly/session"
	"ksniff/report"
	"ksniff/report/filter"
)

// Query asks for one table, of all or within a topic or client.
type Query struct {
	Table  Table
	Within Within
	Of     string // name of the topic or client, as rows have it
}

// Row is one line of a table.
type Row struct {
	Name   string // as it is on the wire: to be escaped before it is shown
	Topic  string // of a partition
	Recent Counts // of the last Snapshot.Seconds
	Total  Counts
	Trend  []float32 // per second, the oldest first
}

// Status is how the capture goes.
type Status struct {
	Source       string
	Live         bool
	Packets      int64
	Dropped      int64 // packets that the kernel dropped, as far as known
	Strained     int64 // packets that were counted without looking into record sets, for lack of time
	Gap          int64 // bytes that the capture lacks
	GivenUp      int64 // things that were given up for the bound on memory
	Completeness float64
	Ended        bool
	Trouble      string // why it ended, where that was no good end
}

// Snapshot is a table at one moment.
type Snapshot struct {
	Query   Query
	Status  Status
	Now     int64 // capture time in seconds since 1970, 0 where it is not known
	Elapsed int64 // seconds of capture time since the first frame
	Seconds int64 // whole seconds that Recent is about, 0 in the first
	Rows    []Row // by name
	All     Counts
	Full    bool // the bound on memory left rows out, or forgot silent ones
}

// Source is what a Model shows. A Tally is one.
type Source interface {
	// Snapshot gives a table.
	Snapshot(Query) Snapshot
	// Filter counts from nothing again, and only frames that match; nil is all of them. It says
	// whether what was read before is read again.
	Filter(*filter.Filter) (again bool)
	// Pause keeps what Snapshot gives as it is, or no longer.
	Pause(bool)
}

// Tell says how the capture goes.
func (t *Tally) Tell(s Status) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.status = s
}

// Snapshot implements Source.
func (t *Tally) Snapshot(q Query) Snapshot {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.frozen != nil {
		s := t.frozen.snapshot(q)
		s.Status = t.status // losses go on
		return s
	}
	return t.snapshot(q)
}

func (t *Tally) snapshot(q Query) Snapshot {
	s := Snapshot{Query: q, Status: t.status, Full: t.full}
	if t.now == noTime {
		return s
	}
	s.Now, s.Elapsed = t.now, t.now-t.first
	s.Seconds = min(s.Elapsed, Window)
	trend := min(s.Elapsed, Trend)
	for k, c := range t.cells {
		if k.within == All && k.table == Topics {
			sum := c.window(t.now, s.Seconds)
			s.All.add(&sum)
		}
		if k.table != q.Table || k.within != q.Within || k.of != q.Of {
			continue
		}
		row := Row{Name: k.name, Recent: c.window(t.now, s.Seconds), Total: c.total, Trend: c.line(t.now, trend)}
		if k.table == Partitions {
			row.Topic = k.name
			row.Name = k.name + " " + strconv.Itoa(int(k.partition))
		}
		s.Rows = append(s.Rows, row)
	}
	slices.SortFunc(s.Rows, func(a, b Row) int { return cmp.Compare(a.Name, b.Name) })
	return s
}

// Filter implements Source.
func (t *Tally) Filter(f *filter.Filter) (again bool) {
	t.mu.Lock()
	t.match = f
	t.frozen = nil
	t.clear()
	rewind := t.rewind
	t.mu.Unlock()
	if rewind != nil {
		rewind()
	}
	return rewind != nil
}

// OnFilter sets what reads the captures again from their beginning after a new filter.
func (t *Tally) OnFilter(rewind func()) { t.rewind = rewind }

// Rewound forgets all: the next frame is the first of the capture once more.
func (t *Tally) Rewound() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clear()
	t.follow, t.clients, t.unnamed = report.NewFollower(t.memory/8), map[*session.Client]string{}, map[[16]byte]unnamed{}
}

// Pause implements Source.
func (t *Tally) Pause(on bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.frozen = nil
	if on {
		frozen := &Tally{cells: maps.Clone(t.cells), full: t.full, first: t.first, now: t.now}
		for k, c := range frozen.cells {
			same := *c
			frozen.cells[k] = &same
		}
		t.frozen = frozen
	}
}

// Paused says whether what is shown stands still.
func (t *Tally) Paused() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.frozen != nil
}

var _ Source = (*Tally)(nil)
