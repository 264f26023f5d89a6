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

func (a *apis) of(n *note) *api {
	place := &a.wild[0]
	switch {
	case n.generation == session.Legacy && n.key >= 0 && int(n.key) < len(a.legacy):
		place = &a.legacy[n.key]
	case n.generation == session.Legacy:
		place = &a.wild[1]
	case n.schema != nil && n.key >= 0 && int(n.key) < len(a.modern):
		place = &a.modern[n.key]
	}
	if *place == nil {
		*place = &api{generation: n.generation, schema: n.schema, key: n.key}
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
