package escape

import "unicode/utf8"

// Document appends a JSON document with those control characters escaped that encoding/json lets
// pass inside strings (DEL, C1, marks of direction). Outside strings a document has none.
func Document(dst, doc []byte) []byte {
	for len(doc) > 0 {
		n := 0
		for n < len(doc) && doc[n] < 0x7f {
			n++
		}
		dst = append(dst, doc[:n]...)
		if doc = doc[n:]; len(doc) == 0 {
			break
		}
		r, size := utf8.DecodeRune(doc)
		if control(r) {
			dst = append(dst, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
		} else {
			dst = append(dst, doc[:size]...)
		}
		doc = doc[size:]
	}
	return dst
}
