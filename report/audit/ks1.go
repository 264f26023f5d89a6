package audit

// ks1 is framing, 0.6 and 0.7.
var ks1 = family{
	name: "KS1", title: "framing, 0.6 and 0.7",
	rules: []*Rule{},
	looks: []look{},
}
