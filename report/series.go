package report

// series are the sums per interval of capture time. All have one grid: its width doubles when the
// capture outgrows the slots, so memory is bounded however long the capture is.
type series struct {
	on    bool
	base  int64 // start of slot 0, ns; a multiple of width
	width int64 // ns
	slots int   // used so far
	most  int
	total []cells
	beats []beat
}

// cells are the sums of one slot, by side (0 produce, 1 fetch).
type cells struct {
	messages, bytes [2]int64
}

const cellsCost = 32

// beat is how the capture as a whole did in one slot.
type beat struct {
	requests, errors int64
	prompt           [2]*hist // latencies by side, long polls left out
}

func (b *beat) merge(o *beat) {
	b.requests += o.requests
	b.errors += o.errors
	for i := range b.prompt {
		mergeHist(&b.prompt[i], o.prompt[i])
	}
}

// beat is the slot of a time, nil where there is none.
func (s *series) beat(r *Report, now int64) *beat {
	if !s.on {
		return nil
	}
	return s.beatAt(s.slot(r, now))
}

func (s *series) beatAt(i int) *beat {
	if i < 0 {
		return nil
	}
	if i >= len(s.beats) {
		s.beats = append(s.beats, make([]beat, i+1-len(s.beats))...)
	}
	return &s.beats[i]
}

// add adds the durations of prompt answers.
func (b *beat) add(s side, answers []answer, budget *budget) {
	addAnswers(&b.prompt[s-produce], answers, false, budget)
}

func (s *series) init(cfg Config) {
	switch {
	case cfg.Interval > 0:
		s.on, s.width, s.most = true, int64(cfg.Interval), 4096
	case cfg.Auto:
		s.on, s.width, s.most = true, 1e6, 256
	}
}

// farthest is the time of the last slot that can be, in ns (the year 2116): sums do not overflow.
const farthest = 1 << 62

// slot is the slot of a time, -1 where there is none.
func (s *series) slot(r *Report, now int64) int {
	if !s.on || now == noTime {
		return -1
	}
	now = min(max(now, -farthest), farthest)
	if s.slots == 0 {
		s.base, s.slots = floor(now, s.width), 1
		return 0
	}
	// One comparison for both ends: before base, the difference is huge.
	if i := (uint64(now) - uint64(s.base)) / uint64(s.width); now >= s.base && i < uint64(s.most) {
		s.slots = max(s.slots, int(i)+1)
		return int(i)
	}
	s.stretch(r, now)
	return int((uint64(now) - uint64(s.base)) / uint64(s.width))
}

// floor is the multiple of w at or below t.
func floor(t, w int64) int64 {
	m := t % w
	if m < 0 {
		m += w
	}
	return t - m
}

// stretch moves and widens the grid until it holds now.
func (s *series) stretch(r *Report, now int64) {
	first, last := min(s.base, now), max(s.base+int64(s.slots-1)*s.width, now)
	width, base := s.width, floor(first, s.width)
	for (uint64(last)-uint64(base))/uint64(width) >= uint64(s.most) && width < 1<<61 {
		width *= 2
		base = floor(first, width)
	}
	old := *s
	s.base, s.width = base, width
	s.slots = int((uint64(last)-uint64(base))/uint64(width)) + 1
	s.total = regrid(s.total, &old, s)
	s.beats = regrid(s.beats, &old, s)
	r.topics.other.series = regrid(r.topics.other.series, &old, s)
	for _, t := range r.topics.byTopic {
		before := len(t.series)
		t.series = regrid(t.series, &old, s)
		r.budget.left -= int64(len(t.series)-before) * cellsCost
	}
}

// slot is what a series has in each slot.
type slot[T any] interface {
	*T
	merge(*T)
}

func regrid[T any, P slot[T]](from []T, old, now *series) []T {
	if len(from) == 0 {
		return nil
	}
	at := func(i int) int {
		return int((uint64(old.base+int64(i)*old.width) - uint64(now.base)) / uint64(now.width))
	}
	to := make([]T, at(len(from)-1)+1)
	for i := range from {
		P(&to[at(i)]).merge(&from[i])
	}
	return to
}

func (c *cells) merge(o *cells) {
	for i := range c.bytes {
		c.messages[i] += o.messages[i]
		c.bytes[i] += o.bytes[i]
	}
}

// add counts a record set for a topic; where memory is short, under the topics that were left out.
func (s *series) add(r *Report, t *topic, slot int, sd side, p *partNote) {
	s.total = s.put(s.total, slot, sd, p)
	if slot >= len(t.series) && t != &r.topics.other && !r.budget.take(int64(slot+1-len(t.series))*cellsCost) {
		t = &r.topics.other
	}
	t.series = s.put(t.series, slot, sd, p)
}

func (s *series) put(c []cells, slot int, sd side, p *partNote) []cells {
	if slot >= len(c) {
		c = append(c, make([]cells, slot+1-len(c))...)
	}
	c[slot].messages[sd-produce] += p.messages
	c[slot].bytes[sd-produce] += p.bytes
	return c
}
