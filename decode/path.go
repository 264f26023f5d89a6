package decode

import (
	"fmt"
	"strconv"
)

// Path names the field with the way to it: FetchResponse.Responses[3].Partitions[0].Records. (It allocates.)
func (r Ref) Path() string {
	if r.t == nil {
		return ""
	}
	if r.i < 0 {
		return r.f.Name
	}
	return string(r.t.appendPath(nil, r.i))
}

func (t *Tree) appendPath(dst []byte, i int32) []byte {
	r := t.ref(i)
	n := r.node()
	if n.Parent < 0 {
		return append(dst, r.Name()...)
	}
	dst = t.appendPath(dst, n.Parent)
	switch {
	case n.Kind == Tags:
		return dst
	case n.Kind == UnknownTag:
		tag, _ := r.Tag()
		return strconv.AppendUint(append(dst, ".tag"...), uint64(tag), 10)
	case r.IsElement():
		index := 0
		for at := n.Parent + 1; at != i; at = t.Nodes[at].Next {
			index++
		}
		return append(strconv.AppendInt(append(dst, '['), int64(index), 10), ']')
	}
	return append(append(dst, '.'), n.Field.Name...)
}

// Path names the field in which the fault lies, "" where there is none. t is the tree that it is from.
func (f Fault) Path(t *Tree) string { return t.At(f.Node).Path() }

// Message says in a sentence what is wrong.
func (f Fault) Message() string {
	switch f.Code {
	case Truncated:
		if f.Class == Incomplete {
			return fmt.Sprintf("the capture lacks bytes: %d needed, %d there", f.Need, f.Have)
		}
		return fmt.Sprintf("%d bytes needed, %d left in the frame", f.Need, f.Have)
	case TrailingBytes:
		return fmt.Sprintf("left over after the last field: %d bytes", f.Have)
	case BadLength:
		if f.Have < 0 {
			return fmt.Sprintf("length %d; below 0 only -1 (null) has a meaning", f.Have)
		}
		if f.Have < f.Need {
			return fmt.Sprintf("length %d, at least %d are needed", f.Have, f.Need)
		}
		return fmt.Sprintf("length %d, at most %d are possible", f.Have, f.Need)
	case BadCount:
		if f.Tolerated {
			return fmt.Sprintf("count %d; below 0 only -1 (null) has a meaning", f.Have)
		}
		return fmt.Sprintf("count %d, at most %d are possible", f.Need, f.Have)
	case NullNotAllowed:
		return "null where this version does not allow it"
	case VarintOverflow:
		return "a varint goes beyond 32 bits"
	case VarintNotMinimal:
		return fmt.Sprintf("a varint takes %d bytes where %d are enough", f.Have, f.Need)
	case InvalidUTF8:
		return fmt.Sprintf("a string is not UTF-8 from its byte %d on", f.Have)
	case TagOrder:
		return fmt.Sprintf("tag %d after tag %d; tags must ascend", f.Have, f.Need)
	case TagSize:
		return fmt.Sprintf("a field needs %d bytes, its tag's size leaves %d", f.Need, f.Have)
	case UnknownKey:
		return fmt.Sprintf("API key %d is not known", f.Have)
	case UnknownVersion:
		return fmt.Sprintf("version %d is not known, the newest known is %d", f.Have, f.Need)
	case TooManyNodes:
		return fmt.Sprintf("stopped after %d fields", f.Need)
	}
	if s := f.recordMessage(); s != "" {
		return s
	}
	return fmt.Sprintf("%s: needed %d, had %d", f.Code, f.Need, f.Have)
}
