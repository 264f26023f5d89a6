package report

import "strings"

// spark draws a list as a line of at most width characters: a dot is nothing, a full block the most.
func spark(list []int64, width int) string {
	if len(list) == 0 {
		return ""
	}
	per := (len(list) + width - 1) / width
	var sums []int64
	for i := 0; i < len(list); i += per {
		var sum int64
		for _, n := range list[i:min(i+per, len(list))] {
			sum += n
		}
		sums = append(sums, sum)
	}
	if last := len(list) % per; last > 0 { // the last one is shorter: draw its rate, not its sum
		sums[len(sums)-1] = sums[len(sums)-1] * int64(per) / int64(last)
	}
	var top int64
	for _, n := range sums {
		top = max(top, n)
	}
	var b strings.Builder
	for _, n := range sums {
		if n == 0 {
			b.WriteRune('·')
			continue
		}
		b.WriteRune([]rune("▁▂▃▄▅▆▇█")[(n*8-1)/top])
	}
	return b.String()
}
