package report

import "ksniff/reassembly/session"

// ofSet says whether the fault of a frame is that of one of its record sets, which is counted there.
func ofSet(f *session.Frame) bool {
	for i := range f.Parts {
		if s := &f.Parts[i].Sets; s.Faulty && s.Fault == f.Fault {
			return true
		}
	}
	return false
}

// side says whether a frame moves records, and which way.
type side uint8

const (
	neither side = iota
	produce
	fetch
)

// API keys.
const (
	endTxn     = 26
	shareFetch = 78
)

func sideOf(f *session.Frame) side {
	if f.Generation == session.Legacy {
		switch f.Key {
		case session.PRODUCE, session.MULTIPRODUCE:
			return produce
		case session.FETCH, session.MULTIFETCH:
			return fetch
		}
		return neither
	}
	switch {
	case f.Token:
		return neither
	case f.Key == 0:
		return produce
	case f.Key == 1, f.Key == shareFetch:
		return fetch
	}
	return neither
}
