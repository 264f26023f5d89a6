package report

import (
	"encoding/base64"
	"net/netip"
	"strconv"

	"ksniff/decode/schema"
	"ksniff/reassembly/session"
)

// legacyAPIs are the request types of 0.6 and 0.7, by number.
var legacyAPIs = [...]string{"PRODUCE", "FETCH", "MULTIFETCH", "MULTIPRODUCE", "OFFSETS"}

// name of an API, as Kafka or the guide of 0.7 has it; "" where it has none.
func (a *api) name() string {
	switch {
	case a.generation == session.Legacy && a.key >= 0 && int(a.key) < len(legacyAPIs):
		return legacyAPIs[a.key]
	case a.generation == session.Modern && a.schema != nil:
		return a.schema.Name
	}
	return ""
}

func generationName(g session.Generation) string {
	if g == session.Legacy {
		return "legacy"
	}
	return "modern"
}

// errorName names a packed error code (see errorKey).
func errorName(key int32) string {
	if key == tallyOther {
		return "other"
	}
	if key <= legacyMark/2 {
		return schema.ErrorName(int16(key))
	}
	code := int16(key - legacyMark)
	if e := schema.LookupLegacyError(code); e != nil {
		return e.Name
	}
	return "UNKNOWN(" + strconv.Itoa(int(code)) + ")"
}

// uuidText is Kafka's text of a topic id: 22 characters, base64 without padding.
func uuidText(id [16]byte) string { return base64.RawURLEncoding.EncodeToString(id[:]) }

func addrText(a [16]byte) string { return netip.AddrFrom16(a).Unmap().String() }

func named(t *tally, name func(int32) string) map[string]int64 {
	m := make(map[string]int64, len(t.list))
	for _, c := range t.list {
		m[name(c.key)] += c.n
	}
	return m
}

func versionName(v int32) string {
	if v == tallyOther {
		return "other"
	}
	return strconv.Itoa(int(v))
}
