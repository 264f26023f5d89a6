package top

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"ksniff/report"
	"ksniff/report/escape"
)

// The styles say nothing that the text does not say as well: they may be taken away.
var (
	bold   = lipgloss.NewStyle().Bold(true)
	faint  = lipgloss.NewStyle().Faint(true)
	marked = lipgloss.NewStyle().Reverse(true)
	good   = lipgloss.NewStyle().Foreground(lipgloss.Green)
	warn   = lipgloss.NewStyle().Foreground(lipgloss.Yellow).Bold(true)
	bad    = lipgloss.NewStyle().Foreground(lipgloss.Red).Bold(true)
	trends = lipgloss.NewStyle().Foreground(lipgloss.Cyan)
)

var tableNames = [tables]string{"Topics", "Partitions", "Clients", "APIs", "Errors", "Groups"}
var nameTitles = [tables]string{"topic", "partition", "client", "api", "error", "group"}

// View implements tea.Model.
func (m Model) View() tea.View {
	v := tea.NewView(m.content())
	v.AltScreen = true
	v.WindowTitle = "ksniff top"
	return v
}

func (m Model) content() string {
	if m.help {
		return m.helpText()
	}
	lines := []string{m.statusLine(), m.lossLine(), m.tabLine(), m.titleLine()}
	for i := m.top; i < m.top+m.rows(); i++ {
		switch {
		case i < len(m.snap.Rows):
			lines = append(lines, m.rowLine(i))
		case i == m.top && len(m.snap.Rows) == 0:
			lines = append(lines, faint.Render("  "+m.nothing()))
		default:
			lines = append(lines, "")
		}
	}
	lines = append(lines, m.lastLine())
	for i := range lines {
		lines[i] = ansi.Truncate(lines[i], m.width, "…")
	}
	return strings.Join(lines, "\n")
}

// nothing says why a table is empty.
func (m *Model) nothing() string {
	switch {
	case m.snap.Status.Ended && m.filter != "":
		return "no frame matched the filter"
	case m.query.Table == Errors:
		return "no errors so far"
	case m.query.Table == Groups:
		return "no consumer group was named so far"
	case m.snap.Status.Ended:
		return "nothing"
	}
	return "nothing so far"
}

// statusLine says what is read, at what time, and how much is moved.
func (m *Model) statusLine() string {
	s := &m.snap
	right := "live"
	switch {
	case m.paused:
		right = warn.Render("PAUSED")
	case s.Status.Trouble != "":
		right = bad.Render("BROKEN OFF")
	case s.Status.Ended:
		right = bold.Render("END")
	case !s.Status.Live:
		right = "playing"
	}
	clock := "--:--:--"
	if s.Now > 0 {
		clock = time.Unix(s.Now, 0).UTC().Format(time.TimeOnly) + "Z"
	}
	rates := "-"
	if s.Seconds > 0 && !s.Status.Ended {
		n := float64(s.Seconds)
		rates = report.Bytes(float64(s.All.BytesIn)/n) + "/s in  " + report.Bytes(float64(s.All.BytesOut)/n) + "/s out"
	}
	source := text(s.Status.Source)
	if over := ansi.StringWidth(source) - m.width*2/5; over > 0 {
		source = ansi.TruncateLeft(source, over+1, "…")
	}
	left := bold.Render("ksniff") + " " + source + "  " + clock + "  " + rates
	return m.spread(left, right)
}

// lossLine says how far the numbers can be trusted.
func (m *Model) lossLine() string {
	s := &m.snap.Status
	style := good
	switch {
	case s.Completeness < .95:
		style = bad
	case s.Completeness < 1:
		style = warn
	}
	complete := style.Render("complete " + report.Percent(s.Completeness))
	part := func(n int64, what string) string {
		if n > 0 {
			return bad.Render(what)
		}
		return what
	}
	left := complete + "  " + part(s.Gap, "gap "+report.Bytes(float64(s.Gap))) + "  " +
		part(s.Dropped, report.Short(float64(s.Dropped))+" dropped") + "  " +
		part(s.GivenUp, report.Short(float64(s.GivenUp))+" given up")
	if s.Strained > 0 { // only where record sets are looked into
		left += "  " + part(s.Strained, report.Short(float64(s.Strained))+" not looked into")
	}
	return m.spread(left, report.Short(float64(s.Packets))+" packets")
}

func (m *Model) tabLine() string {
	var tabs []string
	for t := range tables {
		name := string(rune('1'+t)) + " " + tableNames[t]
		if t == m.query.Table {
			tabs = append(tabs, marked.Render("["+name+"]"))
		} else {
			tabs = append(tabs, " "+name+" ")
		}
	}
	line := strings.Join(tabs, "")
	switch m.query.Within {
	case InTopic:
		line += "  of topic " + bold.Render(text(m.query.Of))
	case InClient:
		line += "  of client " + bold.Render(text(m.query.Of))
	}
	return line
}

func (m *Model) titleLine() string {
	numbers, name, trend := shown(m.query.Table, m.width)
	title := func(i int, s string) string {
		if i != m.sort[m.query.Table] {
			return s
		}
		if m.reverse {
			return "▲" + s
		}
		return "▼" + s
	}
	line := "  " + left(title(nameColumn, nameTitles[m.query.Table]), name-1) + " " + left(title(trendColumn, columns[trendColumn].rate), trend)
	for _, i := range numbers {
		s := columns[i].rate
		if m.totals {
			s = columns[i].total
		}
		line += " " + right(title(i, s), columns[i].width)
	}
	return faint.Render(line)
}

func (m *Model) rowLine(i int) string {
	row := &m.snap.Rows[i]
	numbers, name, trend := shown(m.query.Table, m.width)
	mark := "  "
	if i == m.cursor {
		mark = "> "
	}
	line := mark + left(m.name(row, name-1), name-1) + " "
	bars := spark(row.Trend, trend)
	after := ""
	for _, i := range numbers {
		after += " " + right(m.number(row, &columns[i]), columns[i].width)
	}
	switch {
	case i == m.cursor:
		return marked.Render(line + bars + after)
	case row.counts(m.totals).Errors > 0:
		return bad.Render(line) + trends.Render(bars) + after
	}
	return line + trends.Render(bars) + after
}

// name is what a row is called; of a long client the address stays whole.
func (m *Model) name(row *Row, width int) string {
	name := text(row.Name)
	if m.query.Table != Clients || ansi.StringWidth(name) <= width {
		return name
	}
	at := strings.LastIndexByte(name, ' ')
	return ansi.Truncate(name[:at], max(width-ansi.StringWidth(name[at:]), 4), "…") + name[at:]
}

// number is the text of a number in a row; "-" where it is not known, nothing where there is none.
func (m *Model) number(row *Row, c *column) string {
	counts := row.counts(m.totals)
	value := c.value(m.query.Table, counts)
	switch {
	case c.mean && counts.Answers == 0:
		return ""
	case c.mean:
		return c.text(value)
	case value == 0:
		return "0"
	case m.totals:
		return c.text(value)
	case m.snap.Seconds == 0:
		return "-"
	}
	return c.text(value / float64(m.snap.Seconds))
}

func (m *Model) lastLine() string {
	switch {
	case m.asking && m.message != "":
		m.line.SetWidth(max(m.width-ansi.StringWidth(m.message)-5, 10))
		return m.line.View() + "  " + bad.Render(text(m.message))
	case m.asking:
		return m.line.View()
	case m.message != "":
		return warn.Render(text(m.message))
	case m.snap.Status.Trouble != "":
		return bad.Render(text(m.snap.Status.Trouble))
	case m.snap.Full:
		return warn.Render("too many rows for --memory: some are not shown")
	}
	hints := "? help  / filter  enter into  esc back  < > sort  t totals  p pause  q quit"
	if m.filter != "" {
		hints = "filter " + text(m.filter)
	}
	return m.spread(faint.Render(hints), "")
}

// spread puts one text to the left and one to the right; the left one gives way.
func (m *Model) spread(l, r string) string {
	room := m.width - ansi.StringWidth(r)
	l = ansi.Truncate(l, max(room-1, 0), "…")
	return l + strings.Repeat(" ", max(room-ansi.StringWidth(l), 0)) + r
}

func left(s string, width int) string {
	s = ansi.Truncate(s, width, "…")
	return s + strings.Repeat(" ", max(width-ansi.StringWidth(s), 0))
}

func right(s string, width int) string {
	s = ansi.Truncate(s, width, "…")
	return strings.Repeat(" ", max(width-ansi.StringWidth(s), 0)) + s
}

// text makes what comes from the wire harmless.
func text(s string) string { return string(escape.Text(nil, s)) }
