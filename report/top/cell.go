package top

// Counts are what is added up about a thing, in one second or since the beginning.
type Counts struct {
	Requests, Errors int64
	MessagesIn       int64 // produced
	MessagesOut      int64 // fetched
	BytesIn          int64 // of record sets; in the table of APIs of whole requests
	BytesOut         int64 // of record sets; in the table of APIs of whole responses
	Answers          int64 // responses with a latency that is no long poll
	Latency          int64 // their sum, ns
	Slowest          int64 // ns
}

func (c *Counts) add(d *Counts) {
	c.Requests += d.Requests
	c.Errors += d.Errors
	c.MessagesIn += d.MessagesIn
	c.MessagesOut += d.MessagesOut
	c.BytesIn += d.BytesIn
	c.BytesOut += d.BytesOut
	c.Answers += d.Answers
	c.Latency += d.Latency
	c.Slowest = max(c.Slowest, d.Slowest)
}

const (
	// Window is how many whole seconds rates and latencies are about.
	Window = 5
	// Trend is how many seconds a spark line tells.
	Trend = 60
)

// cell is one row in the making: its sums, those of the last seconds, and the trend of the minute.
type cell struct {
	at     int64 // the second in which it was touched last
	total  Counts
	recent [Window + 1]Counts // by second modulo the length; that of at is still open
	trend  [Trend + 1]float32 // the same, of what the table is sorted by at first
}

// roll empties the seconds between the last touch and now.
func (c *cell) roll(now int64) {
	for s := max(c.at+1, now-int64(len(c.recent))+1); s <= now; s++ {
		c.recent[s%int64(len(c.recent))] = Counts{}
	}
	for s := max(c.at+1, now-int64(len(c.trend))+1); s <= now; s++ {
		c.trend[s%int64(len(c.trend))] = 0
	}
	c.at = max(c.at, now)
}

func (c *cell) add(now int64, d *Counts, weight float32) {
	c.roll(now)
	c.total.add(d)
	c.recent[now%int64(len(c.recent))].add(d)
	c.trend[now%int64(len(c.trend))] += weight
}

// window sums the last n whole seconds before now.
func (c *cell) window(now, n int64) (sum Counts) {
	c.roll(now)
	for s := now - n; s < now; s++ {
		sum.add(&c.recent[s%int64(len(c.recent))])
	}
	return sum
}

// line is the trend of the last n whole seconds before now, the oldest first.
func (c *cell) line(now, n int64) []float32 {
	c.roll(now)
	line := make([]float32, 0, n)
	for s := now - n; s < now; s++ {
		line = append(line, c.trend[s%int64(len(c.trend))])
	}
	return line
}

// merge adds another cell.
func (c *cell) merge(o *cell, now int64) {
	c.roll(now)
	o.roll(now)
	c.total.add(&o.total)
	for i := range c.recent {
		c.recent[i].add(&o.recent[i])
	}
	for i := range c.trend {
		c.trend[i] += o.trend[i]
	}
}
