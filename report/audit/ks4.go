package audit

// ks4 is produce, idempotence, transactions.
var ks4 = family{
	name: "KS4", title: "produce, idempotence, transactions",
	rules: []*Rule{},
	looks: []look{},
}
