package decode

import "encoding/binary"

// RequestHeader is what the header of a request says, read without a tree.
type RequestHeader struct {
	Key, Version  int16
	CorrelationID int32
	ClientID      []byte // slice of the body, nil where null or where the header has none
	Length        int    // bytes of the header: the message begins here
	HeaderVersion int16  // -1 where the API or its version is unknown: then Length is that of version 1
}

// ResponseHeader is what the header of a response says, read without a tree.
type ResponseHeader struct {
	CorrelationID int32
	Length        int // bytes of the header: the message begins here
	HeaderVersion int16
}

// ParseRequestHeader reads the header at the start of a request's body. need > 0 says that the first
// need bytes must be there to go on. A fault (its Code is not 0) is the peer's: the header is wrong
// whatever follows. Tolerated faults are not looked for here.
func ParseRequestHeader(body []byte) (h RequestHeader, need int, f Fault) {
	if len(body) < 8 {
		return h, 8, f
	}
	h.Key, h.Version = int16(binary.BigEndian.Uint16(body)), int16(binary.BigEndian.Uint16(body[2:]))
	h.CorrelationID = int32(binary.BigEndian.Uint32(body[4:]))
	h.HeaderVersion = headerVersion(h.Key, h.Version, Request)
	h.Length = 8
	if h.HeaderVersion == 0 {
		return h, 0, f
	}
	if len(body) < 10 {
		return h, 10, f
	}
	h.Length = 10
	if n := int(int16(binary.BigEndian.Uint16(body[8:]))); n >= 0 {
		if len(body) < 10+n {
			return h, 10 + n, f
		}
		h.ClientID = body[10 : 10+n : 10+n]
		h.Length += n
	}
	if h.HeaderVersion == 2 {
		h.Length, need, f = skipTags(body, h.Length)
	}
	return h, need, f
}

// PlainRequestHeader reads the header of a request as nearly all are: there from end to end, of a known API and
// version, without tagged fields. Of any other, length is 0: ParseRequestHeader must read it. What it says
// ParseRequestHeader says alike; it saves the copying of large results.
func PlainRequestHeader(body []byte) (key, version int16, correlation int32, client []byte, length int) {
	if len(body) < 11 {
		return
	}
	key, version = int16(binary.BigEndian.Uint16(body)), int16(binary.BigEndian.Uint16(body[2:]))
	correlation = int32(binary.BigEndian.Uint32(body[4:]))
	header, n := headerVersion(key, version, Request), int(int16(binary.BigEndian.Uint16(body[8:])))
	end := 10 + max(n, 0)
	if header < 1 || end >= len(body) {
		return key, version, correlation, nil, 0
	}
	if n >= 0 {
		client = body[10:end:end]
	}
	if header == 2 {
		if body[end] != 0 {
			return key, version, correlation, nil, 0
		}
		end++
	}
	return key, version, correlation, client, end
}

// PlainResponseHeader gives the length of the header of a response as nearly all are, in the way of
// PlainRequestHeader.
func PlainResponseHeader(body []byte, key, version int16) int {
	switch header := headerVersion(key, version, Response); {
	case header == 0 && len(body) >= 4:
		return 4
	case header == 1 && len(body) >= 5 && body[4] == 0:
		return 5
	}
	return 0
}

// ParseResponseHeader reads the header at the start of a response's body; key and version are those of
// its request. It returns as ParseRequestHeader does.
func ParseResponseHeader(body []byte, key, version int16) (h ResponseHeader, need int, f Fault) {
	if len(body) < 4 {
		return h, 4, f
	}
	h.CorrelationID, h.Length = int32(binary.BigEndian.Uint32(body)), 4
	if h.HeaderVersion = headerVersion(key, version, Response); h.HeaderVersion == 1 {
		h.Length, need, f = skipTags(body, 4)
	}
	return h, need, f
}

// skipTags gives the offset behind the tagged fields that begin at p.
func skipTags(body []byte, p int) (end, need int, f Fault) {
	if p < len(body) && body[p] == 0 { // none, as nearly always
		return p + 1, 0, f
	}
	count, p, need, f := uvarintAt(body, p)
	if need > 0 || f.Code != 0 {
		return p, need, f
	}
	if count > maxTags {
		return p, 0, Fault{Code: BadCount, Class: Broken, Offset: p, Need: count, Have: maxTags, Node: -1}
	}
	for range count {
		if _, p, need, f = uvarintAt(body, p); need > 0 || f.Code != 0 {
			return p, need, f
		}
		var size int
		if size, p, need, f = uvarintAt(body, p); need > 0 || f.Code != 0 {
			return p, need, f
		}
		if p += size; p > len(body) {
			return p, p, f
		}
	}
	return p, 0, f
}

// uvarintAt reads an unsigned varint of 32 bits at p.
func uvarintAt(b []byte, p int) (v, end, need int, f Fault) {
	for shift, i := 0, p; ; shift, i = shift+7, i+1 {
		if i >= len(b) {
			return 0, p, i + 1, f
		}
		if shift == 28 && b[i] > 0x0f {
			return 0, p, 0, Fault{Code: VarintOverflow, Class: Broken, Offset: p, Need: 32, Have: int(b[i]), Node: -1}
		}
		v |= int(b[i]&0x7f) << shift
		if b[i] < 0x80 {
			return v, i + 1, 0, f
		}
	}
}
