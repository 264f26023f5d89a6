package report

import (
	"maps"
	"slices"
	"strings"
)

func topicText(name string, id *string) string {
	if name == "" && id != nil {
		return "id " + *id
	}
	return safe(name)
}

func valueText(by map[string]any, name string) string {
	switch v := by[name].(type) {
	case int64:
		if ends, ok := by["connection_ends"].(string); ok && name == "connection" {
			return grouped(v) + "  " + ends
		}
		return grouped(v)
	case string:
		if id, ok := by["topic_id"].(string); ok && name == "topic" && v == "" {
			return "id " + id
		}
		return safe(v)
	}
	return "-"
}

// firstOf lists the first few of many names.
func firstOf(names []string, n int) string {
	if len(names) <= n {
		return strings.Join(names, " ")
	}
	return strings.Join(names[:n], " ") + " and " + grouped(int64(len(names)-n)) + " more"
}

// number leaves a zero out: an empty cell is easier to look over.
func number(n int64) string {
	switch {
	case n == 0:
		return ""
	case n < 1e7:
		return grouped(n)
	}
	return short(float64(n))
}

func bytesText(n int64) string {
	if n == 0 {
		return ""
	}
	return size(float64(n))
}

func rateText(rate *float64, n int64) string {
	if rate == nil || n == 0 {
		return ""
	}
	return size(*rate) + "/s"
}

func latencyText(l Latency, ms float64) string {
	if l.Count == 0 {
		return ""
	}
	return millis(ms)
}

// keysText lists what occurred: numbers in their order, otherwise the most frequent first.
func keysText(m map[string]int64) string {
	keys := slices.Collect(maps.Keys(m))
	slices.SortFunc(keys, func(a, b string) int {
		if len(a) != len(b) && isNumber(a) && isNumber(b) {
			return len(a) - len(b)
		}
		if !isNumber(a) && m[a] != m[b] {
			return int(min(max(m[b]-m[a], -1), 1))
		}
		return strings.Compare(a, b)
	})
	return strings.Join(keys, " ")
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
