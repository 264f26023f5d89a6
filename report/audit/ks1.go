package audit

// ks1 is framing, and the protocol of 0.6 and 0.7.
var ks1 = family{
	name: "KS1", title: "framing, legacy protocol (0.6/0.7)",
	rules: []*Rule{&ks1001, &ks1002, &ks1003, &ks1004, &ks1005, &ks1006, &ks1007, &ks1008, &ks1009, &ks1010, &ks1011, &ks1012, &ks1013,
		&ks1014, &ks1015, &ks1016, &ks1017, &ks1018, &ks1019, &ks1020, &ks1021, &ks1022, &ks1023, &ks1024, &ks1025, &ks1026},
	looks: []look{
		{on: onBadLength, rules: []*Rule{&ks1001, &ks1002}, do: lookBadLength},
		{on: onEnded, rules: []*Rule{&ks1002}, do: lookClosedAtOnce},
		{on: onToken, rules: []*Rule{&ks1002}, do: lookTokenSize},
		{on: onRequest, keys: []int16{keySaslAuthenticate}, rules: []*Rule{&ks1002}, do: lookTokenSize},
		{on: onFault, rules: []*Rule{&ks1003, &ks1004, &ks1006, &ks1017, &ks1018, &ks1022}, do: lookLegacyForm},
		{on: onUnmatched, rules: []*Rule{&ks1005}, do: lookLegacyUnmatched},
		{on: onLegacyRequest, rules: []*Rule{&ks1007}, do: lookLastProduce},
		{on: onEnded, rules: []*Rule{&ks1007}, do: lookClosedAfterProduce},
		{on: onFinish, rules: []*Rule{&ks1007}, do: lookBrokersThatClosed},
		{on: onLegacyRequest, rules: []*Rule{&ks1015, &ks1016, &ks1017, &ks1022, &ks1023}, do: lookLegacyRequest},
		{on: onLegacyRequest, keys: []int16{legacyProduce, legacyMultiProduce}, rules: []*Rule{&ks1008, &ks1009, &ks1010, &ks1011, &ks1012, &ks1024, &ks1025}, do: lookProducedMessages},
		{on: onLegacyRequest, keys: []int16{legacyFetch, legacyMultiFetch}, rules: []*Rule{&ks1019}, do: lookFetchOffset},
		{on: onLegacyExchange, keys: []int16{legacyFetch, legacyMultiFetch}, rules: []*Rule{&ks1013, &ks1020, &ks1021, &ks1023}, do: lookFetchAnswer},
		{on: onLegacyExchange, keys: []int16{legacyFetch, legacyMultiFetch}, rules: []*Rule{&ks1008, &ks1009, &ks1010, &ks1011, &ks1019, &ks1025, &ks1026}, do: lookFetchedMessages},
		{on: onLegacyExchange, keys: []int16{legacyOffsets}, rules: []*Rule{&ks1014, &ks1020, &ks1026}, do: lookOffsetsAnswer},
	},
}
