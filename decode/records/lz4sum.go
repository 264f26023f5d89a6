package records

// LZ4HeaderSum computes the header checksum of an LZ4 frame with a descriptor (the header without its magic
// and checksum), as it should be and as message format 0 has it, which takes in the magic (KAFKA-3160).
func LZ4HeaderSum(descriptor []byte) (right, old byte) {
	head := append(make([]byte, 0, 32), 0x04, 0x22, 0x4d, 0x18) // a descriptor has at most 14 bytes
	head = append(head, descriptor...)
	return byte(checksum32(descriptor) >> 8), byte(checksum32(head) >> 8)
}
