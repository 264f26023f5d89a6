package decode

import "ksniff/decode/schema"

// Node is one field in a Tree. Children of a node follow it directly (index+1), siblings are chained
// by Next. Leaves and prefixes tile the frame: the bytes of a node are its prefix, then its value or
// its children.
type Node struct {
	Field  *schema.Field // an array element has its array's; nil at the two tops, for Tags and Unread tags
	Offset int32         // in the body, of the prefix
	Length int32         // bytes of the field, its prefix included
	Parent int32         // index, -1 at the top
	Next   int32         // index of the next sibling, 0 where there is none
	Kind   NodeKind
	Prefix uint8 // bytes of tag, tag size, null mark, length, count or number of tags before the value
	flags  uint8
}

// NodeKind says what a node is.
type NodeKind uint8

// The kinds of nodes. Those of fields have the numbers of schema.Type.
const (
	Bool       = NodeKind(schema.Bool)
	Int8       = NodeKind(schema.Int8)
	Int16      = NodeKind(schema.Int16)
	Uint16     = NodeKind(schema.Uint16)
	Int32      = NodeKind(schema.Int32)
	Uint32     = NodeKind(schema.Uint32)
	Int64      = NodeKind(schema.Int64)
	Float64    = NodeKind(schema.Float64)
	String     = NodeKind(schema.String)
	UUID       = NodeKind(schema.UUID)
	Bytes      = NodeKind(schema.Bytes)
	RecordSet  = NodeKind(schema.Records) // an extent: its bytes are not looked at, and may have holes
	Struct     = NodeKind(schema.Struct)
	Array      = Struct + 1
	Tags       = Struct + 2 // end of a flexible struct: the number of tagged fields, then these
	UnknownTag = Struct + 3 // a tagged field that the schema does not know: tag, size, raw bytes
)

const (
	flagNull     = 1 << iota // null on the wire
	flagCut                  // a leaf whose value could not be read: decoding stopped in it
	flagRepeated             // a tagged field that comes again later; the last one counts, as in Kafka
)

// Bounds of one tree. Kafka 4.4's own reader has the same for strings, elements and tags.
const (
	DefaultMaxNodes = 4 << 20
	maxString       = 32767 // longer ones are tolerated, and not checked for UTF-8
	maxElements     = 1_000_000
	maxTags         = 10_000
	keptNodes       = 1 << 16 // room that is kept whatever the frames are
	maxFaults       = 64      // tolerated faults that are kept; all are counted
)

// Tree is the field tree of one frame: header, then body. It belongs to the caller and is meant to be
// used again for the next frame; then nothing is allocated in steady state. It holds slices of the
// frame, so it must not outlive it.
type Tree struct {
	Key         int16 // API key, -1 for a message without header
	Version     int16 // API version as asked for
	BodyVersion int16 // version of the body's layout: 0 in an ApiVersions answer in form 0
	Kind        Kind
	API         *schema.API // nil where the key is unknown
	Nodes       []Node      // in the order of the wire
	// Faults has the tolerated faults (the first 64; Tolerant counts all) and, last, the one that
	// stopped the decoding.
	Faults   []Fault
	Tolerant int
	Trailing int // bytes left over after the body
	MaxNodes int // bound of Nodes; 0 means DefaultMaxNodes

	frame        Frame
	header, body int32   // nodes, -1 where there is none
	top          [2]form // layouts of these
}

// Whole says that the decoding reached the end of the message: whatever faults there are, were tolerated.
func (t *Tree) Whole() bool {
	return t.body >= 0 && (len(t.Faults) == 0 || t.Faults[len(t.Faults)-1].Tolerated)
}

// Fault gives the fault to report for the frame: the one that stopped the decoding, else the first
// tolerated one.
func (t *Tree) Fault() (Fault, bool) {
	if n := len(t.Faults); n > 0 {
		if last := t.Faults[n-1]; !last.Tolerated {
			return last, true
		}
		return t.Faults[0], true
	}
	return Fault{}, false
}
