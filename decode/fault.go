// Package decode turns one Kafka frame into a tree of fields. Pure functions: it knows no
// connection, no clock, no input or output.
package decode

// Kind says which way a frame goes.
type Kind uint8

// The kinds of frames.
const (
	Request Kind = iota
	Response
)

func (k Kind) String() string {
	if k == Request {
		return "request"
	}
	return "response"
}

// Class groups faults by whose doing they are. Only Broken can be a violation of the protocol.
type Class uint8

// The classes of faults.
const (
	Broken     Class = iota + 1 // the peer broke the protocol
	Incomplete                  // the capture lacks bytes: snap length, gap, start in mid-stream
	Unknown                     // ksniff does not know this API or version
	Limit                       // ksniff stopped on purpose: depth, size, decompression
)

var classNames = [...]string{Broken: "broken", Incomplete: "incomplete", Unknown: "unknown", Limit: "limit"}

func (c Class) String() string { return classNames[c] }

// Fault says where and why decoding stopped or had to tolerate something. It holds no reference to
// the frame, and its message is made only when asked for.
type Fault struct {
	Code   Code
	Class  Class
	Offset int   // in the frame's body, from the byte after the length word
	Need   int   // bytes, elements or the value that the place asked for
	Have   int   // what was there
	Node   int32 // node of the tree that was being read, -1 where there is none
	// Tolerated says that the decoding went on after it: what follows is still clear.
	Tolerated bool
}

// Code names a kind of fault. Codes are never merged; add one where a new kind of wrong appears.
type Code uint8

// The fault codes of messages, record sets and legacy frames (DESIGN section 6).
const (
	Truncated Code = iota + 1
	TrailingBytes
	BadLength
	BadCount
	NullNotAllowed
	VarintOverflow
	VarintNotMinimal
	InvalidUTF8
	TagOrder
	TagSize
	UnknownKey
	UnknownVersion
	CRCMismatch
	BadCodec
	CountMismatch
	BadMagic
	BadRecord
	TooLarge
	BadFrameSize
	DecompressError
	TooDeep
	TooManyNodes
	CodecChecksum     // a checksum of the compressed format itself
	LZ4HeaderChecksum // of the LZ4 frame header; tolerated (KAFKA-3160 where it does not belong)
)

var codeNames = [...]string{
	Truncated: "truncated", TrailingBytes: "trailing_bytes", BadLength: "bad_length", BadCount: "bad_count",
	NullNotAllowed: "null_not_allowed", VarintOverflow: "varint_overflow", VarintNotMinimal: "varint_not_minimal",
	InvalidUTF8: "invalid_utf8", TagOrder: "tag_order", TagSize: "tag_size", UnknownKey: "unknown_key",
	UnknownVersion: "unknown_version", CRCMismatch: "crc_mismatch", BadCodec: "bad_codec",
	CountMismatch: "count_mismatch", BadMagic: "bad_magic", BadRecord: "bad_record", TooLarge: "too_large",
	BadFrameSize: "bad_frame_size", DecompressError: "decompress_error", TooDeep: "too_deep", TooManyNodes: "too_many_nodes",
	CodecChecksum: "codec_checksum", LZ4HeaderChecksum: "lz4_header_checksum",
}

func (c Code) String() string { return codeNames[c] }

// CodeNames are the names of all codes.
func CodeNames() []string { return codeNames[1:] }
