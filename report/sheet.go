package report

import (
	"fmt"
	"slices"
	"strings"

	"ksniff/report/escape"
)

// sheet is one table of the report for people: what table, Markdown and HTML have in common.
type sheet struct {
	title string
	note  string // what the columns do not say by themselves; "" for nothing
	cols  []column
	rows  [][]string // text, already harmless
	// flows is the head of the column that the table is for: where it has no room, it goes on in the next line. "": none.
	flows string
}

type column struct {
	group string // over several columns; "" for none
	head  string
	right bool // numbers
	rank  int  // columns of the highest rank go first where the line is too narrow; 0 stays
}

// page leaves out columns that say nothing, and those of a high rank: what a web page or a document has
// room for.
func (s *sheet) page() sheet {
	most := 8
	if slices.ContainsFunc(s.cols, func(c column) bool { return c.head == sparkHead }) {
		most = 7 // a line takes the room of two numbers
	}
	keep := make([]bool, len(s.cols))
	for i, c := range s.cols {
		keep[i] = c.rank == 0 || c.rank <= most && slices.ContainsFunc(s.rows, func(row []string) bool { return row[i] != "" })
	}
	out := sheet{title: s.title, note: s.note, cols: kept(s.cols, keep)}
	for _, row := range s.rows {
		out.rows = append(out.rows, kept(row, keep))
	}
	return out
}

func kept[T any](list []T, keep []bool) (out []T) {
	for i, x := range list {
		if keep[i] {
			out = append(out, x)
		}
	}
	return out
}

func safe(s string) string { return string(escape.Text(nil, s)) }

// sheets are the tables of a result, in the order of the questions of the first minute: who moves
// most, what fails, what is slow.
func (r *Result) sheets() []sheet {
	list := []sheet{}
	if r.By != nil {
		list = append(list, r.rowSheet(), r.timeSheet())
	} else {
		list = append(list, r.topicSheet())
	}
	list = append(list, r.errorSheet(), r.apiSheet(), r.clientSheet(), r.silenceSheet())
	return slices.DeleteFunc(list, func(s sheet) bool { return len(s.rows) == 0 })
}

func (r *Result) topicSheet() sheet {
	s := sheet{title: "Topics", cols: r.sorted(withFlow(column{"", "TOPIC", false, 0}, column{"", "PARTS", true, 6}))}
	for i := range r.Topics {
		t := &r.Topics[i]
		s.rows = append(s.rows, flowCells(&t.Flow, topicText(t.Topic, t.TopicID), number(t.Partitions)))
	}
	if r.Other != nil && r.Other.Topics > 0 {
		s.rows = append(s.rows, flowCells(&r.Other.Flow, "(other)", ""))
	}
	if len(s.rows) > 1 {
		s.rows = append(s.rows, flowCells(&r.Totals, "(total)", ""))
	}
	if r.Series != nil {
		r.overTime(&s)
	}
	s.say(r.errorsElsewhere(sum(r.Totals.Produce.Errors) + sum(r.Totals.Fetch.Errors)))
	return s
}

// errorsElsewhere says why a table about topics shows fewer errors than there are, "" where it shows all.
func (r *Result) errorsElsewhere(shown int64) string {
	var all int64
	for i := range r.APIs {
		all += sum(r.APIs[i].Errors)
	}
	if all <= shown {
		return ""
	}
	return fmt.Sprintf("ERRORS here are of Produce and Fetch, %d of %s; the next table has those of all APIs.",
		shown, plural(all, "error"))
}

// say adds a note.
func (s *sheet) say(note string) { s.note = strings.TrimSpace(s.note + " " + note) }

const sparkHead = "OVER TIME"

// overTime puts a spark line of the bytes, both ways, behind each topic of a sheet.
func (r *Result) overTime(s *sheet) {
	const width = 24
	s.cols = slices.Insert(s.cols, 1, column{"", sparkHead, false, 1}, column{"", "PEAK", true, 1})
	s.note = fmt.Sprintf("Over time: %s from %s UTC on; each character is %s, a full block the highest of its line. PEAK is the most in %s, both ways.",
		plural(int64(len(r.Series.Total.ProduceBytes)), "interval"), clock(r.Series.First, day+clockTime),
		millis(float64((len(r.Series.Total.ProduceBytes)+width-1)/width)*r.Series.Seconds*1000), millis(r.Series.Seconds*1000))
	lines := map[string][]string{"(total)": {r.Series.Total.spark(width), r.Series.Total.peak()}}
	for _, t := range r.Series.Topics {
		name := "(other)"
		if t.Topic != nil {
			name = topicText(*t.Topic, t.TopicID)
		}
		lines[name] = []string{t.spark(width), t.peak()}
	}
	for i, row := range s.rows {
		cells := lines[row[0]]
		if cells == nil {
			cells = []string{"", ""}
		}
		s.rows[i] = slices.Insert(row, 1, cells...)
	}
}

// timeSheet shows topics over time where the first table is about something else.
func (r *Result) timeSheet() sheet {
	s := sheet{title: "Over time", cols: []column{{"", "TOPIC", false, 0}}}
	if r.Series == nil {
		return s
	}
	for _, t := range r.Series.Topics {
		name := "(other)"
		if t.Topic != nil {
			name = topicText(*t.Topic, t.TopicID)
		}
		s.rows = append(s.rows, []string{name})
	}
	r.overTime(&s)
	return s
}

func (p *Points) spark(width int) string { return spark(p.sums(), width) }

// peak is the most bytes in one interval.
func (p *Points) peak() string {
	list := p.sums()
	if len(list) == 0 {
		return ""
	}
	return bytesText(slices.Max(list))
}

// sums are the bytes of each interval, both ways.
func (p *Points) sums() []int64 {
	sum := slices.Clone(p.ProduceBytes)
	for i, n := range p.FetchBytes {
		sum[i] += n
	}
	return sum
}

func (r *Result) rowSheet() sheet {
	s := sheet{title: "By " + strings.Join(r.By, ", ")}
	for _, name := range r.By {
		s.cols = append(s.cols, column{"", strings.ToUpper(name), name == "partition", 0})
	}
	s.cols = append(s.cols, column{"", "REQUESTS", true, 0}, column{"", "P99", true, 4})
	s.cols = append(r.sorted(s.cols), withFlow()...)
	for i := range r.Rows {
		row := &r.Rows[i]
		var cells []string
		for _, name := range r.By {
			cells = append(cells, valueText(row.By, name))
		}
		s.rows = append(s.rows, rowCells(&row.Flow, row.Errors, append(cells, number(row.Requests), latencyText(row.Latency, row.Latency.P99))))
	}
	if r.Other != nil && r.Other.Rows != nil {
		o := r.Other.Rows
		cells := append([]string{"(other)"}, make([]string, len(r.By)-1)...)
		s.rows = append(s.rows, rowCells(&o.Flow, o.Errors, append(cells, number(o.Requests), "")))
	}
	if slices.Contains(r.By, "topic") {
		s.say(r.errorsElsewhere(r.rowErrors()))
	}
	return s
}

func (r *Result) rowErrors() (n int64) {
	for i := range r.Rows {
		n += sum(r.Rows[i].Errors)
	}
	if r.Other != nil && r.Other.Rows != nil {
		n += sum(r.Other.Rows.Errors)
	}
	return n
}

// rowCells are the cells of a row, whose errors are those of any API.
func rowCells(f *Flow, errors map[string]int64, first []string) []string {
	cells := flowCells(f, first...)
	cells[len(cells)-1] = number(sum(errors))
	return cells
}
