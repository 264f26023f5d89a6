package audit

// ks9 is readiness for 4.0 and newer.
var ks9 = family{
	name: "KS9", title: "readiness for 4.0 and newer",
	rules: []*Rule{&ks9001, &ks9002, &ks9003, &ks9004, &ks9005, &ks9006, &ks9007, &ks9008, &ks9010, &ks9011, &ks9012, &ks9013, &ks9014},
	looks: []look{
		{on: onRequest, rules: []*Rule{&ks9001, &ks9002}, when: unheard, do: lookRemoved},
		{on: onBatch, keys: []int16{keyProduce, keyFetch}, rules: []*Rule{&ks9003, &ks9004, &ks9005}, when: oddHead | elsewhere | topicForgotten, do: lookFormats},
		{on: onBatch, keys: []int16{keyProduce, keyFetch}, rules: []*Rule{&ks9012}, when: dated, do: lookFuture},
		{on: onRequest, keys: []int16{keyApiVersions}, rules: []*Rule{&ks9006}, do: lookAsked},
		{on: onClosed, rules: []*Rule{&ks9006}, do: lookNeverAsked},
		{on: onRequest, keys: []int16{keyApiVersions}, rules: []*Rule{&ks9007}, do: lookOldHandshake},
		{on: onExchange, keys: []int16{keyApiVersions}, rules: []*Rule{&ks9008, &ks9010}, do: lookOffer},
		{on: onRequest, keys: []int16{keyAlterConfigs}, rules: []*Rule{&ks9011}, do: lookAlterConfigs},
		{on: onLegacyRequest, rules: []*Rule{&ks9013}, do: lookLegacyTraffic},
		{on: onRequest, keys: []int16{keyJoinGroup}, rules: []*Rule{&ks9014}, do: lookClassic},
	},
	left: []LeftOut{{"KS9009", "ZooKeeper in use", "it needs the ZooKeeper protocol, which is not decoded yet; the connections are counted as zookeeper"}},
}
