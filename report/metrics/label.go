package metrics

import "ksniff/report/escape"

// Other is the label value of all that the cap on label values left out.
const Other = "other"

const longestLabel = 200 // bytes; a client id can have 32,767

// label makes text from the wire a label value: valid UTF-8 without control characters, not too long,
// and never Other.
func label(s string) string {
	if s == Other {
		return `\` + Other
	}
	cut := len(s) > longestLabel
	if cut {
		s = s[:longestLabel]
	}
	text := escape.Text(nil, s)
	if cut {
		text = append(text, "…"...)
	}
	return string(text)
}

// table gives each thing its series by the value of its label: the first so many values have their
// own, all others share that of Other. Looking up one that is there allocates nothing.
type table[S any] struct {
	most   int
	byName map[string]*S
	make   func(label string) *S
	other  *S
}

func newTable[S any](most int, make func(label string) *S) *table[S] {
	return &table[S]{most: most, byName: map[string]*S{}, make: make}
}

// of finds the series of a name as it is on the wire.
func (t *table[S]) of(name string) *S {
	if s := t.byName[name]; s != nil {
		return s
	}
	if len(t.byName) >= t.most {
		return t.rest()
	}
	s := t.make(label(name))
	t.byName[name] = s
	return s
}

// rest is the series of what has no place of its own.
func (t *table[S]) rest() *S {
	if t.other == nil {
		t.other = t.make(Other)
	}
	return t.other
}
