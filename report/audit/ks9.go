package audit

// ks9 is readiness for 4.0 and newer.
var ks9 = family{
	name: "KS9", title: "readiness for 4.0 and newer",
	rules: []*Rule{&ks9001, &ks9002, &ks9007, &ks9011, &ks9013},
	looks: []look{
		{on: onRequest, rules: []*Rule{&ks9001, &ks9002}, do: lookRemoved},
		{on: onRequest, keys: []int16{keyApiVersions}, rules: []*Rule{&ks9007}, do: lookOldHandshake},
		{on: onRequest, keys: []int16{keyAlterConfigs}, rules: []*Rule{&ks9011}, do: lookAlterConfigs},
		{on: onLegacyRequest, rules: []*Rule{&ks9013}, do: lookLegacyTraffic},
	},
}
