package audit

// ks7 is errors and retries.
var ks7 = family{
	name: "KS7", title: "errors and retries",
	rules: []*Rule{},
	looks: []look{},
}
