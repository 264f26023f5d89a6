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
