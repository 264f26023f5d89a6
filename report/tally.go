package report

import "ksniff/reassembly/session"

// tally counts occurrences of a few small numbers. The most that it tells apart is bounded; the rest
// is added up under one.
type tally struct{ list []count }

type count struct {
	key int32
	n   int64
}

const (
	tallyMax   = 64
	tallyOther = int32(1) << 30
	legacyMark = int32(1) << 20 // marks legacy error codes among those of errors
)

func (t *tally) add(key int32) { t.addN(key, 1) }

func (t *tally) addN(key int32, n int64) {
	for i := range t.list {
		if t.list[i].key == key {
			t.list[i].n += n
			return
		}
	}
	if len(t.list) >= tallyMax && key != tallyOther {
		t.addN(tallyOther, n)
		return
	}
	t.list = append(t.list, count{key, n})
}

// addError counts an error code that is not 0.
func (t *tally) addError(g session.Generation, code int16) {
	if code != 0 {
		t.add(errorKey(g, code))
	}
}

// errorKey packs an error code with its generation, whose codes mean other things.
func errorKey(g session.Generation, code int16) int32 {
	if g == session.Legacy {
		return legacyMark + int32(code)
	}
	return int32(code)
}

func (t *tally) merge(o *tally) {
	for _, c := range o.list {
		t.addN(c.key, c.n)
	}
}

func (t *tally) sum() int64 {
	var n int64
	for _, c := range t.list {
		n += c.n
	}
	return n
}
