package audit

import "hash/crc32"

var ks3001 = Rule{ID: "KS3001", Title: "CRC-32C of a batch is wrong", Severity: Error, Who: Either, Since: "0.11",
	Source:  "DefaultRecordBatch.ensureValid; brokers answer CORRUPT_MESSAGE",
	Explain: "The checksum of a batch of format 2 is the CRC-32C (Castagnoli) of its bytes from the attributes to its end. Brokers refuse batches where it does not fit, consumers throw. Either bytes changed on the way, or the checksum was taken over the wrong bytes, or with the CRC-32 of the older formats.",
	Example: "one bit of a record flipped, the checksum left as it was"}

var ks3002 = Rule{ID: "KS3002", Title: "CRC-32 of a message is wrong", Severity: Error, Who: Either, Since: "0.8",
	Source:  "LegacyRecord.ensureValid; LogValidator",
	Explain: "The checksum of a message of format 0 or 1 is the CRC-32 (IEEE) of its bytes from the magic byte to its end. Brokers refuse messages where it does not fit, consumers throw. Messages inside a compressed one are looked at with --deep.",
	Example: "a message whose value was changed after the checksum was taken"}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// lookCRC looks at a batch whose checksum is wrong. It is that of the bytes as they are sent, so that this takes no --deep.
func lookCRC(c *Ctx) {
	b, sum := c.Batch, c.Computed
	rule, at := &ks3002, 12
	if b.Magic == 2 {
		rule, at = &ks3001, 17
	}
	f := c.Find(rule)
	if f == nil {
		return
	}
	f.in(c, at, "Crc").Say("the checksum is %08x, computed is %08x", b.CRC, sum).With("stored", b.CRC).With("computed", sum)
	if c.otherSum() == b.CRC {
		f.Message += "; it was computed with the other polynomial"
	}
}

// otherSum is the checksum of the batch by the polynomial of the other formats. (Of a batch whose bytes are not there
// it is not known for the first one with a wrong checksum.)
func (c *Ctx) otherSum() uint32 {
	switch {
	case c.Batch.Magic < 2:
		return crc32.Checksum(c.Raw[16:], castagnoli)
	case len(c.Raw) == c.Batch.Size:
		return crc32.ChecksumIEEE(c.Raw[21:])
	case c.IEEE != 0:
		return c.IEEE
	}
	return c.Computed
}
