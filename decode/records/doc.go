// Package records reads record sets: message sets of formats 0 and 1, those of 0.6 and 0.7, and record batches
// of format 2, compressed or not. A Scanner adds up batch headers of a set that arrives in pieces; a Reader
// gives every batch and record of a set that is there.
//
// Positions and fault offsets count from the start of the record set; inside compressed data they name the
// batch that holds it.
package records

import "ksniff/decode"

// Bounds on what a record set may cost. Sizes claimed on the wire never allocate.
const (
	MaxBatch = 64 << 20  // bytes that one batch may decompress to, all nesting levels together
	MaxSet   = 256 << 20 // bytes that the batches of one set may decompress to, or 100 times the set's size if that is more
	MaxOpen  = 16 << 20  // bytes of a batch that a Scanner asks for at once; larger ones are counted from their header
	MaxDepth = 8         // wrappers in wrappers; Kafka allows one level, 0.7 any number
)

// Codec is how the records of a batch are compressed: the low bits of its attributes.
type Codec uint8

// The codecs. Numbers above Zstd do not exist.
const (
	None Codec = iota
	Gzip
	Snappy
	LZ4
	Zstd
)

var codecNames = [8]string{"none", "gzip", "snappy", "lz4", "zstd", "unknown(5)", "unknown(6)", "unknown(7)"}

func (c Codec) String() string { return codecNames[c&7] }

// fault makes a Fault of class broken, or limit where ksniff gave up on purpose. It is tolerated where it
// hides nothing of what follows.
func fault(code decode.Code, offset, need, have int) decode.Fault {
	class := decode.Broken
	if code == decode.TooLarge || code == decode.TooDeep {
		class = decode.Limit
	}
	tolerated := code == decode.CRCMismatch || code == decode.LZ4HeaderChecksum
	return decode.Fault{Code: code, Class: class, Offset: offset, Need: need, Have: have, Node: -1, Tolerated: tolerated}
}
