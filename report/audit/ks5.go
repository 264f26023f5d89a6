package audit

// ks5 is fetch and fetch sessions.
var ks5 = family{
	name: "KS5", title: "fetch and fetch sessions",
	rules: []*Rule{},
	looks: []look{},
}
