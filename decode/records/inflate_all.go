package records

import "ksniff/decode"

// Inflate appends what src decompresses to, at most limit bytes. The code says what is wrong, 0 for nothing;
// what came before it is there. magic is the message format, since format 0 writes lz4 in its own way.
func Inflate(dst, src []byte, codec Codec, magic int8, limit int) ([]byte, decode.Code) {
	o := newOpener(len(src))
	defer o.free()
	f := &o.level(0).inf
	f.reset(codec, magic, src, min(limit, MaxBatch))
	for piece := f.next(); piece != nil; piece = f.next() {
		dst = append(dst, piece...)
	}
	return dst, f.code
}
