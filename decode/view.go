package decode

// View reads a Produce, Fetch or ShareFetch message piece by piece: only the fields that a report needs, no
// tree, nothing allocated, and record bytes are stepped over without being looked at. It runs the same plans
// as the walker and finds the same faults. The zero View is ready for Begin; it may be copied.
type View struct {
	Facts
	Trailing int // bytes left over after the message, at End
	Tolerant int // tolerated faults so far

	cursor
	levels [maxLevels]level
}

// cursor is where a View is.
type cursor struct {
	plan   *plan
	pos    int // next byte to read
	limit  int // end of the frame, or of the tagged field that is being read
	length int // of the frame's body
	depth  int
	status Status // what Next said last; End and Bad stay
	item   Item
	told   bool // this partition was handed out, at its records
	fresh  bool // the item was handed out, and the next one is a partition
	first  Fault
	bad    Fault

	b    []byte // what Next was given
	base int
}

// Item is what Next found. Only the fields that the message and the status have are set.
type Item struct {
	Name             []byte   // topic, up to Fetch and Produce 12; a slice of the bytes given to Next, nil where longer than 32767
	ID               [16]byte // topic id, from 13 on
	Index            int32    // partition
	ErrorCode        int16
	FetchOffset      int64 // Fetch request, -1 elsewhere
	LogStartOffset   int64
	HighWatermark    int64 // Fetch response, -1 elsewhere
	LastStableOffset int64
	BaseOffset       int64 // Produce response, -1 elsewhere
	MaxBytes         int32 // PartitionMaxBytes of a Fetch request
	Records          int   // where the record set begins in the frame's body
	Length           int   // its bytes; -1 where it is null or the message has none
	Need             int   // More: bytes that must be there from Pos on
}

// Status says what Next found.
type Status uint8

// The statuses.
const (
	More           Status = iota // Item.Need bytes must be there from Pos on; call again with them
	Topic                        // Item.Name or Item.ID
	Partition                    // of the topic before; Pos is behind its records
	ForgottenTopic               // Item.Name or Item.ID: a Fetch session drops partitions of it
	Forgotten                    // Item.Index
	End                          // the message is read; Trailing says what is left over
	Bad                          // decoding stopped, see Fault

	again // nothing to tell yet
)

// Begin starts the message that begins at bodyOffset (behind the header) of a frame's body of length bytes.
// It says false where there is no view of this message, or its version is not known.
func (v *View) Begin(key, version int16, kind Kind, bodyOffset, length int) bool {
	plan := viewPlan(key, version, kind)
	if plan == nil {
		return false
	}
	// The levels stay as they are: each is written before it is read, and together they are 1 KB.
	v.Facts, v.Trailing, v.Tolerant = noFacts, 0, 0
	v.cursor = cursor{plan: plan, pos: bodyOffset, limit: length, length: length}
	v.levels[0] = level{ops: v.plan.blocks[0]}
	return true
}

// Pos is the offset in the frame's body from which Next goes on. It may lie behind the bytes that Next
// was given: what is between is not needed.
func (v *View) Pos() int { return v.pos }

// Fault is the fault that stopped the decoding, else the first tolerated one. Its Node is -1.
func (v *View) Fault() (Fault, bool) {
	if v.bad.Code != 0 {
		return v.bad, true
	}
	return v.first, v.first.Code != 0
}

// Next reads on to the next item. b is the frame's body from offset base on, contiguous, and base is not
// behind Pos unless b is empty.
func (v *View) Next(b []byte, base int) (Item, Status) {
	v.b, v.base = b, base
	switch v.item.Need = 0; {
	case v.fresh:
		v.item, v.fresh = noPartition, false
	case v.status == Topic, v.status == ForgottenTopic:
		v.item = Item{}
	}
	for v.status == again || v.status < End {
		if v.status = v.step(); v.status != again {
			break
		}
	}
	v.b = nil
	return v.item, v.status
}
