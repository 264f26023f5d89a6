package frames

import (
	"strconv"

	"ksniff/decode"
)

// A way leads from the top of a tree down to a node. Going through all nodes in their order, it knows
// the number of each element without counting anew.
type way []step

type step struct {
	node   int32
	number int // among its siblings
	inside int // nodes within it so far
}

// enter goes on to the next node of the tree.
func (w *way) enter(t *decode.Tree, node int32) {
	parent := t.Nodes[node].Parent
	for len(*w) > 0 && (*w)[len(*w)-1].node != parent {
		*w = (*w)[:len(*w)-1]
	}
	number := 0
	if n := len(*w); n > 0 {
		number = (*w)[n-1].inside
		(*w)[n-1].inside++
	}
	*w = append(*w, step{node: node, number: number})
}

// append writes the way as a path: FetchResponse.Responses[3].Partitions.
func (w way) append(b []byte, t *decode.Tree) []byte {
	for i, s := range w {
		r := t.At(s.node)
		switch name := r.Name(); {
		case i > 0 && t.Nodes[w[i-1].node].Kind == decode.Array:
			b = append(strconv.AppendInt(append(b, '['), int64(s.number), 10), ']')
		case r.Kind() == decode.UnknownTag:
			tag, _ := r.Tag()
			b = strconv.AppendUint(append(b, ".tag"...), uint64(tag), 10)
		case name != "":
			if i > 0 {
				b = append(b, '.')
			}
			b = append(b, name...)
		}
	}
	return b
}
