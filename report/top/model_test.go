package top

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ksniff/reassembly/session"
	"ksniff/report/filter"
)

var update = flag.Bool("update", false, "write the golden screens")

// keys are those whose name is not what they type.
var keys = map[string]tea.KeyPressMsg{
	"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "down": {Code: tea.KeyDown}, "up": {Code: tea.KeyUp},
	"tab": {Code: tea.KeyTab}, "shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift}, "end": {Code: tea.KeyEnd}, "pgdown": {Code: tea.KeyPgDown},
	"backspace": {Code: tea.KeyBackspace}, "ctrl+c": {Code: 'c', Mod: tea.ModCtrl}, "space": {Code: tea.KeySpace, Text: " "},
}

// press types keys and does at once what the model asks for; words are typed letter by letter.
func press(t *testing.T, m Model, names ...string) Model {
	t.Helper()
	for _, name := range names {
		if key, ok := keys[name]; ok {
			m = feed(m, key)
			continue
		}
		for _, r := range name {
			m = feed(m, tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
	return m
}

func feed(m Model, msg tea.Msg) Model {
	next, cmd := m.Update(msg)
	m = next.(Model)
	if cmd == nil || m.asking { // the cursor of the line blinks for ever
		return m
	}
	switch answer := cmd().(type) {
	case snapshotMsg, filterMsg:
		return feed(m, answer)
	}
	return m
}

func shownAt(t *testing.T, source Source, width, height int) Model {
	t.Helper()
	m := feed(NewModel(source, ""), tea.WindowSizeMsg{Width: width, Height: height})
	return feed(m, m.look()())
}

func screen(m Model) string { return ansi.Strip(m.View().Content) }

// fits says that a screen has the size of its terminal, with colours and without.
func fits(t *testing.T, what string, m Model) {
	t.Helper()
	lines := strings.Split(m.View().Content, "\n")
	if len(lines) != m.height {
		t.Errorf("%s: %d lines on a terminal of %d", what, len(lines), m.height)
	}
	for _, line := range lines {
		if w := ansi.StringWidth(line); w > m.width {
			t.Errorf("%s: %d columns on a terminal of %d: %s", what, w, m.width, ansi.Strip(line))
		}
	}
}

func TestGolden(t *testing.T) {
	for name, c := range map[string]struct {
		width, height int
		keys          []string
	}{
		"topics-80x24":      {80, 24, nil},
		"topics-120x40":     {120, 40, nil},
		"clients-80x24":     {80, 24, []string{"3"}},
		"partitions-120x40": {120, 40, []string{"2", "t", "<"}},
		"errors-80x24":      {80, 24, []string{"5"}},
		"of-topic-80x24":    {80, 24, []string{"down", "enter", "4"}},
		"filter-80x24":      {80, 24, []string{"/", "topc == orders", "enter"}},
		"help-80x24":        {80, 24, []string{"?"}},
	} {
		m := press(t, shownAt(t, busy(), c.width, c.height), c.keys...)
		fits(t, name, m)
		var trimmed []string
		for _, line := range strings.Split(screen(m), "\n") {
			trimmed = append(trimmed, strings.TrimRight(line, " "))
		}
		got := strings.Join(trimmed, "\n") + "\n"
		file := filepath.Join("testdata", name+".txt")
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
	}
}

// Every table fits every terminal, whatever names are on the wire.
func TestFits(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {20, 6}, {120, 40}, {300, 100}, {1, 1}} {
		tally := busy()
		for i, hostile := range []string{"\x1b[2J\x1b]0;x\a", strings.Repeat("long-", 200), "日本語のトピック名前がここにあります", "a\nb", "\u202eback"} {
			send(tally, map[string]*session.Client{}, move{28, 0, hostile, int32(i), hostile, 1, 5000, 1, 6})
		}
		tally.Tell(Status{Source: strings.Repeat("/very/long", 50), Completeness: 1, Ended: true, Trouble: "a\x1b[31m" + strings.Repeat("b", 400)})
		m := shownAt(t, tally, size[0], size[1])
		for _, k := range []string{"1", "2", "3", "4", "5", "6", "t", "r", ">", "1", "enter", "3", "enter", "?", "esc", "/", "esc"} {
			m = press(t, m, k)
			fits(t, k, m)
			if s := screen(m); strings.ContainsAny(s, "\x1b\a\u202e") {
				t.Fatalf("after %s a name acts on the terminal", k)
			}
		}
	}
}

func names(m Model) (list []string) {
	for _, r := range m.snap.Rows {
		list = append(list, r.Name)
	}
	return list
}

func is(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestSort(t *testing.T) {
	m := shownAt(t, busy(), 80, 24)
	is(t, "at first", names(m), "clicks", "orders", "payments") // 80 kB, 27 kB, 60 B per second
	m = press(t, m, "r")
	is(t, "r", names(m), "payments", "orders", "clicks")
	m = press(t, m, "r", "<")
	is(t, "< is by name", names(m), "clicks", "orders", "payments")
	m = press(t, m, ">", ">", ">", ">", ">", ">") // err/s
	is(t, "by errors", names(m), "payments", "clicks", "orders")
	m = press(t, m, "s") // mean: 250 ms, 6.5 ms, 3 ms
	is(t, "by latency", names(m), "payments", "clicks", "orders")
	m = press(t, m, "2")
	is(t, "partitions keep their own order", names(m), "clicks 0", "orders 1", "orders 0", "orders 2", "payments 0")
}

// The cursor stays on its thing when others overtake it.
func TestCursorFollows(t *testing.T) {
	tally := busy()
	m := press(t, shownAt(t, tally, 80, 24), "down", "down")
	if m.snap.Rows[m.cursor].Name != "payments" {
		t.Fatalf("at %s", m.snap.Rows[m.cursor].Name)
	}
	send(tally, map[string]*session.Client{}, move{29, 0, "payments", 0, "shop", 1, 9_000_000, 1, 0})
	tally.Advance((start + 30) * 1e9)
	m = feed(m, m.look()())
	if m.cursor != 0 || m.snap.Rows[0].Name != "payments" {
		t.Errorf("cursor at %d of %v", m.cursor, names(m))
	}
	m = press(t, m, "down", "down", "down", "down")
	if m.cursor != 2 {
		t.Errorf("the cursor left the table: %d", m.cursor)
	}
}

func TestDrillDown(t *testing.T) {
	m := press(t, shownAt(t, busy(), 80, 24), "down", "enter")
	is(t, "partitions of orders", names(m), "orders 1", "orders 0", "orders 2")
	m = press(t, m, "3")
	is(t, "clients of orders", names(m), "shop 10.0.0.1")
	m = press(t, m, "enter")
	is(t, "topics of shop", names(m), "orders", "payments")
	m = press(t, m, "5")
	is(t, "errors of shop", names(m), "NOT_LEADER_OR_FOLLOWER")
	m = press(t, m, "enter")
	if m.message == "" {
		t.Error("no word about what cannot be entered")
	}
	m = press(t, m, "esc")
	is(t, "back to the clients of orders", names(m), "shop 10.0.0.1")
	m = press(t, m, "esc", "esc")
	is(t, "back at the topics", names(m), "clicks", "orders", "payments")
	if m.query != (Query{}) {
		t.Errorf("%+v", m.query)
	}
	m = press(t, m, "enter", "1")
	is(t, "topics again", names(m), "clicks", "orders", "payments")
}

// heard is a Source that remembers what it is asked.
type heard struct {
	Source
	filters []string
	pauses  []bool
}

func (h *heard) Filter(f *filter.Filter) bool {
	h.filters = append(h.filters, f.String())
	return true
}

func (h *heard) Pause(on bool) { h.pauses = append(h.pauses, on) }

func TestFilterLine(t *testing.T) {
	h := &heard{Source: busy()}
	m := press(t, shownAt(t, h, 80, 24), "/", "topic == q", "esc")
	if m.asking || len(h.filters) != 0 {
		t.Error("esc asks for a filter")
	}
	m = press(t, m, "/", "latency >", "enter")
	if !m.asking || m.message == "" || len(h.filters) != 0 {
		t.Errorf("a broken filter: asking %v, %q", m.asking, m.message)
	}
	m = press(t, m, " 5ms and topic == orders", "enter")
	if m.asking || len(h.filters) != 1 || h.filters[0] != "latency > 5ms and topic == orders" {
		t.Errorf("asking %v, %q", m.asking, h.filters)
	}
	if !strings.Contains(screen(m), "reading again") {
		t.Error("the screen does not say that the file is read again")
	}
	for range messageTicks + 1 {
		next, _ := m.Update(tickMsg{})
		m = next.(Model)
	}
	if !strings.Contains(screen(m), "filter latency > 5ms") {
		t.Error("the screen does not say that there is a filter")
	}
}

func TestPauseAndQuit(t *testing.T) {
	h := &heard{Source: busy()}
	m := press(t, shownAt(t, h, 80, 24), "p")
	if !m.paused || !strings.Contains(screen(m), "PAUSED") {
		t.Error("not paused")
	}
	m = press(t, m, "space")
	if m.paused || len(h.pauses) != 2 || !h.pauses[0] || h.pauses[1] {
		t.Errorf("%v", h.pauses)
	}
	for _, k := range []string{"q", "ctrl+c"} {
		key, ok := keys[k]
		if !ok {
			key = tea.KeyPressMsg{Code: 'q', Text: "q"}
		}
		_, cmd := m.Update(key)
		if _, quits := cmd().(tea.QuitMsg); !quits {
			t.Errorf("%s does not quit", k)
		}
	}
	m = press(t, m, "/", "q")
	if m.line.Value() != "q" {
		t.Error("q quits while a filter is typed")
	}
}

// At the end of a capture the sums count, since rates are over.
func TestEnd(t *testing.T) {
	tally := busy()
	m := shownAt(t, tally, 80, 24)
	tally.Tell(Status{Source: "x.pcap", Completeness: 1, Ended: true})
	m = feed(m, m.look()())
	if !m.totals || !strings.Contains(screen(m), "END") {
		t.Errorf("totals %v\n%s", m.totals, screen(m))
	}
	m = press(t, m, "t")
	m = feed(m, m.look()())
	if m.totals {
		t.Error("t is undone")
	}
}

// Packets that were not looked into are in the header, where there are some.
func TestStrainIsShown(t *testing.T) {
	tally := busy()
	m := shownAt(t, tally, 100, 24)
	if s := screen(m); strings.Contains(s, "not looked into") {
		t.Errorf("without strain:\n%s", s)
	}
	tally.Tell(Status{Source: "eth0", Live: true, Completeness: 1, Strained: 12})
	if s := screen(feed(m, m.look()())); !strings.Contains(s, "12 not looked into") {
		t.Errorf("with strain:\n%s", s)
	}
}

func TestSpark(t *testing.T) {
	for _, c := range []struct {
		trend []float32
		width int
		want  string
	}{
		{nil, 4, "    "},
		{[]float32{0, 1, 8}, 5, "  ·▁█"},
		{[]float32{1, 1, 2, 2, 8, 8}, 3, "▁▂█"},
		{[]float32{8, 1, 1, 4, 4}, 3, "█▁▄"}, // 8 per second, then 1, then 4
		{[]float32{0, 0}, 2, "··"},
	} {
		if got := spark(c.trend, c.width); got != c.want {
			t.Errorf("%v: %q, want %q", c.trend, got, c.want)
		}
	}
}
