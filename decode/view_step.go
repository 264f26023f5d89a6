package decode

import "encoding/binary"

// maxLevels is more than any message that has a sketch is deep.
const maxLevels = 12

// A level is a list of ops that a View is in: those of a struct, of an array's element (again and again), of
// a tagged field, or the tagged fields of a struct.
type level struct {
	ops  block
	next int   // op to run
	left int   // elements of the array after the current one; tagged fields to come
	slot slot  // of the array
	tags bool  // the wire says which op is next
	last int64 // tag before
	// Of a tagged field: the limit around it (0 for any other), where it begins, bytes of its value.
	limit, start, size int
}

// step runs one op.
func (v *View) step() Status {
	l := &v.levels[v.depth]
	if l.tags {
		return v.tag(l)
	}
	if l.next == len(l.ops) {
		return v.ended(l)
	}
	o := &l.ops[l.next]
	switch o.do {
	case readFixed:
		return v.fixed(o, l)
	case readSized:
		return v.sized(o, l)
	case readStruct:
		return v.structure(o, l)
	case readArray:
		return v.array(o, l)
	}
	return v.tagCount(o, l)
}

// ended is at the end of a struct or element: it goes on to the next element, or back out.
func (v *View) ended(l *level) Status {
	tell := l.slot == slotPartition && !v.told
	v.told = v.told && l.slot != slotPartition
	switch {
	case l.left > 0:
		l.left--
		l.next = 0
		if v.fresh = tell; l.slot == slotPartition && !tell {
			v.item = noPartition
		}
	case l.limit > 0 && v.pos != v.limit:
		return v.stop(TagSize, v.pos, v.pos-(v.limit-l.size), l.size)
	case v.depth == 0:
		return v.end()
	default:
		if l.limit > 0 {
			v.limit = l.limit
		}
		v.depth--
	}
	if tell {
		return Partition
	}
	return again
}

// end checks that nothing is left over.
func (v *View) end() Status {
	if v.Trailing = v.limit - v.pos; v.Trailing > 0 {
		v.tolerate(TrailingBytes, v.pos, 0, v.Trailing)
	}
	return End
}

// fixed reads a number or an id where it has a slot, else steps over it.
func (v *View) fixed(o *op, l *level) Status {
	size := int(o.size)
	if v.pos+size > v.limit {
		return v.short(v.pos, size)
	}
	if o.slot == noSlot {
		v.pos += size
		l.next++
		return again
	}
	b := v.at(v.pos, size)
	if b == nil {
		return v.more(size)
	}
	v.pos += size
	l.next++
	switch size {
	case 1:
		v.keep(o.slot, int64(int8(b[0])))
	case 2:
		v.keep(o.slot, int64(int16(binary.BigEndian.Uint16(b))))
	case 4:
		v.keep(o.slot, int64(int32(binary.BigEndian.Uint32(b))))
	case 8:
		v.keep(o.slot, int64(binary.BigEndian.Uint64(b)))
	case 16:
		v.item = Item{ID: [16]byte(b)}
	}
	switch o.slot {
	case slotTopic:
		return Topic
	case slotForgottenTopic:
		return ForgottenTopic
	case slotForgotten:
		return Forgotten
	}
	return again
}
