package decode

import (
	"encoding/binary"
	"math/bits"
)

// noPartition is a partition of which nothing was read yet.
var noPartition = Item{FetchOffset: -1, LogStartOffset: -1, HighWatermark: -1, LastStableOffset: -1, BaseOffset: -1, Length: -1}

// sized reads a string or the size of records.
func (v *View) sized(o *op, l *level) Status {
	length, p, s := v.count(o, o.kind == String)
	if s != again {
		return s
	}
	if length > v.limit-p {
		if o.kind == String && length > maxString {
			v.tolerate(BadLength, v.begin(l), maxString, length)
		}
		return v.short(p, length)
	}
	look := o.kind == String && length > 0 && length <= maxString
	var b []byte
	if look {
		if b = v.at(p, length); b == nil {
			return v.more(p + length - v.pos)
		}
	}
	v.minimal(o, p)
	switch {
	case length < 0:
		v.null(o, l, length, BadLength)
	case o.kind == String && length > maxString:
		v.tolerate(BadLength, v.begin(l), maxString, length)
	case look:
		if at := invalidUTF8(b); at >= 0 {
			v.tolerate(InvalidUTF8, p+at, length, at)
		}
	}
	l.next++
	v.pos = p + max(length, 0)
	switch o.slot {
	case slotTransactional:
		v.Transactional = length >= 0
	case slotTopic:
		v.item = Item{Name: b}
		return Topic
	case slotForgottenTopic:
		v.item = Item{Name: b}
		return ForgottenTopic
	case slotRecords:
		v.item.Records, v.item.Length, v.told = p, max(length, -1), true
		return Partition
	}
	return again
}

// structure goes into a struct, unless it is null.
func (v *View) structure(o *op, l *level) Status {
	p, null := v.pos, false
	if o.nullable && l.limit > 0 {
		x, end, s := v.uvarint(p)
		if s != again {
			return s
		}
		v.notMinimal(p, end)
		p, null = end, x == 0
	} else if o.nullable {
		if p+1 > v.limit {
			return v.short(p, 1)
		}
		b := v.at(p, 1)
		if b == nil {
			return v.more(1)
		}
		p, null = p+1, b[0] >= 0x80
	}
	v.pos = p
	l.next++
	if null {
		return again
	}
	return v.push(level{ops: v.plan.blocks[o.block]})
}

// array goes into an array. Elements of fixed size that have no slot are stepped over together.
func (v *View) array(o *op, l *level) Status {
	count, p, s := v.count(o, false)
	if s != again {
		return s
	}
	v.minimal(o, p)
	if count < 0 {
		v.null(o, l, count, BadCount)
		v.pos = p
		l.next++
		return again
	}
	elements := v.plan.blocks[o.block]
	element := &elements[0]
	if most := (v.limit - p) / max(int(element.size), 1); count > maxElements || count > most {
		return v.stop(BadCount, p, count, min(maxElements, most))
	}
	v.pos = p
	l.next++
	switch {
	case count == 0:
		return again
	case element.do == readFixed && element.slot == noSlot:
		v.pos += count * int(element.size)
		return again
	case element.do == readStruct:
		elements = v.plan.blocks[element.block]
	}
	if o.slot == slotPartition {
		v.item = noPartition
	}
	return v.push(level{ops: elements, left: count - 1, slot: o.slot})
}

// tagCount goes into the tagged fields of a struct.
func (v *View) tagCount(o *op, l *level) Status {
	if at := v.pos - v.base; at >= 0 && at < len(v.b) && v.b[at] == 0 && v.pos < v.limit {
		v.pos++ // none, as nearly always
		l.next++
		return again
	}
	count, end, s := v.uvarint(v.pos)
	if s != again {
		return s
	}
	v.notMinimal(v.pos, end)
	v.pos = end
	l.next++
	if most := (v.limit - end) / 2; count > maxTags || count > most {
		return v.stop(BadCount, end, count, min(maxTags, most))
	}
	if count == 0 {
		return again
	}
	return v.push(level{ops: v.plan.blocks[o.block], left: count, tags: true, last: -1})
}

// tag reads a tag and its size, and goes into the field or steps over it.
func (v *View) tag(l *level) Status {
	if l.left == 0 {
		v.depth--
		return again
	}
	tag, middle, s := v.uvarint(v.pos)
	if s != again {
		return s
	}
	size, p, s := v.uvarint(middle)
	if s != again {
		return s
	}
	v.notMinimal(v.pos, middle)
	v.notMinimal(middle, p)
	if size > v.limit-p {
		return v.short(p, size)
	}
	if int64(tag) <= l.last {
		v.tolerate(TagOrder, v.pos, int(l.last), tag)
	}
	l.last = max(l.last, int64(tag))
	l.left--
	start := v.pos
	v.pos = p
	for i := range l.ops {
		if int(l.ops[i].tag) == tag {
			limit := v.limit
			v.limit = p + size
			return v.push(level{ops: l.ops[i : i+1], limit: limit, start: start, size: size})
		}
	}
	v.pos += size
	return again
}

// count reads a length or count that begins at pos, and gives where it ends. Nothing is kept of it yet.
func (v *View) count(o *op, short bool) (n, end int, s Status) {
	if o.compact {
		n, end, s = v.uvarint(v.pos)
		return n - 1, end, s
	}
	size := 4
	if short {
		size = 2
	}
	if v.pos+size > v.limit {
		return 0, 0, v.short(v.pos, size)
	}
	b := v.at(v.pos, size)
	if b == nil {
		return 0, 0, v.more(size)
	}
	if short {
		return int(int16(binary.BigEndian.Uint16(b))), v.pos + 2, again
	}
	return int(int32(binary.BigEndian.Uint32(b))), v.pos + 4, again
}

// uvarint reads an unsigned varint of 32 bits at p.
func (v *View) uvarint(p int) (x, end int, s Status) {
	if at := p - v.base; at >= 0 && at < len(v.b) && v.b[at] < 0x80 && p < v.limit {
		return int(v.b[at]), p + 1, again
	}
	for i, shift := p, 0; ; i, shift = i+1, shift+7 {
		if i >= v.limit {
			return 0, i, v.short(i, 1)
		}
		at := i - v.base
		if at < 0 || at >= len(v.b) {
			return 0, i, v.more(i + 1 - v.pos)
		}
		b := v.b[at]
		if shift == 28 && b > 0x0f {
			return 0, p, v.stop(VarintOverflow, p, 32, int(b))
		}
		x |= int(b&0x7f) << shift
		if b < 0x80 {
			return x, i + 1, again
		}
	}
}

// minimal looks at the compact length that ends at end.
func (v *View) minimal(o *op, end int) {
	if o.compact && end-v.pos > 1 {
		v.notMinimal(v.pos, end)
	}
}

// notMinimal tolerates a varint from p to end with bytes that say nothing.
func (v *View) notMinimal(p, end int) {
	if end-p > 1 && v.b[end-1-v.base] == 0 {
		x, _, _ := v.uvarint(p)
		v.tolerate(VarintNotMinimal, p, (bits.Len32(uint32(x)|1)+6)/7, end-p)
	}
}

// null is a length or count below 0.
func (v *View) null(o *op, l *level, n int, bad Code) {
	if n != -1 {
		v.tolerate(bad, v.begin(l), -1, n)
	} else if !o.nullable {
		v.tolerate(NullNotAllowed, v.begin(l), 0, -1)
	}
}

// begin is where the field that is being read begins, its tag included.
func (v *View) begin(l *level) int {
	if l.limit > 0 {
		return l.start
	}
	return v.pos
}

// at gives n bytes at p, nil where they are not there.
func (v *View) at(p, n int) []byte {
	if p -= v.base; p >= 0 && p+n <= len(v.b) {
		return v.b[p : p+n : p+n]
	}
	return nil
}

func (v *View) push(l level) Status {
	if v.depth++; v.depth == maxLevels {
		v.bad = Fault{Code: TooDeep, Class: Limit, Offset: v.pos, Need: maxLevels + 1, Have: maxLevels, Node: -1}
		return Bad
	}
	v.levels[v.depth] = l
	return again
}

func (v *View) more(n int) Status {
	v.item.Need = n
	return More
}

func (v *View) short(p, n int) Status {
	if v.limit < v.length {
		return v.stop(TagSize, p, n, v.limit-p)
	}
	return v.stop(Truncated, p, n, v.limit-p)
}

func (v *View) stop(code Code, p, need, have int) Status {
	v.bad = Fault{Code: code, Class: Broken, Offset: p, Need: need, Have: have, Node: -1}
	return Bad
}

func (v *View) tolerate(code Code, p, need, have int) {
	if v.Tolerant++; v.first.Code == 0 {
		v.first = Fault{Code: code, Class: Broken, Tolerated: true, Offset: p, Need: need, Have: have, Node: -1}
	}
}
