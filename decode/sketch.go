package decode

// A slot is where a View keeps a field's value. Fields without a slot are stepped over.
type slot uint8

const (
	noSlot slot = iota
	slotAcks
	slotTransactional
	slotReplicaID
	slotMaxWaitMs
	slotMinBytes
	slotMaxBytes
	slotIsolationLevel
	slotSessionID
	slotSessionEpoch
	slotErrorCode
	slotThrottle
	slotTopic     // name or id
	slotPartition // the array of partitions
	slotIndex
	slotPartitionError
	slotFetchOffset
	slotLogStartOffset
	slotHighWatermark
	slotLastStableOffset
	slotBaseOffset
	slotPartitionMaxBytes
	slotRecords
	slotForgottenTopic
	slotForgotten // the array of partition numbers
)

// sketches says, by message, what a View keeps.
var sketches = map[string]map[string]slot{
	"ProduceRequest": {
		"TransactionalId": slotTransactional, "Acks": slotAcks,
		"TopicData.Name": slotTopic, "TopicData.TopicId": slotTopic,
		"TopicData.PartitionData": slotPartition, "TopicData.PartitionData.Index": slotIndex,
		"TopicData.PartitionData.Records": slotRecords,
	},
	"ProduceResponse": {
		"ThrottleTimeMs": slotThrottle,
		"Responses.Name": slotTopic, "Responses.TopicId": slotTopic,
		"Responses.PartitionResponses": slotPartition, "Responses.PartitionResponses.Index": slotIndex,
		"Responses.PartitionResponses.ErrorCode":      slotPartitionError,
		"Responses.PartitionResponses.BaseOffset":     slotBaseOffset,
		"Responses.PartitionResponses.LogStartOffset": slotLogStartOffset,
	},
	"FetchRequest": {
		"ReplicaId": slotReplicaID, "ReplicaState.ReplicaId": slotReplicaID, "MaxWaitMs": slotMaxWaitMs,
		"MinBytes": slotMinBytes, "MaxBytes": slotMaxBytes, "IsolationLevel": slotIsolationLevel,
		"SessionId": slotSessionID, "SessionEpoch": slotSessionEpoch,
		"Topics.Topic": slotTopic, "Topics.TopicId": slotTopic,
		"Topics.Partitions": slotPartition, "Topics.Partitions.Partition": slotIndex,
		"Topics.Partitions.FetchOffset": slotFetchOffset, "Topics.Partitions.LogStartOffset": slotLogStartOffset,
		"Topics.Partitions.PartitionMaxBytes": slotPartitionMaxBytes,
		"ForgottenTopicsData.Topic":           slotForgottenTopic, "ForgottenTopicsData.TopicId": slotForgottenTopic,
		"ForgottenTopicsData.Partitions": slotForgotten,
	},
	"FetchResponse": {
		"ThrottleTimeMs": slotThrottle, "ErrorCode": slotErrorCode, "SessionId": slotSessionID,
		"Responses.Topic": slotTopic, "Responses.TopicId": slotTopic,
		"Responses.Partitions": slotPartition, "Responses.Partitions.PartitionIndex": slotIndex,
		"Responses.Partitions.ErrorCode":        slotPartitionError,
		"Responses.Partitions.HighWatermark":    slotHighWatermark,
		"Responses.Partitions.LastStableOffset": slotLastStableOffset,
		"Responses.Partitions.LogStartOffset":   slotLogStartOffset,
		"Responses.Partitions.Records":          slotRecords,
	},
	"ShareFetchRequest": {
		"MaxWaitMs": slotMaxWaitMs, "MinBytes": slotMinBytes, "MaxBytes": slotMaxBytes, "ShareSessionEpoch": slotSessionEpoch,
		"Topics.TopicId": slotTopic, "Topics.Partitions": slotPartition, "Topics.Partitions.PartitionIndex": slotIndex,
		"ForgottenTopicsData.TopicId": slotForgottenTopic, "ForgottenTopicsData.Partitions": slotForgotten,
	},
	"ShareFetchResponse": {
		"ThrottleTimeMs": slotThrottle, "ErrorCode": slotErrorCode,
		"Responses.TopicId": slotTopic, "Responses.Partitions": slotPartition,
		"Responses.Partitions.PartitionIndex": slotIndex, "Responses.Partitions.ErrorCode": slotPartitionError,
		"Responses.Partitions.Records": slotRecords,
	},
}

// keep stores the value of an integer field.
func (v *View) keep(s slot, x int64) {
	switch s {
	case slotAcks:
		v.Acks = int16(x)
	case slotReplicaID:
		v.ReplicaID = int32(x)
	case slotMaxWaitMs:
		v.MaxWaitMs = int32(x)
	case slotMinBytes:
		v.MinBytes = int32(x)
	case slotMaxBytes:
		v.MaxBytes = int32(x)
	case slotIsolationLevel:
		v.IsolationLevel = int8(x)
	case slotSessionID:
		v.SessionID = int32(x)
	case slotSessionEpoch:
		v.SessionEpoch = int32(x)
	case slotErrorCode:
		v.ErrorCode = int16(x)
	case slotThrottle:
		v.ThrottleTimeMs = int32(x)
	case slotIndex, slotForgotten:
		v.item.Index = int32(x)
	case slotPartitionError:
		v.item.ErrorCode = int16(x)
	case slotFetchOffset:
		v.item.FetchOffset = x
	case slotLogStartOffset:
		v.item.LogStartOffset = x
	case slotHighWatermark:
		v.item.HighWatermark = x
	case slotLastStableOffset:
		v.item.LastStableOffset = x
	case slotBaseOffset:
		v.item.BaseOffset = x
	case slotPartitionMaxBytes:
		v.item.MaxBytes = int32(x)
	}
}
