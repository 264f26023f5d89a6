package decode

import "ksniff/decode/schema"

// headers has one more than the version of each header, by kind, API key and version: it is asked for each frame.
var headers = func() (table [2][128][32]uint8) {
	for _, a := range schema.APIs {
		for version := range int16(32) {
			for _, kind := range []Kind{Request, Response} {
				if a.Key < 128 {
					table[kind][a.Key][version] = uint8(headerByRange(a.Key, version, kind) + 1)
				}
			}
		}
	}
	return
}()

// headerVersion is the version of the header before a message, -1 where the API or its version is unknown.
func headerVersion(key, version int16, kind Kind) int16 {
	if uint16(key) < 128 && uint16(version) < 32 {
		return int16(headers[kind&1][key][version]) - 1
	}
	return headerByRange(key, version, kind)
}

func headerByRange(key, version int16, kind Kind) int16 {
	a := schema.Lookup(key)
	switch {
	case a == nil || !a.Versions().Has(version):
		return -1
	case kind == Request:
		return a.RequestHeaderVersion(version)
	}
	return a.ResponseHeaderVersion(version)
}
