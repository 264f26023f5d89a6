package audit

// ks3 is record batches and codecs.
var ks3 = family{
	name: "KS3", title: "record batches and codecs",
	rules: []*Rule{&ks3001, &ks3002, &ks3003, &ks3004, &ks3005, &ks3006, &ks3007, &ks3008, &ks3009, &ks3010, &ks3011, &ks3012,
		&ks3013, &ks3014, &ks3015, &ks3016, &ks3017, &ks3018, &ks3019, &ks3020, &ks3021, &ks3022, &ks3023, &ks3024, &ks3025,
		&ks3026, &ks3027, &ks3028, &ks3029, &ks3030},
	looks: []look{
		{on: onRequest, keys: ofProduce, rules: []*Rule{&ks3006}, when: hollow, do: lookNoBatch},
		{on: onBatch, keys: withRecords, rules: []*Rule{&ks3001, &ks3002}, when: badSum, do: lookCRC},
		{on: onBatch, keys: ofProduce, rules: []*Rule{&ks3003, &ks3005, &ks3007, &ks3009, &ks3010, &ks3011, &ks3012, &ks3017,
			&ks3020, &ks3021, &ks3022, &ks3023, &ks3027, &ks3002, &ks3024, &ks3025}, when: oddHead, do: lookProducedBatch},
		{on: onBatch, keys: []int16{keyFetch, keyShareFetch}, rules: []*Rule{&ks3003, &ks3008, &ks3009, &ks3010, &ks3020, &ks3027, &ks3030,
			&ks3002, &ks3024}, when: oddHead, do: lookServedBatch},
		{on: onBatch, keys: ofFetch, rules: []*Rule{&ks3029}, when: later, do: lookAscending},
		{on: onBatch, keys: ofProduce, rules: []*Rule{&ks3019}, when: dated, do: lookSkew},
		{on: onExchange, keys: ofProduce, rules: []*Rule{&ks3019}, when: skewSlot.mark, do: lookSkewAnswer},
		{on: onUnanswered, keys: ofProduce, rules: []*Rule{&ks3019}, when: skewSlot.mark, do: lookSkewAnswer},
		{on: onBatchEnd, keys: withRecords, rules: []*Rule{&ks3013, &ks3014, &ks3028}, when: badRecords, do: lookCount},
		{on: onBatchEnd, keys: ofProduce, rules: []*Rule{&ks3015, &ks3016, &ks3018, &ks3020}, when: oddRecords, do: lookProducedRecords},
		{on: onBatchEnd, keys: ofProduce, rules: []*Rule{&ks3026}, when: keylessOne, do: noteKeyless},
		{on: onBatchEnd, keys: []int16{keyFetch, keyShareFetch}, rules: []*Rule{&ks3020}, when: oddRecords, do: lookRecordBits},
		{on: onExchange, keys: []int16{keyCreateTopics, keyDescribeConfigs}, rules: []*Rule{&ks3026}, do: learnCompacted},
		{on: onExchange, keys: ofProduce, rules: []*Rule{&ks3026}, when: failed | compactedKnown, do: lookKeyless},
		{on: onUnanswered, keys: ofProduce, rules: []*Rule{&ks3026}, when: compactedKnown, do: lookKeyless},
		{on: onSet, keys: withRecords, rules: []*Rule{&ks3003, &ks3004, &ks3006}, when: oddSet, do: lookSetEnd},
	},
}

// Keys of looks at record sets.
var (
	ofProduce   = []int16{keyProduce}
	ofFetch     = []int16{keyFetch}
	withRecords = []int16{keyProduce, keyFetch, keyShareFetch}
)

// lookProducedBatch asks the looks at odd batches of a Produce request.
func lookProducedBatch(c *Ctx) {
	lookShort(c)
	lookFormat(c)
	lookProducedHead(c)
	lookProducedBits(c)
	lookAttributes(c)
	lookLZ4(c)
	lookInside(c)
}

// lookServedBatch does the same for answers.
func lookServedBatch(c *Ctx) {
	lookShort(c)
	if c.Key == keyFetch {
		lookServedFormat(c)
	}
	lookAttributes(c)
	lookLZ4(c)
	lookInside(c)
}

// in says which field of the batch it is about, by its offset from the batch's first byte.
func (f *Finding) in(c *Ctx, at int, field string) *Finding {
	if f != nil {
		f.Byte(c.Set+c.Batch.Pos+at, "Records."+field).About(c.Topic, c.Partition)
	}
	return f
}
