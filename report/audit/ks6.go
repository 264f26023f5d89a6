package audit

// ks6 is groups, offsets, delivery.
var ks6 = family{
	name: "KS6", title: "groups, offsets, delivery",
	rules: []*Rule{},
	looks: []look{},
}
