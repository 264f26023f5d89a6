package report

import (
	"ksniff/decode/schema"
	"ksniff/reassembly/session"
)

// apis are the aggregates per API: those that exist have a place of their own, keys that no Kafka
// has share one per generation.
type apis struct {
	modern [128]*api
	legacy [5]*api
	wild   [2]*api // unknown keys: modern, legacy
}

type api struct {
	generation          session.Generation
	schema              *schema.API
	key                 int16
	requests, responses int64
	versions            tally
	errors              tally
	failing             failures
	latencies
}

func (a *apis) of(f *session.Frame) *api {
	place := &a.wild[0]
	switch {
	case f.Generation == session.Legacy && f.Key >= 0 && int(f.Key) < len(a.legacy):
		place = &a.legacy[f.Key]
	case f.Generation == session.Legacy:
		place = &a.wild[1]
	case f.API != nil && f.Key >= 0 && int(f.Key) < len(a.modern):
		place = &a.modern[f.Key]
	}
	if *place == nil {
		*place = &api{generation: f.Generation, schema: f.API, key: f.Key}
	}
	return *place
}

// all calls yield for each API that occurred: modern ones by key, then legacy ones.
func (a *apis) all(yield func(*api) bool) {
	for _, list := range [][]*api{a.modern[:], a.wild[:1], a.legacy[:], a.wild[1:]} {
		for _, x := range list {
			if x != nil && !yield(x) {
				return
			}
		}
	}
}
