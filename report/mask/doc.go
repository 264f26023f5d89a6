// Package mask makes a capture fit to be shared: the same packets, lengths and structure, without record keys,
// values and header values, without secrets, and without any byte that ksniff could not decode.
//
// It works the safe way round. A packet is copied with its payload zeroed, and waits; what the frames in it
// may keep is put back once they are decoded. What nobody decoded stays zero.
package mask

// fill is what keys, values and secrets become: valid in strings, no type of a SASL token, easy to see.
const fill = 'x'

// Counts say what was masked, and what could only be zeroed.
type Counts struct {
	Packets int64 // written
	Frames  int64 // masked field by field
	Opaque  int64 // frames with a fault, of which only the header is kept
	Records int64 // keys, values and header values that were overwritten
	Secrets int64 // fields that were overwritten
	// Blank counts compressed batches that could not be opened, or whose masked records do not fit into the
	// same number of bytes: their data is zeros and cannot be decompressed.
	Blank int64
	// Zeroed counts payload bytes that no frame accounts for: other protocols, TLS, what was skipped or is
	// not whole, and what had to be written before it was decided.
	Zeroed int64
	Early  int64 // packets that had to be written before that, for the bound on memory or on the wait
}

// Config bounds what a Masker holds.
type Config struct {
	Memory int64 // bytes of packets that wait; 0 means 64 MiB
	// Wait is how long a packet may wait for its frame to be decided, by the packets' clock; 0: for ever.
	Wait int64
}

const (
	defaultMemory = 64 << 20
	// maxOpened bounds what one batch may decompress to, maxOpenedInFrame all those of a frame.
	maxOpened        = 16 << 20
	maxOpenedInFrame = 64 << 20
)
