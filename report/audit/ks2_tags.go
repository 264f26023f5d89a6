package audit

import (
	"ksniff/decode"
	"ksniff/decode/schema"
)

// tagKeys are the APIs whose requests or responses have tagged fields that not all of their flexible versions
// have. Answers to Produce and Fetch are left out: to look for tags in each of them costs too much.
func tagKeys(kind decode.Kind) (keys []int16) {
	for _, a := range schema.APIs {
		m := a.Request
		if kind == decode.Response {
			m = a.Response
		}
		if bulk := a.Key == keyProduce || a.Key == keyFetch; bulk && kind == decode.Response || !someTagsLater(m, m.Fields) {
			continue
		}
		keys = append(keys, a.Key)
	}
	return keys
}

func someTagsLater(m *schema.Message, fields []schema.Field) bool {
	for i := range fields {
		f := &fields[i]
		if !f.Tagged.Empty() && (f.Tagged.Min > m.Flexible.Min || f.Tagged.Max < m.Valid.Max) || someTagsLater(m, f.Fields) {
			return true
		}
	}
	return false
}

// lookTags looks for tags that the message has in other versions only. Kafka's readers throw.
func lookTags(c *Ctx) {
	t := c.Tree()
	if t == nil {
		return
	}
	for i := range t.Nodes {
		if t.Nodes[i].Kind != decode.UnknownTag {
			continue
		}
		r := t.At(int32(i))
		in := r.Parent()
		var fields []schema.Field
		switch {
		case in.Node() == t.Body().Node() && c.Kind == decode.Request:
			fields = c.API.Request.Fields
		case in.Node() == t.Body().Node():
			fields = c.API.Response.Fields
		case in.Schema() != nil:
			fields = in.Schema().Fields
		}
		tag, ok := r.Tag()
		for k := range fields {
			if f := &fields[k]; ok && f.Tag == tag && !f.Tagged.Empty() && !f.Tagged.Has(c.Version) {
				c.Find(&ks2010).Byte(r.Offset(), in.Path()+"."+f.Name).Say("tag %d is %s, which version %d does not have", tag, f.Name, c.Version).
					With("tag", tag).With("since", f.Tagged.Min)
			}
		}
	}
}
