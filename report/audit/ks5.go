package audit

// ks5 is fetch and fetch sessions.
var ks5 = family{
	name: "KS5", title: "fetch and fetch sessions",
	rules: []*Rule{&ks5001, &ks5002, &ks5003, &ks5004, &ks5005, &ks5006, &ks5007, &ks5008, &ks5009, &ks5010, &ks5011, &ks5012,
		&ks5013, &ks5014, &ks5015, &ks5016, &ks5017},
	looks: []look{
		{on: onRequest, keys: ofFetch, rules: []*Rule{&ks5001, &ks5002, &ks5003, &ks5004, &ks5005, &ks5006, &ks5007, &ks5014}, do: lookFetchSession},
		{on: onExchange, keys: ofFetch, rules: []*Rule{&ks5005, &ks5006, &ks5007}, do: lookServed},
		{on: onExchange, keys: ofFetch, rules: []*Rule{&ks5001, &ks5003, &ks5004, &ks5005, &ks5006, &ks5007, &ks5014}, do: noteSession},
		{on: onUnanswered, keys: ofFetch, rules: []*Rule{&ks5001, &ks5004}, do: noteSessionUnanswered},
		{on: onBatch, keys: ofFetch, rules: []*Rule{&ks5008}, do: lookBeyond},
		{on: onExchange, keys: ofFetch, rules: []*Rule{&ks5009}, do: lookStable},
		{on: onExchange, keys: ofFetch, rules: []*Rule{&ks5010, &ks5011, &ks5014}, do: lookAborted},
		{on: onExchange, keys: ofFetch, rules: []*Rule{&ks5014}, when: preferredSlot.mark, do: lookPreferred},
		{on: onSet, keys: ofFetch, rules: []*Rule{&ks5011}, do: lookAbortedLater},
		{on: onExchange, keys: ofFetch, rules: []*Rule{&ks5012, &ks5013}, do: lookWaiting},
		{on: onRequest, keys: ofFetch, rules: []*Rule{&ks5015, &ks5017}, do: lookFetcher},
		{on: onExchange, keys: []int16{keyShareFetch, keyShareAcknowledge}, rules: []*Rule{&ks5016}, do: lookShareSession},
	},
}
