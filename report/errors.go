package report

import (
	"ksniff/decode"
	"ksniff/reassembly/session"
)

// errorsOf appends the error codes in a response: its own, those of partitions, and those of whatever
// else has an ErrorCode (topics, resources, groups).
func errorsOf(list []int16, f *session.Frame) []int16 {
	if len(f.Parts) > 0 || f.Tree == nil {
		if f.ErrorCode != 0 {
			list = append(list, f.ErrorCode)
		}
		for i := range f.Parts {
			if e := f.Parts[i].Error; e != 0 {
				list = append(list, e)
			}
		}
		return list
	}
	for i := range f.Tree.Nodes {
		n := &f.Tree.Nodes[i]
		if n.Kind != decode.Int16 || n.Field == nil || n.Field.Name != "ErrorCode" {
			continue
		}
		if e := int16(f.Tree.At(int32(i)).Int()); e != 0 {
			list = append(list, e)
		}
	}
	return list
}
