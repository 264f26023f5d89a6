package decode

import "math"

// Facts are what stands before, between or behind the topics of a Produce, Fetch or ShareFetch message, once
// it was read. Until then, and where the version has no such field:
type Facts struct {
	Acks           int16 // -128
	Transactional  bool  // false; true where TransactionalId is not null
	ReplicaID      int32 // -1
	MaxWaitMs      int32 // -1
	MinBytes       int32 // -1
	MaxBytes       int32 // 2147483647
	IsolationLevel int8  // 0
	SessionID      int32 // 0, as in a response to "no session"
	SessionEpoch   int32 // -1, the epoch of no session
	ErrorCode      int16 // 0; of a response as a whole
	ThrottleTimeMs int32 // -1
}

var noFacts = Facts{Acks: -128, ReplicaID: -1, MaxWaitMs: -1, MinBytes: -1, MaxBytes: math.MaxInt32, SessionEpoch: -1, ThrottleTimeMs: -1}
