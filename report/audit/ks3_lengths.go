package audit

import (
	"encoding/binary"

	"ksniff/decode"
)

var ks3003 = Rule{ID: "KS3003", Title: "batch size is impossible", Severity: Error, Who: Either, Since: "0.8",
	Source:  "DefaultRecordBatch, LegacyRecord, ByteBufferLogInputStream",
	Explain: "The length of a batch is below what its format takes at least (49 in format 2, 22 in format 1, 14 in format 0), or goes beyond the end of the record set of a Produce request. In an answer the last batch may be cut, that is no fault.",
	Example: "a batch of format 2 with length 48"}

var ks3004 = Rule{ID: "KS3004", Title: "message format is unknown", Severity: Error, Who: Either, Since: "0.8",
	Source:  "RecordBatch, ByteBufferLogInputStream",
	Explain: "The magic byte of a batch is none of 0, 1 and 2. Readers throw; brokers refuse the request.",
	Example: "magic 3"}

// lookShort looks for messages of format 1 that are shorter than their fixed fields.
func lookShort(c *Ctx) {
	if c.Batch.Magic == 1 && c.Batch.Size < 12+22 {
		c.Find(&ks3003).in(c, 8, "BatchLength").Say("a message of format 1 has %d bytes, it takes at least 22", c.Batch.Size-12).
			With("length", c.Batch.Size-12)
	}
}

// lookSetEnd looks at a set that was read to its end.
func lookSetEnd(c *Ctx) {
	if c.Seen.bytes != c.SetBytes {
		lookLengths(c)
	}
	if c.Kind == decode.Request && c.Version >= 3 {
		lookOneBatch(c, c.Seen)
	}
}

// lookLengths goes through what is left of a set by its lengths, to where they cannot be right.
func lookLengths(c *Ctx) {
	for at := c.Left; at < c.SetBytes; {
		left, rest := c.SetBytes-at, c.Raw[min(at-c.Left, len(c.Raw)):]
		if left < 12 {
			if c.Kind == decode.Request {
				c.Find(&ks3003).Byte(c.Set+at, "Records").About(c.Topic, c.Partition).
					Say("%d bytes are left over, too few for a batch", left).With("left", left)
			}
			return
		}
		if len(rest) < 12 {
			return
		}
		length := int(int32(binary.BigEndian.Uint32(rest[8:])))
		magic := int8(0)
		if len(rest) > 16 {
			magic = int8(rest[16])
		}
		least := 14
		if magic == 2 {
			least = 49
		}
		switch {
		case length < least:
			c.Find(&ks3003).Byte(c.Set+at+8, "Records.BatchLength").About(c.Topic, c.Partition).
				Say("the length of a batch of format %d is %d, it takes at least %d", magic, length, least).With("length", length)
		case magic < 0 || magic > 2:
			c.Find(&ks3004).Byte(c.Set+at+16, "Records.Magic").About(c.Topic, c.Partition).
				Say("magic is %d", magic).With("magic", magic)
		case 12+length > left && c.Kind == decode.Request:
			c.Find(&ks3003).Byte(c.Set+at+8, "Records.BatchLength").About(c.Topic, c.Partition).
				Say("a batch of %d bytes where the record set has %d left", 12+length, left).With("length", length).With("left", left)
		}
		if length < least || magic < 0 || magic > 2 {
			return // what follows is not where the length says
		}
		at += 12 + length
	}
}
