package top

import (
	"errors"
	"time"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"ksniff/report/filter"
)

// Model is what the terminal shows: a bubbletea model. Update is pure but for what its commands do.
type Model struct {
	source        Source
	query         Query
	snap          Snapshot
	width, height int
	cursor        int    // row
	top           int    // first row on the screen
	selected      string // name of the row at the cursor, which moves when others overtake it
	sort          [tables]int
	reverse       bool
	totals        bool
	ended         bool // the end of the capture was seen
	paused        bool
	help          bool
	asking        bool // the line of the filter is open
	line          textinput.Model
	filter        string
	message       string // shown in the last line until the next key, or for a while
	age           int    // ticks for which it has been shown
	from          []Query
}

const (
	refreshEvery = 500 * time.Millisecond // how often the view asks for a new snapshot
	messageTicks = 6                      // how many refreshments a message outlasts
)

type (
	tickMsg     time.Time
	snapshotMsg Snapshot
	filterMsg   bool // what was read before is read again
)

// NewModel makes a Model of a source; expression is the filter that it has already.
func NewModel(source Source, expression string) Model {
	m := Model{source: source, width: 80, height: 24, filter: expression, line: textinput.New()}
	m.line.Prompt = "/"
	for t := range m.sort {
		m.sort[t] = trendColumn
	}
	return m
}

// Init implements tea.Model.
func (m Model) Init() tea.Cmd { return tea.Batch(m.look(), tick()) }

func tick() tea.Cmd { return tea.Tick(refreshEvery, func(t time.Time) tea.Msg { return tickMsg(t) }) }

// look fetches the table that is asked for.
func (m Model) look() tea.Cmd {
	source, query := m.source, m.query
	return func() tea.Msg { return snapshotMsg(source.Snapshot(query)) }
}

// Update implements tea.Model.
func (m Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = max(msg.Width, 20), max(msg.Height, 6)
		m.follow()
	case tickMsg:
		if m.age++; m.age > messageTicks && !m.asking {
			m.message = ""
		}
		return m, tea.Batch(m.look(), tick())
	case snapshotMsg:
		if msg.Query == m.query { // else it is late
			m.take(Snapshot(msg))
		}
	case filterMsg:
		m.message = "counting from now on"
		if msg {
			m.message = "reading again from the beginning"
		}
		m.age = 0
		return m, m.look()
	case tea.KeyPressMsg:
		return m.key(msg)
	case tea.PasteMsg:
		if m.asking {
			return m.edit(msg)
		}
	}
	return m, nil
}

// take shows a new snapshot with the cursor on the same thing as before.
func (m *Model) take(s Snapshot) {
	if s.Status.Ended && !m.ended {
		m.totals = true // rates are over
	}
	m.ended = s.Status.Ended
	m.snap = s
	m.order()
}

func (m *Model) order() {
	arrange(m.snap.Rows, m.query.Table, m.sort[m.query.Table], m.reverse, m.totals)
	for i := range m.snap.Rows {
		if m.selected != "" && m.snap.Rows[i].Name == m.selected {
			m.cursor = i
		}
	}
	m.follow()
}

// follow keeps the cursor on a row, and the row on the screen.
func (m *Model) follow() {
	m.cursor = max(min(m.cursor, len(m.snap.Rows)-1), 0)
	rows := m.rows()
	if m.cursor < m.top {
		m.top = m.cursor
	}
	if m.cursor >= m.top+rows {
		m.top = m.cursor - rows + 1
	}
	m.top = max(min(m.top, len(m.snap.Rows)-rows), 0)
}

// rows is how many rows fit between the four lines above and the one below.
func (m *Model) rows() int { return max(m.height-5, 1) }

// show goes to another table.
func (m Model) show(q Query) (tea.Model, tea.Cmd) {
	m.query = q
	m.cursor, m.top, m.selected = 0, 0, ""
	m.snap.Query, m.snap.Rows = q, nil
	return m, m.look()
}

// setFilter compiles what was typed, and asks the source for it.
func (m Model) setFilter(expression string) (tea.Model, tea.Cmd) {
	var compiled *filter.Filter
	if expression != "" {
		var err error
		if compiled, err = filter.Compile(expression); err != nil {
			m.message = err.Error()
			if where := (*filter.Error)(nil); errors.As(err, &where) {
				m.message = where.Message
				m.line.SetCursor(where.Column() - 1)
			}
			return m, nil
		}
	}
	m.asking, m.filter, m.paused = false, expression, false
	m.totals = false
	m.snap.Rows = nil
	source := m.source
	return m, func() tea.Msg { return filterMsg(source.Filter(compiled)) }
}
