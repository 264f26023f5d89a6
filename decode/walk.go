package decode

import (
	"encoding/binary"
	"unicode/utf8"
)

// A walker reads one frame by plans and writes the nodes. It stops at the first fault that leaves
// unclear where the next field begins; every method that reads says false then.
type walker struct {
	t     *Tree
	plan  *plan
	bytes []byte // the run that p is in, or the last one before it
	base  int    // offset of bytes[0] in the body
	p     int    // offset of the next byte to read
	hi    int    // bytes up to here are there and may be read
	limit int    // end of the frame, or of the tagged field that is being read
	runs  []Run  // those after the current one
	node  int32  // being read

	nodes, faults, tolerant int // lengths in the tree before the body
}

// block reads the ops of a struct as children of parent.
func (w *walker) block(index, parent int32) bool {
	ops := w.plan.blocks[index]
	prev := int32(-1)
	for i := range ops {
		o := &ops[i]
		at := int32(len(w.t.Nodes))
		if prev >= 0 {
			w.t.Nodes[prev].Next = at
		}
		prev = at
		if size := int(o.size); o.do == readFixed && w.p+size <= w.hi {
			w.t.Nodes = append(w.t.Nodes, Node{Field: o.field, Kind: o.kind, Offset: int32(w.p), Length: o.size, Parent: parent})
			w.p += size
			continue
		}
		if !w.read(o, parent, w.p, false) {
			return false
		}
	}
	return true
}

// read reads one field. Its node begins at start, which in a tagged field lies before the value.
func (w *walker) read(o *op, parent int32, start int, tagged bool) bool {
	at := int32(len(w.t.Nodes))
	w.t.Nodes = append(w.t.Nodes, Node{Field: o.field, Kind: o.kind, Offset: int32(start), Parent: parent, flags: flagCut})
	w.node = at
	var ok bool
	switch o.do {
	case readFixed:
		w.mark(at)
		if ok = w.need(int(o.size)); ok {
			w.p += int(o.size)
		}
	case readSized:
		ok = w.sized(o, at)
	case readStruct:
		ok = w.structure(o, at, tagged)
	case readArray:
		ok = w.array(o, at)
	case readTags:
		ok = w.tags(o, at)
	}
	n := &w.t.Nodes[at]
	n.Length = int32(w.p - start)
	if ok {
		n.flags &^= flagCut
	}
	return ok
}

// mark ends the prefix of a node: its value or its children begin here.
func (w *walker) mark(at int32) {
	n := &w.t.Nodes[at]
	n.Prefix = uint8(w.p - int(n.Offset))
}

// sized reads a string, bytes or the extent of records.
func (w *walker) sized(o *op, at int32) bool {
	length, ok := w.length(o, o.kind == String)
	if !ok {
		return false
	}
	w.mark(at)
	switch {
	case length < 0:
		w.null(o, at, length, BadLength)
		return true
	case o.kind == String && length > maxString:
		w.tolerate(BadLength, int(w.t.Nodes[at].Offset), maxString, length)
	}
	if w.p+length > w.limit {
		return w.short(length)
	}
	if o.kind == RecordSet {
		w.p += length
		if w.p > w.hi {
			w.seek()
		}
		return true
	}
	if !w.need(length) {
		return false
	}
	if o.kind == String && length <= maxString {
		if at := invalidUTF8(w.bytes[w.p-w.base : w.p-w.base+length]); at >= 0 {
			w.tolerate(InvalidUTF8, w.p+at, length, at)
		}
	}
	w.p += length
	return true
}

// length reads a length or count; -1 is null, and what is below is not in the protocol.
func (w *walker) length(o *op, short bool) (int, bool) {
	if o.compact {
		v, ok := w.uvarint()
		return int(v) - 1, ok
	}
	if short {
		if !w.need(2) {
			return 0, false
		}
		w.p += 2
		return int(int16(binary.BigEndian.Uint16(w.bytes[w.p-2-w.base:]))), true
	}
	if !w.need(4) {
		return 0, false
	}
	w.p += 4
	return int(int32(binary.BigEndian.Uint32(w.bytes[w.p-4-w.base:]))), true
}

// null marks a field that is null by a length or count below 0. Kafka takes each of these for null.
func (w *walker) null(o *op, at int32, length int, bad Code) {
	n := &w.t.Nodes[at]
	n.flags |= flagNull
	if length != -1 {
		w.tolerate(bad, int(n.Offset), -1, length)
	} else if !o.nullable {
		w.tolerate(NullNotAllowed, int(n.Offset), 0, -1)
	}
}

// invalidUTF8 tells where a string stops being UTF-8, -1 where it does not.
func invalidUTF8(s []byte) int {
	if utf8.Valid(s) {
		return -1
	}
	for at := 0; ; {
		r, n := utf8.DecodeRune(s[at:])
		if r == utf8.RuneError && n <= 1 {
			return at
		}
		at += n
	}
}

// structure reads a struct; a nullable one begins with a byte below 0 for null, in a tagged field with
// an unsigned varint that is 0 for null.
func (w *walker) structure(o *op, at int32, tagged bool) bool {
	if o.nullable {
		null := false
		if tagged {
			v, ok := w.uvarint()
			if !ok {
				return false
			}
			null = v == 0
		} else {
			if !w.need(1) {
				return false
			}
			null = w.bytes[w.p-w.base] >= 0x80
			w.p++
		}
		if null {
			w.mark(at)
			w.t.Nodes[at].flags |= flagNull
			return true
		}
	}
	w.mark(at)
	return w.block(o.block, at)
}

// array reads the count and the elements.
func (w *walker) array(o *op, at int32) bool {
	count, ok := w.length(o, false)
	if !ok {
		return false
	}
	w.mark(at)
	if count < 0 {
		w.null(o, at, count, BadCount)
		return true
	}
	element := &w.plan.blocks[o.block][0]
	if least := max(int(element.size), 1); count > maxElements || count > (w.limit-w.p)/least {
		return w.stop(BadCount, Broken, count, min(maxElements, (w.limit-w.p)/least))
	}
	prev := int32(-1)
	for range count {
		next := int32(len(w.t.Nodes))
		if int(next) >= w.t.MaxNodes {
			return w.stop(TooManyNodes, Limit, int(next), w.t.MaxNodes)
		}
		if prev >= 0 {
			w.t.Nodes[prev].Next = next
		}
		prev = next
		if !w.read(element, at, w.p, false) {
			return false
		}
	}
	return true
}
