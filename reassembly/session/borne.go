package session

import (
	"bytes"
	"encoding/binary"
	"sort"

	"ksniff/decode"
	"ksniff/decode/schema"
	"ksniff/reassembly"
)

// Requests that are not quite right are borne by brokers: bytes behind the body (an old librdkafka sends four
// behind that of ApiVersions), a null where there should be none. Requests of a version that nobody knows
// yet may be right. Both prove Kafka together with what the other side says.

// How far versions, and the keys of APIs, may be ahead of those that are known.
const (
	newerVersions = 8
	newerKeys     = 127
)

// ahead says whether a header of an API or version that nobody knows is as a newer client would write it.
func ahead(h *decode.RequestHeader) bool {
	version := int16(newerVersions)
	if api := schema.Lookup(h.Key); api != nil {
		version += api.Versions().Max
	}
	if h.Key < 0 || h.Key > newerKeys || h.Version < 0 || h.Version > version || h.CorrelationID < 0 || len(h.ClientID) == 0 || len(h.ClientID) > 255 {
		return false
	}
	for _, b := range h.ClientID {
		if b < 0x20 || b > 0x7e {
			return false
		}
	}
	return true
}

// borne says what becomes of a request, which b begins with and which was just graded as odd or newer: a is
// what the other side sent.
func (s *Session) borne(g grade, b, a []byte, o *reassembly.Window, last bool) grade {
	// An answer without its request may look like a Produce with bytes behind it: topic as client id.
	alone := last && g == odd && !o.Closed && s.tree.Key != keyProduce && s.tree.Trailing <= 8
	n, ok := s.exchanges(b, a, o.Seen == 0, last)
	switch {
	case !ok && o.Start:
		return not
	case o.Seen == 0 && n >= aloneFrames:
		return sure
	case o.Seen == 0 && alone: // nothing speaks against it; a broker that hangs up would
		return sure
	case o.Seen > 0 && (n >= 2 || n == 1 && g == odd):
		return sure
	}
	return g
}

// exchanges counts the requests that follow each other from b on, and have their answers, whole and in
// the same order, from a on; alone: whatever they have. Their ids go up and they have one client id.
// False: something is there that does not fit.
func (s *Session) exchanges(b, a []byte, alone, last bool) (n int, ok bool) {
	var id []byte
	for before := int32(0); len(b) >= 12 && n < aloneFrames; n++ {
		length := int(int32(be32(b)))
		if length < 8 || length > maxRequest {
			return n, false
		}
		if len(b) < 4+length {
			return n, true
		}
		request := b[4 : 4+length]
		g := s.grade(request, length)
		h, need, _ := decode.ParseRequestHeader(request)
		if need > 0 || g < newer || n > 0 && (h.CorrelationID <= before || h.CorrelationID > before+aloneStep || !bytes.Equal(h.ClientID, id)) {
			return n, false
		}
		before, id, b = h.CorrelationID, h.ClientID, b[4+length:]
		if alone {
			continue
		}
		if len(a) < 8 {
			return n, true
		}
		answer := int(int32(be32(a)))
		if answer < 4 || answer > maxResponse || int32(be32(a[4:])) != h.CorrelationID || g > newer && !s.answers(request, a) {
			return n, false
		}
		if len(a) < 4+answer && (!last || g > newer) {
			return n, true
		}
		a = a[min(len(a), 4+answer):]
	}
	return n, true
}

// Where a conversation that began before the capture is looked for: at the first packets of each side.
const (
	firstAsked    = 16
	firstAnswered = 64
)

// talks says whether a request that begins with a packet of w, in mid-stream, has its answer in o, where
// findRequest would not take it for one by itself, and which packet that is. To a broker it need not have one.
func (s *Session) talks(w, o *reassembly.Window, broker, last bool) (packet uint64, ok bool) {
	for _, m := range w.Marks[:min(len(w.Marks), firstAsked)] {
		b := w.Bytes[m.Off:]
		if len(b) < 12 {
			continue
		}
		length := int(int32(be32(b)))
		g := s.grade(b[4:], length)
		if g == sure && s.likeFetched(b[4:min(len(b), 4+length)]) {
			g = fits
		}
		if g != newer && g != odd && g != fits || !w.Aligned(m.Off+4+length) {
			continue
		}
		stands := broker && (g != fits || last) || o.Seen == 0 && g != fits && s.borne(g, b, nil, o, last) == sure
		for _, k := range answersAfter(o, m.At.Packet) {
			if stands {
				break
			}
			if a := o.Bytes[k.Off:]; len(a) >= 8 && bytes.Equal(a[4:8], b[8:12]) {
				n, _ := s.exchanges(b, a, false, last)
				stands = n >= 2 || n == 1 && g > newer && o.Aligned(k.Off+4+int(int32(be32(a)))) ||
					n == 0 && g == fits && len(a) >= minLargeAnswer && int(be32(a)) > len(a)-4 && s.answers(b[4:], a)
			}
		}
		if stands {
			return m.At.Packet, true
		}
	}
	return 0, false
}

// minLargeAnswer is how much of an answer that is larger than what is held must fit.
const minLargeAnswer = 4 << 10

// answersAfter gives where answers to a request in a packet may begin.
func answersAfter(o *reassembly.Window, packet uint64) []reassembly.Mark {
	first := sort.Search(len(o.Marks), func(i int) bool { return o.Marks[i].At.Packet > packet })
	return o.Marks[first:min(len(o.Marks), first+firstAnswered)]
}

// answers says whether a begins with a frame that answers the request, as far as it is there.
func (s *Session) answers(request, a []byte) bool {
	length := int(int32(be32(a)))
	if length < 4 || !bytes.Equal(a[4:8], request[4:8]) {
		return false
	}
	have := a[4:min(len(a), 4+length)]
	key, version := int16(binary.BigEndian.Uint16(request)), answeredAs(int16(binary.BigEndian.Uint16(request)), int16(binary.BigEndian.Uint16(request[2:])))
	t := &s.tree
	t.Decode(decode.Frame{Length: length, Runs: []decode.Run{{Off: 0, Bytes: have}}, Missing: len(have) < length}, key, version, decode.Response)
	f, bad := t.Fault()
	return !bad || len(have) < length && f.Class == decode.Incomplete
}

// borneAnswer says whether the tree holds an answer that is odd, or of a version that nobody knows.
func (s *Session) borneAnswer() bool {
	f, _ := s.tree.Fault()
	return s.tree.Whole() || f.Class == decode.Unknown
}

// answeredAs gives the version that a response to a request is decoded with: an ApiVersions request of
// a version that nobody knows is answered in the form of version 0.
func answeredAs(key, version int16) int16 {
	if api := schema.Lookup(key); key == keyApiVersions && !api.Versions().Has(version) {
		return 0
	}
	return version
}
