package audit

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"ksniff/decode/schema"
)

// fields are the values of a struct by Kafka's names. What is missing has its default; nil is null.
// Arrays are list, structs fields, records and bytes []byte, ids [16]byte, numbers int.
type fields = map[string]any

// list is an array.
type list = []any

// raw stands for a field, its length included, with these bytes whatever its type.
type raw []byte

// tagged are tagged fields at the end of a struct that are written as they are (key "tags").
type tagged []byte

// encodeRequest builds the body of a request frame from the tables.
func encodeRequest(key, version int16, correlation int32, client any, body fields) []byte {
	return encode(encodeHeader(key, version, correlation, client), schema.Lookup(key).Request, version, body)
}

// encodeHeader builds the header of a request.
func encodeHeader(key, version int16, correlation int32, client any) []byte {
	return encode(nil, schema.RequestHeaders, schema.Lookup(key).RequestHeaderVersion(version),
		fields{"RequestApiKey": int(key), "RequestApiVersion": int(version), "CorrelationId": int(correlation), "ClientId": client})
}

// encodeResponse builds the body of a response frame from the tables.
func encodeResponse(key, version int16, correlation int32, body fields) []byte {
	a := schema.Lookup(key)
	b := encode(nil, schema.ResponseHeaders, a.ResponseHeaderVersion(version), fields{"CorrelationId": int(correlation)})
	return encode(b, a.Response, version, body)
}

func encode(b []byte, m *schema.Message, version int16, values fields) []byte {
	return encoder{version, m.Flexible.Has(version)}.fields(b, m.Fields, values)
}

type encoder struct {
	version  int16
	flexible bool
}

func (e encoder) fields(b []byte, defs []schema.Field, values fields) []byte {
	var tags []byte
	n := 0
	for name := range values {
		known := name == "tags"
		for i := range defs {
			known = known || defs[i].Name == name
		}
		if !known {
			panic("no field " + name)
		}
	}
	for i := range defs {
		f := &defs[i]
		v, given := values[f.Name]
		if f.Tagged.Has(e.version) {
			if given {
				value := e.field(nil, f, v)
				tags = append(binary.AppendUvarint(binary.AppendUvarint(tags, uint64(f.Tag)), uint64(len(value))), value...)
				n++
			}
			continue
		}
		if !f.Versions.Has(e.version) {
			continue
		}
		if !given {
			v = e.fallback(f)
		}
		b = e.field(b, f, v)
	}
	if own, ok := values["tags"].(tagged); ok {
		return append(b, own...)
	}
	if e.flexible {
		b = append(binary.AppendUvarint(b, uint64(n)), tags...)
	}
	return b
}

// fallback is the default of a field.
func (e encoder) fallback(f *schema.Field) any {
	switch {
	case f.Default == "null" && f.Nullable.Has(e.version):
		return nil
	case f.Array:
		return list{}
	}
	switch f.Type {
	case schema.String:
		return f.Default
	case schema.Bytes, schema.Records:
		return []byte{}
	case schema.UUID:
		return [16]byte{}
	case schema.Struct:
		return fields{}
	case schema.Bool:
		return f.Default == "true"
	}
	n, _ := strconv.ParseInt(f.Default, 0, 64)
	return int(n)
}

func (e encoder) field(b []byte, f *schema.Field, v any) []byte {
	if r, ok := v.(raw); ok {
		return append(b, r...)
	}
	flexible := e.flexible && f.Flexible.Has(e.version)
	if f.Array {
		items, ok := v.(list)
		if !ok && v != nil {
			panic(fmt.Sprintf("%s is an array", f.Name))
		}
		b = length(b, len(items), v == nil, flexible, 4)
		for _, item := range items {
			b = e.value(b, f, item, flexible)
		}
		return b
	}
	if f.Type == schema.Struct && f.Nullable.Has(e.version) {
		if v == nil {
			return append(b, 0xff)
		}
		b = append(b, 1)
	}
	return e.value(b, f, v, flexible)
}

func length(b []byte, n int, null, flexible bool, width int) []byte {
	if null {
		n = -1
	}
	switch {
	case flexible:
		return binary.AppendUvarint(b, uint64(n+1))
	case width == 2:
		return binary.BigEndian.AppendUint16(b, uint16(n))
	}
	return binary.BigEndian.AppendUint32(b, uint32(n))
}

func (e encoder) value(b []byte, f *schema.Field, v any, flexible bool) []byte {
	be := binary.BigEndian
	switch f.Type {
	case schema.Bool:
		if v.(bool) {
			return append(b, 1)
		}
		return append(b, 0)
	case schema.Int8:
		return append(b, byte(v.(int)))
	case schema.Int16, schema.Uint16:
		return be.AppendUint16(b, uint16(v.(int)))
	case schema.Int32, schema.Uint32:
		return be.AppendUint32(b, uint32(v.(int)))
	case schema.Int64:
		return be.AppendUint64(b, uint64(v.(int)))
	case schema.Float64:
		return be.AppendUint64(b, math.Float64bits(v.(float64)))
	case schema.UUID:
		id := v.([16]byte)
		return append(b, id[:]...)
	case schema.String:
		s, _ := v.(string)
		return append(length(b, len(s), v == nil, flexible, 2), s...)
	case schema.Bytes, schema.Records:
		s, _ := v.([]byte)
		return append(length(b, len(s), v == nil, flexible, 4), s...)
	case schema.Struct:
		return e.fields(b, f.Fields, v.(fields))
	}
	panic("type " + f.Type.String())
}
