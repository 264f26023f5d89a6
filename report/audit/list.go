package audit

import "strings"

// families is the explicit list of all rules and looks. Looks run in this order.
var families = []family{
	ks1,
	ks2,
	ks3,
	ks4,
	ks5,
	ks6,
	ks7,
	ks8,
	ks9,
}

// Rules are all rules, by id.
var Rules = number()

// number lists the rules and gives each its place.
func number() []*Rule {
	var all []*Rule
	for _, f := range families {
		for _, r := range f.rules {
			r.index = len(all)
			all = append(all, r)
		}
	}
	return all
}

// Lookup finds a rule by its id, nil where there is none.
func Lookup(id string) *Rule {
	for _, r := range Rules {
		if strings.EqualFold(r.ID, id) {
			return r
		}
	}
	return nil
}
