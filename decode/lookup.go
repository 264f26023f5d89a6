package decode

import "ksniff/decode/schema"

// lookup finds an API in the tables, nil where there is none.
func lookup(key int16) *schema.API { return nil }

// headerVersion is the version of the header before a message, -1 where the API or its version is unknown.
func headerVersion(key, version int16, kind Kind) int16 {
	a := lookup(key)
	if a == nil || !a.Request.Valid.Has(version) {
		return -1
	}
	if kind == Request {
		if a.Request.Flexible.Has(version) {
			return 2
		}
		return 1
	}
	if a.Response.Flexible.Has(version) {
		return 1
	}
	return 0
}
