package audit

import "ksniff/decode/records"

// ks3 is record batches and codecs.
var ks3 = family{
	name: "KS3", title: "record batches and codecs",
	rules: []*Rule{&ks3001, &ks3002, &ks3003, &ks3004, &ks3005, &ks3006, &ks3007, &ks3008, &ks3009, &ks3010, &ks3011, &ks3012,
		&ks3013, &ks3014, &ks3015, &ks3016, &ks3017, &ks3018, &ks3019, &ks3020, &ks3021, &ks3022, &ks3023, &ks3024, &ks3025,
		&ks3026, &ks3027, &ks3028, &ks3029, &ks3030},
	looks: []look{
		{on: onRequest, keys: ofProduce, rules: []*Rule{&ks3006}, do: lookNoBatch},
		{on: onBatch, keys: withRecords, rules: []*Rule{&ks3001, &ks3002}, do: lookCRC},
		{on: onBatch, keys: ofProduce, rules: []*Rule{&ks3003, &ks3005, &ks3007, &ks3009, &ks3010, &ks3011, &ks3012, &ks3017,
			&ks3020, &ks3021, &ks3022, &ks3023, &ks3027, &ks3002, &ks3024, &ks3025}, do: lookProducedBatch},
		{on: onBatch, keys: []int16{keyFetch, keyShareFetch}, rules: []*Rule{&ks3003, &ks3008, &ks3009, &ks3010, &ks3020, &ks3027, &ks3030,
			&ks3002, &ks3024}, do: lookServedBatch},
		{on: onBatch, keys: ofFetch, rules: []*Rule{&ks3029}, do: lookAscending},
		{on: onBatch, keys: ofProduce, rules: []*Rule{&ks3019}, do: lookSkew},
		{on: onExchange, keys: ofProduce, rules: []*Rule{&ks3019}, do: lookSkewAnswer},
		{on: onUnanswered, keys: ofProduce, rules: []*Rule{&ks3019}, do: lookSkewAnswer},
		{on: onBatch, keys: withRecords, rules: []*Rule{&ks3003, &ks3004, &ks3006, &ks3013, &ks3014, &ks3015, &ks3016, &ks3018, &ks3020, &ks3023, &ks3026, &ks3029}, do: noteBatch},
		{on: onRecord, keys: ofProduce, rules: []*Rule{&ks3015, &ks3016, &ks3018, &ks3020, &ks3026}, do: noteRecord},
		{on: onRecord, keys: []int16{keyFetch, keyShareFetch}, rules: []*Rule{&ks3020}, do: noteBits},
		{on: onBatchEnd, keys: withRecords, rules: []*Rule{&ks3013, &ks3014, &ks3028}, do: lookCount},
		{on: onBatchEnd, keys: ofProduce, rules: []*Rule{&ks3015, &ks3016, &ks3018, &ks3020}, do: lookProducedRecords},
		{on: onBatchEnd, keys: ofProduce, rules: []*Rule{&ks3026}, do: noteKeyless},
		{on: onBatchEnd, keys: []int16{keyFetch, keyShareFetch}, rules: []*Rule{&ks3020}, do: lookRecordBits},
		{on: onExchange, keys: []int16{keyCreateTopics, keyDescribeConfigs}, rules: []*Rule{&ks3026}, do: learnCompacted},
		{on: onExchange, keys: ofProduce, rules: []*Rule{&ks3026}, do: lookKeyless},
		{on: onUnanswered, keys: ofProduce, rules: []*Rule{&ks3026}, do: lookKeyless},
		{on: onSet, keys: withRecords, rules: []*Rule{&ks3003, &ks3004, &ks3006, &ks3023, &ks3029}, do: lookSetEnd},
	},
}

// Keys of looks at record sets.
var (
	ofProduce   = []int16{keyProduce}
	ofFetch     = []int16{keyFetch}
	withRecords = []int16{keyProduce, keyFetch, keyShareFetch}
)

// setSeen is what was seen of a record set before the batch that is looked at, and of that batch's records.
type setSeen struct {
	batches int
	sum     int // bytes of the batches
	magic   int8
	last    int64 // offset of the batch before
	records recordsSeen
}

var setSlot = newAuditSlot[setSeen]()

// lookProducedBatch asks the looks at batches of a Produce request; nearly all are of a kind that they have nothing to say of.
func lookProducedBatch(c *Ctx) {
	b := c.Batch
	if b.Magic == 2 && b.Codec < records.LZ4 && b.BaseOffset == 0 && b.Count > 0 && b.LastOffset == int64(b.Count-1) && b.Attributes&^0x17 == 0 && c.Opening {
		return
	}
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
	b := c.Batch
	if b.Magic == 2 && b.Codec < records.LZ4 && b.Attributes&^0x7f == 0 && (c.Version >= 4 || c.Key != keyFetch) {
		return
	}
	lookShort(c)
	if c.Key == keyFetch {
		lookServedFormat(c)
	}
	lookAttributes(c)
	lookLZ4(c)
	lookInside(c)
}

// noteBatch adds a batch to what was seen of its set. It runs after the looks that ask for the batches before.
func noteBatch(c *Ctx) {
	s := setSlot.of(c)
	s.batches++
	s.sum += c.Batch.Size
	s.magic, s.last = c.Batch.Magic, c.Batch.LastOffset
	s.records = recordsSeen{disorder: -1, keyless: -1}
}

// in says which field of the batch it is about, by its offset from the batch's first byte.
func (f *Finding) in(c *Ctx, at int, field string) *Finding {
	if f != nil {
		f.Byte(c.Set+c.Batch.Pos+at, "Records."+field).About(c.Topic, c.Partition)
	}
	return f
}
