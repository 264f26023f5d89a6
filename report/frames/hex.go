package frames

import (
	"strconv"

	"ksniff/decode"
)

// bytesPerRow of the hex dump.
const bytesPerRow = 16

// appendHex appends the bytes of the frame, a row for each field and below it what the field is. Bytes
// that may be secret or payload are left out unless they were asked for: those of fields that are
// redacted, record sets, and what was not decoded.
func (p *Printer) appendHex(b []byte) []byte {
	t := p.frame.Tree()
	if t == nil {
		return p.appendUnreadHex(b, 0, p.frame.Length)
	}
	next := 0 // first byte that no field has had
	p.way = p.way[:0]
	for i := range t.Nodes {
		n := &t.Nodes[i]
		r := t.At(int32(i))
		p.way.enter(t, int32(i))
		from, to := int(n.Offset), int(n.Offset+n.Length)
		switch n.Kind {
		case decode.Struct, decode.Array, decode.Tags:
			if to = from + int(n.Prefix); to == from {
				continue
			}
		}
		if from > next {
			b = p.appendUnreadHex(b, next, from)
		}
		if to > next {
			b = p.appendFieldHex(b, r, from, to)
			next = to
		}
	}
	if next < p.frame.Length {
		b = p.appendUnreadHex(b, next, p.frame.Length)
	}
	return b
}

// appendFieldHex appends the rows of one field and its name and value.
func (p *Printer) appendFieldHex(b []byte, r decode.Ref, from, to int) []byte {
	switch {
	case p.secret(r):
		b = p.appendHidden(b, from, to, redacted)
	case r.Kind() == decode.RecordSet && !p.wholeSet(r):
		prefix := from + int(p.frame.Tree().Nodes[r.Node()].Prefix)
		b = p.appendRows(b, from, prefix)
		if to > prefix {
			b = p.appendHidden(b, prefix, to, "record set; --payload shows it, of KRaft metadata with --show-secrets")
		}
	default:
		b = p.appendRows(b, from, to)
	}
	if p.options.Colour {
		b = append(b, cyan...)
	}
	b = append(b, "          └ "...)
	b = p.appendLabel(b, r)
	if p.options.Colour {
		b = append(b, normal...)
	}
	return append(b, '\n')
}

// appendLabel names a field and says what it holds.
func (p *Printer) appendLabel(b []byte, r decode.Ref) []byte {
	b = p.way.append(b, r.Tree())
	switch kind := r.Kind(); {
	case kind == decode.Tags:
		return strconv.AppendInt(append(b, " tagged fields: "...), p.tags(r), 10)
	case r.IsNull():
		return append(b, ": null"...)
	case r.Cut() && kind != decode.Struct && kind != decode.Array:
		return append(b, ": not whole"...)
	case kind == decode.Array:
		return append(strconv.AppendInt(append(b, ": ["...), int64(r.Count()), 10), ']')
	case kind == decode.Struct || kind == decode.UnknownTag:
		return b
	case kind == decode.RecordSet:
		return append(strconv.AppendInt(append(b, ": "...), int64(r.Records().Length), 10), " B"...)
	}
	return appendMeaning(p.json.Append(append(b, ": "...), r), r)
}

// tags counts the tagged fields at the end of a struct.
func (p *Printer) tags(r decode.Ref) (n int64) {
	for range r.Children() {
		n++
	}
	return n
}

func (p *Printer) appendUnreadHex(b []byte, from, to int) []byte {
	switch {
	case !p.options.Payload && p.isLegacy():
		return p.appendHidden(b, from, to, "may be payload; --payload shows it")
	case p.isLegacy():
	case !p.options.Secrets || !p.options.Payload:
		return p.appendHidden(b, from, to, "not decoded; --show-secrets with --payload shows it")
	}
	return p.appendRows(b, from, to)
}

// appendHidden stands for bytes that are not shown.
func (p *Printer) appendHidden(b []byte, from, to int, why string) []byte {
	b = append(appendHexOffset(b, from), strconv.Itoa(to-from)...)
	return append(append(append(b, " bytes ("...), why...), ")\n"...)
}

func appendHexOffset(b []byte, at int) []byte {
	const digits = "0123456789abcdef"
	for shift := 28; shift >= 0; shift -= 4 {
		if shift < 16 || at>>shift > 0 {
			b = append(b, digits[at>>shift&15])
		} else {
			b = append(b, ' ')
		}
	}
	return append(b, ' ', ' ')
}

// appendRows appends the bytes from and to, as far as the capture has them, in hex and as text.
func (p *Printer) appendRows(b []byte, from, to int) []byte {
	const digits = "0123456789abcdef"
	for at := from; at < to; at += bytesPerRow {
		b = appendHexOffset(b, at)
		p.text = p.text[:0]
		for i := at; i < at+bytesPerRow; i++ {
			if i >= to {
				b = append(b, "   "...)
				continue
			}
			c, there := p.byteAt(i)
			switch {
			case !there:
				b, p.text = append(b, "-- "...), append(p.text, ' ')
				continue
			case c >= 0x20 && c < 0x7f:
				p.text = append(p.text, c)
			default:
				p.text = append(p.text, '.')
			}
			b = append(b, digits[c>>4], digits[c&15], ' ')
		}
		b = append(append(append(b, ' '), p.text...), '\n')
	}
	return b
}

// byteAt is a byte of the frame's body, if it was captured and kept.
func (p *Printer) byteAt(i int) (byte, bool) {
	for _, run := range p.frame.Runs {
		if i >= run.Off && i < run.Off+len(run.Bytes) {
			return run.Bytes[i-run.Off], true
		}
	}
	return 0, false
}

// wholeSet says whether all bytes of a record set may be shown.
func (p *Printer) wholeSet(r decode.Ref) bool {
	return p.options.Payload && (p.options.Secrets || p.topicOf(r) != metadataTopic)
}
