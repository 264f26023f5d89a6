package report

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

func free() *budget { return &budget{left: 1 << 40} }

// Percentiles are those of the sorted values (nearest rank), wrong by less than 0.8 %.
// Of a few values a percentile is one of them: nearest rank, so p99 of five is the greatest.
func TestQuantileOfFewIsExact(t *testing.T) {
	var h hist
	b := budget{left: 1 << 20}
	for _, v := range []int64{61_912_345, 1_000_003, 2_000_003, 3_000_003, 4_000_003} {
		h.add(v, &b)
	}
	if got := h.quantile(.99); got != 61_912_345 {
		t.Errorf("p99 %d", got)
	}
	if got := h.quantile(.2); got != 1_000_003 {
		t.Errorf("p20 %d", got)
	}
}

func TestQuantiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, top := range []int64{1, 50, 1000, 1e6, 1e9, 1e13, 1 << 62} {
		h, o := &hist{}, &hist{}
		var values []int64
		for i := range 2000 {
			v := rng.Int64N(rng.Int64N(top) + 1)
			values = append(values, v)
			if i%2 == 0 {
				h.add(v, free())
			} else {
				o.add(v, free())
			}
		}
		h.merge(o)
		slices.Sort(values)
		for _, p := range []int{0, 1, 50, 95, 99, 100} {
			want := values[max(p*len(values)/100, 1)-1]
			got := h.quantile(float64(p) / 100)
			if diff := float64(got - want); diff > .0079*float64(want) || -diff > .0079*float64(want) {
				t.Errorf("up to %d: p%d is %d, want %d", top, p, got, want)
			}
		}
		if h.n != 2000 || h.max != values[1999] || h.min != values[0] {
			t.Errorf("up to %d: n %d min %d max %d", top, h.n, h.min, h.max)
		}
	}
}

func TestHistBudget(t *testing.T) {
	h, b := &hist{}, &budget{left: pageCost + 8}
	for _, v := range []int64{100, 101, 1 << 40} {
		h.add(v, b)
	}
	if h.n != 2 || h.lost != 1 {
		t.Errorf("n %d lost %d", h.n, h.lost)
	}
	if l := latencyOf(h); l.Count != 0 {
		t.Errorf("a histogram with values left out gives percentiles: %+v", l)
	}
}

// Many at once are added as each by itself, also where memory ends between them.
func TestHistAnswers(t *testing.T) {
	pick := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		list := make([]answer, pick.IntN(60))
		for i := range list {
			list[i] = answerOf(pick.Int64N(1<<pick.IntN(62)), pick.IntN(3) == 0)
		}
		memory := pick.Int64N(40 * pageCost)
		var many, each latencies
		b, c := &budget{left: memory}, &budget{left: memory}
		for _, polls := range []bool{false, true} {
			for _, a := range list {
				if ns, poll := a.of(); poll == polls {
					addAnswers(map[bool]**hist{false: &each.prompt, true: &each.poll}[poll], []answer{answerOf(ns, poll)}, poll, c)
				}
			}
		}
		if many.add(list, b); !reflect.DeepEqual(many, each) || b.left != c.left {
			t.Fatalf("%v in %d bytes: %+v, %+v", list, memory, many, each)
		}
	}
}

func TestHistAllocations(t *testing.T) {
	h, b := &hist{}, free()
	if n := testing.AllocsPerRun(100, func() { h.add(12345, b) }); n != 0 {
		t.Error(n)
	}
}

func BenchmarkHist(b *testing.B) {
	h, bud := &hist{}, free()
	v := int64(1)
	for b.Loop() {
		v = v*6364136223846793005 + 1442695040888963407
		h.add(v>>20&0xfffffff, bud)
	}
}
