package decode

import "ksniff/decode/schema"

// Node is one field in a Tree. Children of a node follow it directly (index+1), siblings are chained by Next.
type Node struct {
	Field  *schema.Field // nil for array elements and raw nodes
	Kind   NodeKind
	Offset int32 // in the body; leaves and length prefixes tile the frame
	Length int32 // bytes of the field, its length prefix included
	Parent int32 // index, -1 at the top
	Next   int32 // index of the next sibling, 0 where there is none
}

// NodeKind says what a node is.
type NodeKind uint8
