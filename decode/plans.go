package decode

import (
	"sync"
	"sync/atomic"

	"ksniff/decode/schema"
)

// plans caches compiled plans: a row by *schema.Message, in it one slot per version.
var plans sync.Map

type row []atomic.Pointer[plan]

// planOf gives the plan of a message in one of its valid versions, compiled at first use. Where two
// compile it at the same time, one of the equal plans stays.
func planOf(m *schema.Message, version int16) *plan {
	found, ok := plans.Load(m)
	if !ok {
		empty := make(row, int(m.Valid.Max)-int(m.Valid.Min)+1)
		found, _ = plans.LoadOrStore(m, &empty)
	}
	slot := &(*found.(*row))[version-m.Valid.Min]
	if p := slot.Load(); p != nil {
		return p
	}
	slot.CompareAndSwap(nil, compile(m, version))
	return slot.Load()
}

// viewPlans are the plans of the messages that have a sketch, by their API (Produce, Fetch, ShareFetch),
// kind and version: a map takes longer than many a message.
var viewPlans [3][2][32]atomic.Pointer[plan]

// viewPlan gives the plan for a View of a message; nil where there is none.
func viewPlan(key, version int16, kind Kind) *plan {
	i := key
	if key == 78 {
		i = 2
	} else if uint16(key) > 1 {
		return nil
	}
	if uint16(version) >= uint16(len(viewPlans[0][0])) {
		return nil
	}
	slot := &viewPlans[i][kind&1][version]
	if p := slot.Load(); p != nil {
		return p
	}
	a := schema.Lookup(key)
	if a == nil || !a.Versions().Has(version) {
		return nil
	}
	m := a.Response
	if kind == Request {
		m = a.Request
	}
	p := planOf(m, version)
	if p.sketch == nil {
		return nil
	}
	slot.Store(p)
	return p
}
