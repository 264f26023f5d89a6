package top

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

const help = `ksniff top shows what Kafka moves right now.

1 … 6, tab, ←→   topics, partitions, clients, APIs, errors, groups
↑↓ j k, page, g G  move the cursor
enter            into the topic or client at the cursor
esc              out again
< >  s           sort by the column to the left, to the right (▼ marks it)
r                the other way round
t                sums since the beginning instead of rates
p  space         pause: the picture stands, counting goes on (files wait)
/                filter, e.g. topic == orders and error != 0; empty: all
q                quit

Rates and latencies are about the last five whole seconds, the trend is about
the last minute; both by the time in the capture. in: produced, out: fetched
(of APIs: requests, responses). Latencies leave long polls out.
complete: the decoded share of what Kafka sent; below 100 % numbers are lower
bounds. gap: bytes that the capture lacks. dropped: packets that the kernel
had no room for. given up: things forgotten for the bound on memory.`

func (m *Model) helpText() string {
	lines := strings.Split(help, "\n")
	lines[0] = bold.Render(lines[0])
	for len(lines) < m.height-1 {
		lines = append(lines, "")
	}
	lines = append(lines[:m.height-1], faint.Render("any key: back"))
	for i := range lines {
		lines[i] = ansi.Truncate(lines[i], m.width, "…")
	}
	return strings.Join(lines, "\n")
}
