package records

import "encoding/binary"

// Counts are what a Summary counts.
type Counts struct {
	Batches, Messages, Control int64
	Codecs                     [8]int64
}

// Plain adds up a record set as nearly all are: there from end to end, whole batches of format 2, nothing wrong
// with their heads. Of any other it says false: a Scanner must look. What it counts a Scanner (neither Legacy nor
// Deep) counts alike, without a fault; it saves making a Scanner ready, most of the time for a small set.
func Plain(set []byte) (c Counts, ok bool) {
	for len(set) > 0 {
		if len(set) < headV2 {
			return c, false
		}
		h := set[:headV2]
		size := setHead + int(int32(binary.BigEndian.Uint32(h[8:])))
		attributes, codec := h[22], Codec(h[22]&7)
		delta, count := int32(binary.BigEndian.Uint32(h[23:])), int32(binary.BigEndian.Uint32(h[57:]))
		if size < headV2 || size > len(set) || h[magicAt] != 2 || codec > Zstd || !plausible(count, delta, codec, size) {
			return c, false
		}
		c.Batches++
		c.Codecs[codec]++
		if attributes&0x20 != 0 {
			c.Control += int64(count)
		} else {
			c.Messages += int64(count)
		}
		set = set[size:]
	}
	return c, true
}
