package audit

import (
	"encoding/binary"

	"ksniff/decode/records"
)

var ks3008 = Rule{ID: "KS3008", Title: "zstd handed to an old fetcher", Severity: Warning, Who: Broker, Since: "2.1",
	Source:  "KafkaApis.maybeConvertFetchedData; KIP-110",
	Explain: "A Fetch below version 10 is answered with records that are compressed with zstd, which such a client need not know. Brokers refuse (UNSUPPORTED_COMPRESSION_TYPE) only where the topic's own setting is zstd; with compression.type=producer the batch goes out as it is.",
	Example: "a batch of codec 4 in the answer to Fetch 7"}

var ks3030 = Rule{ID: "KS3030", Title: "format is newer than the Fetch version", Severity: Error, Who: Broker, Since: "0.10",
	Source:  "KafkaApis (down-conversion); message definition of Fetch",
	Explain: "Fetch 0 and 1 are answered in format 0, Fetch 2 and 3 at most in format 1: the client cannot read newer ones. It happens where message.format.version was lowered after newer data had been written.",
	Example: "a batch of format 2 in the answer to Fetch 3",
	Needs:   Apache}

// lookServedFormat looks at what the version of a Fetch allows in its answer.
func lookServedFormat(c *Ctx) {
	b := c.Batch
	if b.Codec == records.Zstd && c.Version < 10 {
		c.Find(&ks3008).in(c, attributesAt(c), "Attributes").Say("codec zstd in the answer to Fetch %d", c.Version)
	}
	if c.Version < 2 && b.Magic > 0 || c.Version < 4 && b.Magic > 1 {
		c.Find(&ks3030).in(c, 16, "Magic").Say("format %d in the answer to Fetch %d", b.Magic, c.Version).With("magic", b.Magic)
	}
}

var ks3009 = Rule{ID: "KS3009", Title: "zstd in format 0 or 1", Severity: Error, Who: Either, Since: "2.1",
	Source:  "MemoryRecordsBuilder; KIP-110",
	Explain: "zstd came with format 2. Brokers refuse a message of format 0 or 1 that is compressed with it.",
	Example: "a message of magic 1 with codec 4"}

var ks3010 = Rule{ID: "KS3010", Title: "codec is unknown", Severity: Error, Who: Either, Since: "0.8",
	Source:  "CompressionType.forId",
	Explain: "The low three bits of the attributes name the codec: 0 none, 1 gzip, 2 snappy, 3 lz4, 4 zstd (from format 1 on). Readers throw.",
	Example: "attributes 0x05"}

var ks3020 = Rule{ID: "KS3020", Title: "reserved attribute bits are set", Severity: Warning, Who: Either, Since: "0.10",
	Source:  "message format documentation",
	Explain: "Bits of the attributes that have no meaning yet are 0: above bit 6 in a batch of format 2, above bit 3 in formats 0 and 1, and all in a record. A later version may give them one.",
	Example: "batch attributes 0x100, or record attributes 1"}

// lookAttributes looks at codec and reserved bits.
func lookAttributes(c *Ctx) {
	b := c.Batch
	if b.Codec == 4 && b.Magic < 2 {
		c.Find(&ks3009).in(c, 17, "Attributes").Say("codec zstd in format %d", b.Magic)
	}
	if b.Codec > 4 || b.Codec == 4 && b.Magic == 0 {
		c.Find(&ks3010).in(c, attributesAt(c), "Attributes").Say("codec %d does not exist in format %d", uint8(b.Codec), b.Magic).
			With("attributes", b.Attributes)
	}
	reserved := b.Attributes & 0xf0
	if b.Magic == 2 {
		reserved = int16(uint16(b.Attributes) & 0xff80)
	}
	if reserved != 0 {
		c.Find(&ks3020).in(c, attributesAt(c), "Attributes").Say("the reserved bits %#x of the batch's attributes are set", uint16(reserved)).
			With("attributes", b.Attributes)
	}
}

var ks3027 = Rule{ID: "KS3027", Title: "checksum of an lz4 frame header", Severity: Warning, Who: Either, Since: "0.8.2",
	Source:  "KAFKA-3160; KIP-57",
	Explain: "In format 0 the checksum of the lz4 frame header is taken over the frame's magic too, by mistake, and old brokers want it so. From format 1 on it is the right one. A wrong one makes the batch unreadable for some.",
	Example: "a message of format 0 whose lz4 frame has the checksum that the lz4 specification asks for"}

// lookLZ4 looks at the header of the lz4 frame in a batch.
func lookLZ4(c *Ctx) {
	if c.Batch.Codec != records.LZ4 {
		return
	}
	at := compressedAt(c.Raw, c.Batch.Magic)
	if at < 0 {
		return
	}
	b := c.Raw[at:]
	end := 6
	if len(b) > 4 && b[4]&8 != 0 {
		end += 8
	}
	if len(b) <= end || binary.LittleEndian.Uint32(b) != 0x184d2204 {
		return
	}
	right, old := records.LZ4HeaderSum(b[4:end])
	switch {
	case c.Batch.Magic == 0 && b[end] == right && right != old:
		c.Find(&ks3027).in(c, at+end, "Value").Say("format 0 with the right checksum %02x of the lz4 header, brokers of that time want %02x", right, old)
	case c.Batch.Magic > 0 && b[end] != right:
		c.Find(&ks3027).in(c, at+end, "Records").Say("the checksum of the lz4 header is %02x, computed is %02x", b[end], right).
			With("of_format_0", b[end] == old)
	}
}

// compressedAt is where the compressed bytes of a whole batch begin, -1 where it has none.
func compressedAt(b []byte, magic int8) int {
	if magic == 2 {
		return 61
	}
	at := 18 // the key
	if magic == 1 {
		at += 8
	}
	if len(b) < at+4 {
		return -1
	}
	at += 4 + max(int(int32(binary.BigEndian.Uint32(b[at:]))), 0)
	if at < 0 || len(b) < at+4 || int32(binary.BigEndian.Uint32(b[at:])) < 0 {
		return -1
	}
	return at + 4
}
