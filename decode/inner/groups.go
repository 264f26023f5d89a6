package inner

import (
	"ksniff/decode"
	"ksniff/decode/schema"
)

// Inner is a decode.JSON.Inner: it writes what a bytes field of a request, answer or record holds, where that
// is known and reads the bytes to the end.
func (d *Decoder) Inner(dst []byte, r decode.Ref) []byte {
	b := r.Bytes()
	if len(b) == 0 || r.Schema() == nil {
		return dst
	}
	switch r.Schema().Name {
	case "Metadata", "MemberMetadata", "subscription":
		return d.group(dst, r, b, 0)
	case "Assignment", "MemberAssignment", "assignment":
		return d.group(dst, r, b, 1)
	case "CurrentAssignment":
		rec, m := schema.LookupInner("ConnectAssignment")
		dst, _ = d.tiled(dst, rec, m, b)
		return dst
	case "UserData":
		return d.userData(dst, b)
	case "RequestPrincipal":
		rec, m := schema.LookupInner("DefaultPrincipalData")
		dst, _ = d.tiled(dst, rec, m, b)
	case "RequestData":
		return d.EnvelopeRequest(dst, b)
	case "ResponseData":
		return d.EnvelopeResponse(dst, b)
	}
	return dst
}

// group writes what a member tells (part 0) or is told (part 1), by the group's protocol type or, in versions
// that lack it, by what fits.
func (d *Decoder) group(dst []byte, r decode.Ref, b []byte, part int) []byte {
	kind := protocolType(r)
	consumer := [2]string{"ConsumerProtocolSubscription", "ConsumerProtocolAssignment"}[part]
	connect := [2]string{"ConnectMetadata", "ConnectAssignment"}[part]
	ok := false
	if kind == "consumer" || kind == "" {
		rec, m := schema.LookupInner(consumer)
		outer := d.user
		if d.user = ""; assignor(r) == "stream" {
			d.user = [2]string{"SubscriptionInfoData", "AssignmentInfo"}[part]
		}
		dst, ok = d.tiled(dst, rec, m, b)
		if d.user = outer; ok {
			return dst
		}
	}
	if kind == "connect" || kind == "" {
		rec, m := schema.LookupInner(connect)
		dst, _ = d.tiled(dst, rec, m, b)
	}
	return dst
}

// protocolType finds the type in the nearest struct around a field that has one; "" where none does.
func protocolType(r decode.Ref) string {
	for p := r.Parent(); p.Node() >= 0; p = p.Parent() {
		if p.Kind() != decode.Struct {
			continue
		}
		for _, name := range [...]string{"ProtocolType", "protocolType"} {
			if f := p.Field(name); f.OnWire() && f.Kind() == decode.String {
				return f.String()
			}
		}
	}
	return ""
}

// assignor finds the name of the assignor that wrote a member's field, "" where no struct around it tells.
func assignor(r decode.Ref) string {
	for p := r.Parent(); p.Node() >= 0; p = p.Parent() {
		if p.Kind() != decode.Struct {
			continue
		}
		for _, name := range [...]string{"ProtocolName", "ProtocolData", "protocol", "Name"} {
			if f := p.Field(name); f.OnWire() && f.Kind() == decode.String {
				return f.String()
			}
		}
	}
	return ""
}

// userData writes what an assignor put into a subscription or assignment: that of Kafka Streams is known.
func (d *Decoder) userData(dst, b []byte) []byte {
	if d.user == "" {
		return dst
	}
	rec, m := schema.LookupInner(d.user)
	dst, _ = d.tiled(dst, rec, m, b)
	return dst
}
