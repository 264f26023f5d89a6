package audit

// Keys of APIs that belong to no other family.
const (
	keyDescribeGroups     int16 = 15
	keyCreatePartitions   int16 = 37
	keyDeleteTopics       int16 = 20
	keyDeleteRecords      int16 = 21
	keyOffsetForEpoch     int16 = 23
	keyIncrementalConfigs int16 = 44
)

// keysOfCoordinators are the APIs that go to the coordinator of a group or transaction.
var keysOfCoordinators = []int16{keyOffsetCommit, keyOffsetFetch, keyJoinGroup, keyHeartbeat, keyLeaveGroup, keySyncGroup, keyInitProducerId,
	keyAddPartitionsToTxn, keyAddOffsetsToTxn, keyEndTxn, keyTxnOffsetCommit, keyConsumerHeartbeat}

// keysOfRetries are the APIs whose requests are compared with the ones before.
var keysOfRetries = append([]int16{keyProduce, keyFetch, keyListOffsets, keyMetadata, keyFindCoordinator, keyDescribeGroups, keyCreateTopics,
	keyDeleteTopics, keyDeleteRecords, keyOffsetForEpoch, keyCreateAcls, keyDescribeConfigs, keyAlterConfigs, keyCreatePartitions, keyIncrementalConfigs}, keysOfCoordinators...)

// ks7 is errors and retries.
var ks7 = family{
	name: "KS7", title: "errors and retries",
	rules: []*Rule{&ks7001, &ks7002, &ks7003, &ks7004, &ks7005, &ks7006, &ks7007, &ks7008, &ks7009, &ks7010, &ks7011, &ks7012, &ks7013, &ks7014, &ks7015},
	looks: []look{
		{on: onRequest, keys: []int16{keyMetadata, keyFindCoordinator, keyListOffsets}, rules: []*Rule{&ks7001, &ks7002, &ks7008}, do: noteLookups},
		{on: onExchange, keys: []int16{keyProduce, keyFetch}, rules: []*Rule{&ks7001}, when: failed | leaderLost, do: lookStaleLeader},
		{on: onExchange, keys: keysOfCoordinators, rules: []*Rule{&ks7002}, do: lookStaleCoordinator},
		{on: onRequest, keys: keysOfRetries, rules: []*Rule{&ks7003, &ks7006}, when: refusalsSlot.mark, do: lookRetries},
		{on: onExchange, keys: keysOfRetries, rules: []*Rule{&ks7003, &ks7006}, when: failed | refusalsSlot.mark, do: noteRefusals},
		{on: onRequest, rules: []*Rule{&ks7004}, when: throttleSlot.mark, do: lookThrottled},
		{on: onExchange, rules: []*Rule{&ks7004}, when: throttled, do: noteThrottle},
		{on: onRequest, keys: []int16{keyMetadata}, rules: []*Rule{&ks7005}, do: lookMetadataStorm},
		{on: onBatch, keys: []int16{keyProduce}, rules: []*Rule{&ks7007}, when: named | several, do: noteProducer},
		{on: onExchange, keys: []int16{keyProduce}, rules: []*Rule{&ks7007}, when: failed | fatalKnown, do: lookFatalProducer},
		{on: onRequest, keys: []int16{keyFetch}, rules: []*Rule{&ks7008, &ks7009}, when: stuckSlot.mark | badSessionSlot.mark, do: noteFetch},
		{on: onExchange, keys: []int16{keyFetch}, rules: []*Rule{&ks7008}, when: failed | stuckSlot.mark, do: lookOutOfRange},
		{on: onLegacyRequest, rules: []*Rule{&ks7008}, do: noteLegacyFetch},
		{on: onLegacyExchange, rules: []*Rule{&ks7008}, do: lookLegacyOutOfRange},
		{on: onExchange, keys: []int16{keyFetch}, rules: []*Rule{&ks7009}, when: failed, do: noteFetchSession},
		{on: onExchange, keys: []int16{keyHeartbeat}, rules: []*Rule{&ks7010}, do: lookRebalance},
		{on: onRequest, keys: []int16{keyJoinGroup}, rules: []*Rule{&ks7010}, do: noteRejoin},
		{on: onExchange, keys: keysOfMembers, rules: []*Rule{&ks6022, &ks7011}, do: lookExpelled},
		{on: onClosed, rules: []*Rule{&ks7012}, do: lookConnectionStorm},
		{on: onEnded, rules: []*Rule{&ks7013}, do: lookTimeouts},
		{on: onExchange, keys: []int16{keyFetch}, rules: []*Rule{&ks7014}, when: failed, do: lookStorageError},
		{on: onExchange, rules: []*Rule{&ks7015}, when: failed, do: lookUnknownErrors},
	},
}
