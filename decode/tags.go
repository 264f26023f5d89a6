package decode

// maxKnownTags is more than any struct of Kafka's has tagged fields.
const maxKnownTags = 16

// tags reads the end of a flexible struct: a number of tagged fields, then each as tag, size, bytes.
func (w *walker) tags(o *op, at int32) bool {
	if w.p < w.hi && w.bytes[w.p-w.base] == 0 {
		w.p++
		w.t.Nodes[at].Prefix = 1
		return true
	}
	v, ok := w.uvarint()
	if !ok {
		return false
	}
	w.mark(at)
	count := int(v)
	if count > maxTags || count > (w.limit-w.p)/2 {
		return w.stop(BadCount, Broken, count, min(maxTags, (w.limit-w.p)/2))
	}
	known := w.plan.blocks[o.block]
	var seen [maxKnownTags]int32 // nodes of the known ones
	last, prev := int64(-1), int32(-1)
	for range count {
		next := int32(len(w.t.Nodes))
		if int(next) >= w.t.MaxNodes {
			return w.stop(TooManyNodes, Limit, int(next), w.t.MaxNodes)
		}
		w.node = at
		start := w.p
		tag, size, ok := w.tag()
		if !ok {
			return false
		}
		if prev >= 0 {
			w.t.Nodes[prev].Next = next
		}
		prev = next
		if int64(tag) <= last {
			w.tolerate(TagOrder, start, int(last), int(tag))
		}
		last = max(last, int64(tag))
		var field *op
		for i := range known {
			if known[i].tag == tag {
				field = &known[i]
				if seen[i] > 0 {
					w.t.Nodes[seen[i]].flags |= flagRepeated
				}
				seen[i] = next
			}
		}
		if !w.tagged(field, at, start, size) {
			return false
		}
	}
	return true
}

// tag reads a tagged field's tag and size.
func (w *walker) tag() (tag uint32, size int, ok bool) {
	if tag, ok = w.uvarint(); !ok {
		return
	}
	v, ok := w.uvarint()
	if !ok {
		return
	}
	if size = int(v); w.p+size > w.limit {
		return tag, size, w.short(size)
	}
	return tag, size, true
}

// tagged reads the value of a tagged field, which must take exactly size bytes.
func (w *walker) tagged(field *op, parent int32, start, size int) bool {
	if field == nil {
		at := int32(len(w.t.Nodes))
		w.t.Nodes = append(w.t.Nodes, Node{Kind: UnknownTag, Offset: int32(start), Parent: parent, Prefix: uint8(w.p - start)})
		w.node = at
		ok := w.need(size)
		if ok {
			w.p += size
		} else {
			w.t.Nodes[at].flags = flagCut
		}
		w.t.Nodes[at].Length = int32(w.p - start)
		return ok
	}
	limit, end := w.limit, w.p+size
	at := int32(len(w.t.Nodes))
	w.reach(end)
	ok := w.read(field, parent, start, true)
	if ok && w.p != end {
		w.node = at
		ok = w.stop(TagSize, Broken, w.p-(end-size), size)
	}
	w.reach(limit)
	return ok
}
