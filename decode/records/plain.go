package records

import "encoding/binary"

// Plain adds up a record set as nearly all are: there from end to end, whole batches of format 2 of one codec, nothing
// wrong with their heads. Of any other it says false: a Scanner must look. What it counts a Scanner (neither Legacy
// nor Deep) counts alike, without a fault; it saves making a Scanner ready, most of the time for a small set.
func Plain(set []byte) (batches, messages, control int64, codec Codec, ok bool) {
	for len(set) > 0 {
		if len(set) < headV2 {
			return 0, 0, 0, 0, false
		}
		h := set[:headV2]
		size := setHead + int(int32(binary.BigEndian.Uint32(h[8:])))
		attributes, this := h[22], Codec(h[22]&7)
		delta, count := int32(binary.BigEndian.Uint32(h[23:])), int32(binary.BigEndian.Uint32(h[57:]))
		if size < headV2 || size > len(set) || h[magicAt] != 2 || this > Zstd || batches > 0 && this != codec || !plausible(count, delta, this, size) {
			return 0, 0, 0, 0, false
		}
		batches++
		codec = this
		if attributes&0x20 != 0 {
			control += int64(count)
		} else {
			messages += int64(count)
		}
		set = set[size:]
	}
	return batches, messages, control, codec, true
}
