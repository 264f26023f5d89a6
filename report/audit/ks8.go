package audit

// ks8 is security.
var ks8 = family{
	name: "KS8", title: "security",
	rules: []*Rule{},
	looks: []look{},
}
