package top

import (
	tea "charm.land/bubbletea/v2"
)

// key acts on a key. The last line forgets its message.
func (m Model) key(msg tea.KeyPressMsg) (tea.Model, tea.Cmd) {
	name := msg.String()
	m.message, m.age = "", 0
	switch {
	case name == "ctrl+c":
		return m, tea.Quit
	case m.asking:
		return m.typing(msg)
	case m.help:
		m.help = false
		if name == "q" {
			return m, tea.Quit
		}
		return m, nil
	}
	if n := int(msg.Code - '1'); n >= 0 && n < int(tables) && msg.Mod == 0 {
		return m.table(Table(n))
	}
	if step, moves := m.moves()[name]; moves {
		m.cursor += step
		m.follow()
		if len(m.snap.Rows) > 0 {
			m.selected = m.snap.Rows[m.cursor].Name
		}
		return m, nil
	}
	if act := actions[name]; act != nil {
		return act(m)
	}
	return m, nil
}

// moves are the keys that move the cursor, by how many rows.
func (m *Model) moves() map[string]int {
	page, all := m.rows(), len(m.snap.Rows)
	return map[string]int{"up": -1, "k": -1, "down": 1, "j": 1, "pgup": -page, "pgdown": page, "ctrl+b": -page, "ctrl+f": page,
		"home": -all, "g": -all, "end": all, "G": all}
}

var actions = map[string]func(Model) (tea.Model, tea.Cmd){
	"q":         func(m Model) (tea.Model, tea.Cmd) { return m, tea.Quit },
	"?":         func(m Model) (tea.Model, tea.Cmd) { m.help = true; return m, nil },
	"h":         func(m Model) (tea.Model, tea.Cmd) { m.help = true; return m, nil },
	"tab":       func(m Model) (tea.Model, tea.Cmd) { return m.turn(1) },
	"right":     func(m Model) (tea.Model, tea.Cmd) { return m.turn(1) },
	"shift+tab": func(m Model) (tea.Model, tea.Cmd) { return m.turn(-1) },
	"left":      func(m Model) (tea.Model, tea.Cmd) { return m.turn(-1) },
	"enter":     Model.enter,
	"esc":       Model.back,
	"backspace": Model.back,
	">":         func(m Model) (tea.Model, tea.Cmd) { return m.sortBy(1) },
	"s":         func(m Model) (tea.Model, tea.Cmd) { return m.sortBy(1) },
	"<":         func(m Model) (tea.Model, tea.Cmd) { return m.sortBy(-1) },
	"r":         func(m Model) (tea.Model, tea.Cmd) { m.reverse = !m.reverse; m.order(); return m, nil },
	"t":         func(m Model) (tea.Model, tea.Cmd) { m.totals = !m.totals; m.order(); return m, nil },
	"p":         Model.pause,
	"space":     Model.pause,
	"/":         Model.ask,
}

func (m Model) table(t Table) (tea.Model, tea.Cmd) {
	q := m.query
	q.Table = t
	if q.Within == InTopic && t == Topics || q.Within == InClient && t == Clients {
		q = Query{Table: t} // out again, to the others of its kind
		m.from = nil
	}
	return m.show(q)
}

func (m Model) turn(step int) (tea.Model, tea.Cmd) {
	return m.table((m.query.Table + tables + Table(step)) % tables)
}

// enter goes into the topic or client at the cursor.
func (m Model) enter() (tea.Model, tea.Cmd) {
	if len(m.snap.Rows) == 0 {
		return m, nil
	}
	row := m.snap.Rows[m.cursor]
	var to Query
	switch m.query.Table {
	case Topics:
		to = Query{Partitions, InTopic, row.Name}
	case Partitions:
		if m.query.Within == InTopic {
			return m, nil
		}
		to = Query{Partitions, InTopic, row.Topic}
	case Clients:
		to = Query{Topics, InClient, row.Name}
	default:
		m.message = "only topics, partitions and clients can be entered"
		return m, nil
	}
	m.from = append(m.from[:len(m.from):len(m.from)], m.query)
	return m.show(to)
}

func (m Model) back() (tea.Model, tea.Cmd) {
	if len(m.from) == 0 {
		if m.query.Within != All {
			return m.show(Query{Table: m.query.Table})
		}
		return m, nil
	}
	of := m.query.Of
	to := m.from[len(m.from)-1]
	m.from = m.from[:len(m.from)-1]
	next, cmd := m.show(to)
	m = next.(Model)
	m.selected = of
	return m, cmd
}

// sortBy goes to the next column that is shown, or to the one before.
func (m Model) sortBy(step int) (tea.Model, tea.Cmd) {
	numbers, _, _ := shown(m.query.Table, m.width)
	list := append([]int{nameColumn, trendColumn}, numbers...)
	at := 0
	for i, c := range list {
		if c == m.sort[m.query.Table] {
			at = i
		}
	}
	m.sort[m.query.Table] = list[(at+step+len(list))%len(list)]
	m.order()
	return m, nil
}

func (m Model) pause() (tea.Model, tea.Cmd) {
	m.paused = !m.paused
	source, on := m.source, m.paused
	return m, func() tea.Msg {
		source.Pause(on)
		return nil
	}
}

func (m Model) ask() (tea.Model, tea.Cmd) {
	m.asking = true
	m.line.SetValue(m.filter)
	m.line.CursorEnd()
	m.line.SetWidth(m.width - 3)
	return m, m.line.Focus()
}

// typing gives keys to the line of the filter.
func (m Model) typing(msg tea.KeyPressMsg) (tea.Model, tea.Cmd) {
	switch msg.String() {
	case "esc":
		m.asking = false
		return m, nil
	case "enter":
		return m.setFilter(m.line.Value())
	}
	return m.edit(msg)
}

func (m Model) edit(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	m.line, cmd = m.line.Update(msg)
	return m, cmd
}
