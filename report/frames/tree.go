package frames

import (
	"encoding/hex"
	"strconv"

	"ksniff/decode"
	"ksniff/decode/schema"
)

// appendTree appends all fields of the frame, a line each: offset in the frame's body and length in
// bytes (length words, tags and counts included), then the field, indented by its depth.
func (p *Printer) appendTree(b []byte) []byte {
	t := p.frame.Tree()
	if t == nil {
		return p.appendLegacyTree(b)
	}
	return p.appendFields(b, t)
}

func (p *Printer) appendFields(b []byte, t *decode.Tree) []byte {
	if h := t.Header(); h.OK() {
		b = p.appendStruct(p.appendPlace(b, h, 0), h, "header", 0)
	}
	body := t.Body()
	if body.OK() {
		b = p.appendStruct(p.appendPlace(b, body, 0), body, body.Name(), 0)
	}
	if t.Trailing > 0 {
		b = p.appendRange(b, body.Offset()+body.Length(), t.Trailing, 0)
		b = append(b, "bytes left over\n"...)
	}
	return b
}

// appendPlace begins a line: where the field lies, or blanks for what is not in the frame itself.
func (p *Printer) appendPlace(b []byte, r decode.Ref, depth int) []byte {
	return p.appendRange(b, r.Offset(), r.Length(), depth)
}

func (p *Printer) appendRange(b []byte, offset, length, depth int) []byte {
	if p.options.Colour {
		b = append(b, dim...)
	}
	b = appendRight(b, int64(offset), 8)
	b = append(appendRight(b, int64(length), 8), "  "...)
	if p.options.Colour {
		b = append(b, normal...)
	}
	return appendIndent(b, depth)
}

func appendIndent(b []byte, depth int) []byte {
	for range depth {
		b = append(b, ' ', ' ')
	}
	return b
}

// appendRight appends n with blanks in front, so that it takes width columns.
func appendRight(b []byte, n int64, width int) []byte {
	var digits [20]byte
	text := strconv.AppendInt(digits[:0], n, 10)
	for range width - len(text) {
		b = append(b, ' ')
	}
	return append(b, text...)
}

// appendStruct appends a struct whose line has begun, and its fields.
func (p *Printer) appendStruct(b []byte, r decode.Ref, name string, depth int) []byte {
	b = append(append(b, name...), '\n')
	for c := range r.Children() {
		b = p.appendField(b, c, depth+1)
	}
	return b
}

// appendField appends a field of a struct, and what is in it.
func (p *Printer) appendField(b []byte, r decode.Ref, depth int) []byte {
	b = p.appendPlace(b, r, depth)
	name := "tag"
	if f := r.Schema(); f != nil {
		name = f.JSON
	}
	b = append(b, name...)
	if tag, tagged := r.Tag(); tagged {
		b = strconv.AppendUint(append(b, " (tag "...), uint64(tag), 10)
		b = append(b, ')')
	}
	return p.appendContent(b, r, name, depth)
}

// appendContent appends what follows the name of a field, or the number of an element.
func (p *Printer) appendContent(b []byte, r decode.Ref, name string, depth int) []byte {
	switch {
	case r.IsNull():
		return append(b, ": null\n"...)
	case r.Cut() && r.Kind() != decode.Struct && r.Kind() != decode.Array:
		return append(b, ": not whole\n"...)
	case p.secret(r):
		return p.appendInner(append(b, ": "+redacted+"\n"...), r, name, depth)
	}
	switch r.Kind() {
	case decode.Struct:
		return p.appendStruct(b, r, "", depth)
	case decode.Array:
		b = append(strconv.AppendInt(append(b, ": ["...), int64(r.Count()), 10), "]\n"...)
		i := int64(0)
		for e := range r.Elements() {
			b = append(strconv.AppendInt(append(p.appendPlace(b, e, depth+1), '['), i, 10), ']')
			b = p.appendContent(b, e, name, depth+1)
			i++
		}
		return b
	case decode.RecordSet:
		b = append(strconv.AppendInt(append(b, ": "...), int64(r.Records().Length), 10), " bytes\n"...)
		return p.appendBatches(b, r, depth+1)
	case decode.UnknownTag:
		return append(hex.AppendEncode(append(b, ": unknown "...), r.Bytes()), '\n')
	}
	b = p.json.Append(append(b, ": "...), r)
	b = append(appendMeaning(b, r), '\n')
	return p.appendInner(b, r, name, depth)
}

// appendMeaning names what a number stands for.
func appendMeaning(b []byte, r decode.Ref) []byte {
	f := r.Schema()
	if f == nil {
		return b
	}
	switch {
	case isErrorCode(f) && r.Int() != 0:
		return append(append(b, ' '), schema.ErrorName(int16(r.Int()))...)
	case f.Name == "RequestApiKey" || f.Name == "ApiKey" && f.Type == schema.Int16:
		if a := schema.Lookup(int16(r.Int())); a != nil {
			return append(append(b, ' '), a.Name...)
		}
	}
	return b
}

// isErrorCode says that a field holds an error code.
func isErrorCode(f *schema.Field) bool {
	const name = "ErrorCode"
	return f.Type == schema.Int16 && len(f.Name) >= len(name) && f.Name[len(f.Name)-len(name):] == name
}

// appendInner appends what is inside a bytes field.
func (p *Printer) appendInner(b []byte, r decode.Ref, name string, depth int) []byte {
	if r.Kind() != decode.Bytes || p.json.Inner == nil {
		return b
	}
	if p.scratch = p.json.Inner(p.scratch[:0], r); len(p.scratch) == 0 {
		return b
	}
	b = append(append(appendIndent(b, margin+depth), name...), "Decoded"...)
	return p.appendIndented(b, p.scratch, depth+1)
}
