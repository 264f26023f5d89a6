package audit

import (
	"runtime"
	"testing"
)

// In the steady state the rules about groups, retries and security allocate nothing per frame.
func TestFramesAllocateNothing(t *testing.T) {
	k := newTalk(t, Config{Rules: func(r *Rule) bool { return r.ID >= "KS6" && r.ID < "KS9" }})
	p := k.conn().joins().syncs()
	round := func() { p.beats(5, 0).reads(0).commitsOf(5, 0, 10, 0).produces(0, 1, 0) }
	frames := func(n int) (allocs uint64) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range n {
			round()
		}
		runtime.ReadMemStats(&after)
		return after.Mallocs - before.Mallocs
	}
	round()
	with := frames(1000)
	k.end()
	k = newTalk(t, Config{Rules: func(r *Rule) bool { return r.ID == "KS2004" }})
	p = k.conn().joins().syncs()
	round()
	without := frames(1000)
	k.end()
	t.Logf("%d allocations with, %d without", with, without)
	if with > without+100 { // of 8000 frames
		t.Errorf("%d allocations with the rules, %d without", with, without)
	}
}
