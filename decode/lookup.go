package decode

import "ksniff/decode/schema"

// headerVersion is the version of the header before a message, -1 where the API or its version is unknown.
func headerVersion(key, version int16, kind Kind) int16 {
	a := schema.Lookup(key)
	switch {
	case a == nil || !a.Versions().Has(version):
		return -1
	case kind == Request:
		return a.RequestHeaderVersion(version)
	}
	return a.ResponseHeaderVersion(version)
}
