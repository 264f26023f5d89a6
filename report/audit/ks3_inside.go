package audit

import (
	"encoding/binary"
	"hash/crc32"

	"ksniff/decode"
	"ksniff/decode/records"
)

var ks3024 = Rule{ID: "KS3024", Title: "compressed message holds no messages", Severity: Error, Who: Either, Since: "0.8",
	Source:  "AbstractLegacyRecordBatch; LogValidator.validateRecordCompression",
	Explain: "The value of a compressed message of format 0 or 1 is a set of messages: at least one, and none of them compressed in turn. Brokers refuse it, consumers throw.",
	Example: "a gzip message with a null value, or a gzip message inside a gzip message",
	Needs:   Deep}

var ks3025 = Rule{ID: "KS3025", Title: "inner offsets are not 0, 1, 2 …", Severity: Warning, Who: Client, Since: "0.10",
	Source:  "LogValidator",
	Explain: "In format 1 the messages inside a compressed one count from 0. Where they do not, the broker must compress the whole set anew, which costs it much time.",
	Example: "three inner messages, all with offset 0",
	Needs:   Deep, Once: PerClient}

// insideBuffer is what wrappers decompress to.
type insideBuffer struct{ b []byte }

var insideSlot = newAuditSlot[insideBuffer]()

// maxInside bounds what a wrapper may decompress to here.
const maxInside = 16 << 20

// lookInside opens a compressed message of format 0 or 1 and goes through its messages.
func lookInside(c *Ctx) {
	b := c.Batch
	if b.Magic > 1 || b.Codec == records.None || b.Codec > records.LZ4 || len(c.Raw) != b.Size || !c.Audit.cfg.Deep {
		return
	}
	at := compressedAt(c.Raw, b.Magic)
	if at < 0 || at == len(c.Raw) {
		c.Find(&ks3024).in(c, 17, "Value").Say("the value of a compressed message is null or empty")
		return
	}
	buf := insideSlot.of(c)
	if cap(buf.b) > 1<<20 {
		buf.b = nil
	}
	var wrong decode.Code
	if buf.b, wrong = records.Inflate(buf.b[:0], c.Raw[at:], b.Codec, b.Magic, maxInside); wrong != 0 && wrong != decode.LZ4HeaderChecksum {
		return
	}
	if n := lookInner(c, buf.b); n == 0 {
		c.Find(&ks3024).in(c, at, "Value").Say("a compressed message holds no message")
	}
}

// lookInner goes through the messages of a wrapper, and says how many there are.
func lookInner(c *Ctx, set []byte) (n int) {
	be, mixed, disorder, wrong := binary.BigEndian, false, false, false
	for len(set) >= 26 {
		size := int(int32(be.Uint32(set[8:])))
		if size < 14 || size > len(set)-12 {
			return max(n, 1)
		}
		offset, m := be.Uint64(set), set[12:12+size]
		if stored, sum := be.Uint32(m), crc32.ChecksumIEEE(m[4:]); stored != sum && !wrong {
			wrong = true
			c.Find(&ks3002).in(c, 0, "Value").Say("the checksum of inner message %d is %08x, computed is %08x", n, stored, sum).
				With("inner", n).With("stored", stored).With("computed", sum)
		}
		if magic := int8(m[4]); magic != c.Batch.Magic && !mixed && c.Kind == decode.Request {
			mixed = true
			c.Find(&ks3023).in(c, 16, "Magic").Say("inner message %d has format %d, the compressed one around it %d", n, magic, c.Batch.Magic).
				With("formats", []int8{c.Batch.Magic, magic})
		}
		if m[5]&7 != 0 {
			c.Find(&ks3024).in(c, 0, "Value").Say("inner message %d is compressed in turn", n).With("inner", n)
			return n + 1
		}
		if offset != uint64(n) && !disorder && c.Batch.Magic == 1 && c.Kind == decode.Request {
			disorder = true
			c.Find(&ks3025).in(c, 0, "Value").Say("inner message %d has offset %d", n, int64(offset)).With("inner", n).With("offset", int64(offset))
		}
		set = set[12+size:]
		n++
	}
	return n
}
