package audit

// ks4 is produce, idempotence, transactions.
var ks4 = family{
	name: "KS4", title: "produce, idempotence, transactions",
	rules: []*Rule{&ks4001, &ks4002, &ks4003, &ks4004, &ks4005, &ks4006, &ks4007, &ks4008, &ks4009, &ks4010, &ks4011, &ks4012,
		&ks4013, &ks4014, &ks4015, &ks4016, &ks4017, &ks4018, &ks4019, &ks4020, &ks4021, &ks4022, &ks4023, &ks4024},
	looks: []look{
		{on: onRequest, keys: ofProduce, rules: []*Rule{&ks4001, &ks4024}, when: unlike, do: lookAcks},
		{on: onUnmatched, rules: []*Rule{&ks4002}, do: lookAnswerToSilence},
		{on: onRequest, keys: ofProduce, rules: []*Rule{&ks4003}, when: mute, do: noteSilence},
		{on: onExchange, rules: []*Rule{&ks4003}, when: lastSilenceSlot.mark, do: endSilence},
		{on: onClosed, rules: []*Rule{&ks4003}, do: lookSilentFailure},
		{on: onRequest, keys: ofProduce, rules: []*Rule{&ks4023}, when: several, do: lookProducedTwice},
		{on: onBatch, keys: ofProduce, rules: []*Rule{&ks4004, &ks4005, &ks4006, &ks4007, &ks4008, &ks4009, &ks4010, &ks4011, &ks4012, &ks4013,
			&ks4015, &ks4016, &ks4017, &ks4020, &ks4021}, when: named, do: lookProducersBatch},
		{on: onExchange, keys: ofProduce, rules: []*Rule{&ks4012}, do: endFlight},
		{on: onUnanswered, keys: ofProduce, rules: []*Rule{&ks4012}, do: endFlight},
		{on: onSet, keys: ofProduce, rules: []*Rule{&ks4007, &ks4011}, when: oddSet, do: noteUnread},
		{on: onExchange, keys: ofProduce, rules: []*Rule{&ks4007, &ks4008, &ks4009}, do: noteOutcome},
		{on: onRequest, keys: []int16{keyInitProducerId}, rules: []*Rule{&ks4014}, do: lookInitArguments},
		{on: onRequest, keys: []int16{keyEndTxn}, rules: []*Rule{&ks4010}, do: lookEndEpoch},
		{on: onExchange, keys: []int16{keyInitProducerId, keyEndTxn}, rules: []*Rule{&ks4010}, do: noteEpoch},
		{on: onRequest, keys: []int16{keyTxnOffsetCommit, keyEndTxn}, rules: []*Rule{&ks4016}, do: lookFeature},
		{on: onRequest, keys: []int16{keyTxnOffsetCommit}, rules: []*Rule{&ks4018}, do: lookOffsetsInTransaction},
		{on: onRequest, keys: []int16{keyEndTxn}, rules: []*Rule{&ks4021}, do: lookLongTransaction},
		{on: onRequest, keys: []int16{keyEndTxn}, rules: []*Rule{&ks4015, &ks4017, &ks4018}, do: noteEnding},
		{on: onRequest, keys: []int16{keyAddPartitionsToTxn, keyAddOffsetsToTxn}, rules: []*Rule{&ks4015, &ks4017, &ks4018, &ks4021}, do: noteAdded},
		{on: onExchange, keys: []int16{keyAddPartitionsToTxn, keyAddOffsetsToTxn}, rules: []*Rule{&ks4015, &ks4018}, do: noteRefused},
		{on: onExchange, keys: []int16{keyInitProducerId, keyEndTxn}, rules: []*Rule{&ks4015, &ks4017, &ks4018, &ks4021}, do: noteNewTransaction},
		{on: onRequest, keys: []int16{keyJoinGroup, keySyncGroup, keyHeartbeat, keyConsumerHeartbeat}, rules: []*Rule{&ks4019}, do: noteGroup},
		{on: onRequest, keys: []int16{keyTxnOffsetCommit}, rules: []*Rule{&ks4019}, do: lookFencing},
		{on: onExchange, keys: []int16{keyInitProducerId}, rules: []*Rule{&ks4020}, do: noteOwner},
		{on: onRequest, keys: []int16{keyAddPartitionsToTxn}, rules: []*Rule{&ks4022}, do: lookAddedByClient},
	},
}

// lookProducersBatch asks the looks at batches that name a producer.
func lookProducersBatch(c *Ctx) {
	b := c.Batch
	if b.ProducerID < 0 && b.ProducerEpoch < 0 && !b.Transactional() {
		return
	}
	lookProducer(c)
	lookInFlight(c)
	lookSequence(c)
	if b.Transactional() || c.Audit.marks&transactionKnown != 0 {
		lookInTransaction(c)
	}
	if b.Transactional() {
		lookProducedEpoch(c)
		lookProducedFeature(c)
		lookOwners(c)
	}
}
