package decode

import (
	"encoding/base64"
	"encoding/hex"
	"strconv"
)

// JSON says how fields are written. Its zero value hides nothing and opens nothing.
type JSON struct {
	// Redact says whether a field's value is secret; then "(redacted)" stands for it. Null stays null.
	Redact func(Ref) bool
	// Records writes the object of a record set that is not null. Without it: {"sizeInBytes":0}.
	Records func(dst []byte, r Ref) []byte
	// Inner may write what is inside a bytes field, as the value of NAME+"Decoded" beside it, also
	// where the field itself is redacted. It gives dst back as it is where there is nothing to write.
	Inner func(dst []byte, r Ref) []byte
}

// Append writes a field and all that is in it in the form of Apache's own converters (lowerCamelCase,
// bytes in base64, uuids in 22 characters, tagged fields at their default left out); a struct with
// unknown tagged fields has "unknownTaggedFields". What could not be read is left out. It is valid JSON
// whatever the bytes are, and has no control characters.
func (o *JSON) Append(dst []byte, r Ref) []byte {
	switch {
	case r.IsNull():
		return append(dst, "null"...)
	case o.Redact != nil && r.Schema() != nil && o.Redact(r):
		return append(dst, `"(redacted)"`...)
	}
	switch r.Kind() {
	case Bool:
		return strconv.AppendBool(dst, r.Bool())
	case Float64:
		return appendFloat(dst, r.Float())
	case String:
		return AppendString(dst, r.String())
	case UUID:
		id := r.UUID()
		return append(base64.RawURLEncoding.AppendEncode(append(dst, '"'), id[:]), '"')
	case Bytes:
		return append(base64.StdEncoding.AppendEncode(append(dst, '"'), r.Bytes()), '"')
	case RecordSet:
		if o.Records != nil {
			return o.Records(dst, r)
		}
		return append(strconv.AppendInt(append(dst, `{"sizeInBytes":`...), int64(r.Records().Length), 10), '}')
	case Array:
		return o.array(dst, r)
	case Struct:
		return o.object(dst, r)
	}
	return strconv.AppendInt(dst, r.Int(), 10)
}

func (o *JSON) array(dst []byte, r Ref) []byte {
	dst = append(dst, '[')
	first := true
	for e := range r.Elements() {
		if e.unread() {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = o.Append(dst, e)
	}
	return append(dst, ']')
}

func (o *JSON) object(dst []byte, r Ref) []byte {
	dst = append(dst, '{')
	start, unknown := len(dst), false
	for c := range r.Children() {
		f := c.Schema()
		if f == nil {
			unknown = true
			continue
		}
		if _, tagged := c.Tag(); c.unread() || tagged && c.isDefault() {
			continue
		}
		dst = appendName(dst, start, f.JSON)
		dst = o.Append(dst, c)
		if o.Inner != nil && c.Kind() == Bytes && !c.IsNull() {
			before := len(dst)
			dst = appendName(dst, start, f.JSON+"Decoded")
			after := len(dst)
			if dst = o.Inner(dst, c); len(dst) == after {
				dst = dst[:before]
			}
		}
	}
	if unknown {
		dst = appendUnknown(appendName(dst, start, "unknownTaggedFields"), r)
	}
	return append(dst, '}')
}

// unread says that a leaf has no value because the decoding stopped in it.
func (r Ref) unread() bool { return r.Cut() && r.Kind() != Struct && r.Kind() != Array }

func appendName(dst []byte, start int, name string) []byte {
	if len(dst) > start {
		dst = append(dst, ',')
	}
	return append(append(append(dst, '"'), name...), `":`...)
}

func appendUnknown(dst []byte, r Ref) []byte {
	dst = append(dst, '[')
	start := len(dst)
	for c := range r.Children() {
		if c.Kind() != UnknownTag || c.Cut() {
			continue
		}
		if len(dst) > start {
			dst = append(dst, ',')
		}
		tag, _ := c.Tag()
		dst = strconv.AppendUint(append(dst, `{"tag":`...), uint64(tag), 10)
		dst = hex.AppendEncode(append(dst, `,"hex":"`...), c.Bytes())
		dst = append(dst, `"}`...)
	}
	return append(dst, ']')
}
