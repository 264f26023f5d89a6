package report

import "fmt"

// flowColumn is a column about a Flow, in tables for people.
type flowColumn struct {
	column
	cell func(*Flow) string
}

func one(group, head string, rank int, cell func(*Flow) string) flowColumn {
	return flowColumn{column{group, head, true, rank}, cell}
}

// flowTable has all that a wide terminal can show. Ranks say what goes first on a narrow one: at 80
// columns messages, sizes, errors and one rate stay.
var flowTable = []flowColumn{
	one("produced", "MESSAGES", 0, func(f *Flow) string { return f.Produce.Incomplete.messages(number(f.Produce.Messages)) }),
	one("produced", "MSG/S", 10, func(f *Flow) string {
		return f.Produce.Incomplete.messages(shortRate(f.Produce.PerSecond, f.Produce.Messages))
	}),
	one("produced", "SIZE", 0, func(f *Flow) string { return f.Produce.Incomplete.bytes(bytesText(f.Produce.Bytes)) }),
	one("produced", "UNPACKED", 2, func(f *Flow) string { return unpacked(f.Produce.Uncompressed, f.Produce.Bytes) }),
	one("produced", "RATE", 1, func(f *Flow) string {
		return f.Produce.Incomplete.bytes(rateText(f.Produce.BytesPerSec, f.Produce.Bytes))
	}),
	one("produced", "REQUESTS", 9, func(f *Flow) string { return number(f.Produce.Requests) }),
	one("produced", "BATCHES", 11, func(f *Flow) string { return f.Produce.Incomplete.messages(number(f.Produce.Batches)) }),
	{column{"produced", "CODECS", false, 5}, func(f *Flow) string { return keysText(f.Produce.Codecs) }},
	{column{"produced", "ACKS", false, 7}, func(f *Flow) string { return keysText(acksNamed(f.Produce.Acks)) }},
	one("produced", "P50", 8, func(f *Flow) string { return latencyText(f.Produce.Latency, f.Produce.Latency.P50) }),
	one("produced", "P95", 12, func(f *Flow) string { return latencyText(f.Produce.Latency, f.Produce.Latency.P95) }),
	one("produced", "P99", 2, func(f *Flow) string { return latencyText(f.Produce.Latency, f.Produce.Latency.P99) }),
	one("produced", "MAX", 9, func(f *Flow) string { return latencyText(f.Produce.Latency, f.Produce.Latency.Max) }),
	one("fetched", "MESSAGES", 0, func(f *Flow) string { return f.Fetch.Incomplete.messages(number(f.Fetch.Messages)) }),
	one("fetched", "MSG/S", 10, func(f *Flow) string {
		return f.Fetch.Incomplete.messages(shortRate(f.Fetch.PerSecond, f.Fetch.Messages))
	}),
	one("fetched", "SIZE", 0, func(f *Flow) string { return f.Fetch.Incomplete.bytes(bytesText(f.Fetch.Bytes)) }),
	one("fetched", "UNPACKED", 2, func(f *Flow) string { return unpacked(f.Fetch.Uncompressed, f.Fetch.Bytes) }),
	one("fetched", "RATE", 3, func(f *Flow) string { return f.Fetch.Incomplete.bytes(rateText(f.Fetch.BytesPerSec, f.Fetch.Bytes)) }),
	one("fetched", "REQUESTS", 9, func(f *Flow) string { return number(f.Fetch.Requests) }),
	one("fetched", "BATCHES", 11, func(f *Flow) string { return f.Fetch.Incomplete.messages(number(f.Fetch.Batches)) }),
	one("fetched", "P50", 8, func(f *Flow) string { return latencyText(f.Fetch.Latency, f.Fetch.Latency.P50) }),
	one("fetched", "P95", 12, func(f *Flow) string { return latencyText(f.Fetch.Latency, f.Fetch.Latency.P95) }),
	one("fetched", "P99", 4, func(f *Flow) string { return latencyText(f.Fetch.Latency, f.Fetch.Latency.P99) }),
	one("fetched", "MAX", 9, func(f *Flow) string { return latencyText(f.Fetch.Latency, f.Fetch.Latency.Max) }),
	one("", "ERRORS", 0, func(f *Flow) string { return number(sum(f.Produce.Errors) + sum(f.Fetch.Errors)) }),
}

func withFlow(first ...column) []column {
	for _, c := range flowTable {
		first = append(first, c.column)
	}
	return first
}

func flowCells(f *Flow, first ...string) []string {
	for _, c := range flowTable {
		first = append(first, c.cell(f))
	}
	return first
}

func sum(m map[string]int64) (n int64) {
	for _, x := range m {
		n += x
	}
	return n
}

// unpacked is the size of what was compressed, and how many times its size on the wire that is.
func unpacked(n *int64, bytes int64) string {
	if n == nil || bytes == 0 {
		return ""
	}
	return fmt.Sprintf("%s ×%.2f", size(float64(*n)), float64(*n)/float64(bytes))
}

func shortRate(rate *float64, n int64) string {
	if rate == nil || n == 0 {
		return ""
	}
	return short(*rate)
}

// acksNamed writes -1 as all, as the clients' settings do; a cell that begins with - is a formula to some.
func acksNamed(m map[string]int64) map[string]int64 {
	named := map[string]int64{}
	for k, n := range m {
		if k == "-1" {
			k = "all"
		}
		named[k] = n
	}
	return named
}
