package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Markdown writes the report for people as GitHub's Markdown: a heading and a table per question.
func Markdown(w io.Writer, r Page) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "# Kafka traffic")
	for _, line := range r.summary() {
		fmt.Fprintf(b, "\n%s\n", mark(line))
	}
	for _, s := range r.sheets() {
		s = s.page()
		fmt.Fprintf(b, "\n## %s\n\n", mark(s.title))
		heads := make([]string, len(s.cols))
		rules := make([]string, len(s.cols))
		for i, c := range s.cols {
			heads[i], rules[i] = strings.TrimSpace(c.group+" "+strings.ToLower(c.head)), "---"
			if c.right {
				rules[i] = "---:"
			}
		}
		markLine(b, heads)
		fmt.Fprintln(b, "| "+strings.Join(rules, " | ")+" |")
		for _, row := range s.rows {
			markLine(b, row)
		}
		if s.note != "" {
			fmt.Fprintf(b, "\n%s\n", mark(s.note))
		}
	}
	if advice := r.Advice(); len(advice) > 0 {
		fmt.Fprint(b, "\n## Good to know\n\n")
		for _, line := range advice {
			fmt.Fprintln(b, "- "+line)
		}
	}
	return b.Flush()
}

func markLine(b *bufio.Writer, cells []string) {
	out := make([]string, len(cells))
	for i, cell := range cells {
		out[i] = mark(cell)
	}
	fmt.Fprintln(b, "| "+strings.Join(out, " | ")+" |")
}

// mark keeps text from being markup: neither a cell's end, nor emphasis, a link, HTML or an entity.
var marker = strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "[", `\[`, "]", `\]`,
	"<", `\<`, ">", `\>`, "&", `\&`, "~", `\~`, "#", `\#`, "@", `\@`, "://", `:\//`)

func mark(s string) string { return marker.Replace(s) }
