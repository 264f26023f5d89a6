package audit

// ks3 is record batches and codecs.
var ks3 = family{
	name: "KS3", title: "record batches and codecs",
	rules: []*Rule{},
	looks: []look{},
}
