package audit

import (
	"encoding/binary"
	"hash/crc32"

	"ksniff/decode"
	"ksniff/decode/legacy"
	"ksniff/decode/records"
)

var ks1008 = Rule{ID: "KS1008", Title: "legacy message magic is not 0 or 1", Severity: Error, Who: Either, Since: "0.6",
	Source:  "0.7.2 Message.crcOffset; the 0.7 guide (0.6: only 0)",
	Explain: "The format of a message is 0, or 1 from 0.7 on. Brokers close the connection of a PRODUCE with another one.",
	Example: "a message of magic 2"}

var ks1009 = Rule{ID: "KS1009", Title: "compression bits of a legacy message", Severity: Error, Who: Either, Since: "0.7",
	Source:  "0.7.2 Message, CompressionCodec; the 0.7 guide",
	Explain: "The low two bits of the attributes name the codec: 0 none, 1 gzip, 2 snappy. 3 is none of them, and brokers close the connection. The other bits are ignored and stored: set, they are a warning.",
	Example: "attributes 03"}

var ks1010 = Rule{ID: "KS1010", Title: "legacy checksum is wrong", Severity: Error, Who: Either, Since: "0.6",
	Source:  "0.7.2 Message.isValid, Log.append; the 0.7 guide",
	Explain: "The checksum is the CRC-32 of the payload alone, that is of the bytes behind it; magic and attributes are outside. Brokers refuse the whole set, and the connection is closed.",
	Example: "a checksum over magic, attributes and payload, as from 0.8 on"}

var ks1011 = Rule{ID: "KS1011", Title: "legacy message length", Severity: Error, Who: Either, Since: "0.6",
	Source:  "0.7.2 Message.headerSize, ByteBufferMessageSet",
	Explain: "A message has at least 5 bytes (magic 0) or 6 (magic 1) behind its length.",
	Example: "a message of magic 1 with length 5"}

var ks1012 = Rule{ID: "KS1012", Title: "PRODUCE ends in a partial message", Severity: Error, Who: Client, Since: "0.6",
	Source:  "0.7.2 ByteBufferMessageSet.validBytes, Log.append",
	Explain: "The last message is longer than what is left of the set. If it is the only one, the broker closes the connection; else it drops the message, and nobody is told.",
	Example: "a PRODUCE of which the last message lacks its last byte"}

var ks1024 = Rule{ID: "KS1024", Title: "message above 0.7's limit", Severity: Warning, Who: Client, Since: "0.7",
	Source:  "0.7.2 KafkaRequestHandlers swallows MessageSizeTooLarge (max.message.size)",
	Explain: "By default 0.7 brokers drop a message of more than 1000000 bytes, log it, and keep the connection: the client never learns.",
	Example: "a message with a payload of 2 MB"}

var ks1025 = Rule{ID: "KS1025", Title: "compressed message in a compressed message", Severity: Warning, Who: Client, Since: "0.7",
	Source:  "0.7.2 ByteBufferMessageSet tolerates it; the 0.7 guide",
	Explain: "A message inside a compressed one is compressed itself. 0.7 reads it, other clients need not.",
	Example: "gzip in snappy",
	Needs:   Deep}

// legacyMessage is a message of a legacy set: m is what is behind its length.
type legacyMessage struct {
	pos, length int // length as it says
	m           []byte
	cut         bool // it goes beyond the set
}

// nextMessage reads the message at pos of a set; false at the end.
func nextMessage(set []byte, pos int) (m legacyMessage, ok bool) {
	rest := set[pos:]
	if len(rest) == 0 {
		return m, false
	}
	if len(rest) < 4 {
		return legacyMessage{pos: pos, length: -1, cut: true}, true
	}
	n := int(int32(binary.BigEndian.Uint32(rest)))
	m = legacyMessage{pos: pos, length: n}
	if n < 0 {
		return m, true
	}
	if n > len(rest)-4 {
		m.cut = true
		return m, true
	}
	m.m = rest[4 : 4+n]
	return m, true
}

// sound says that a message can be read and that its checksum is right.
func (m *legacyMessage) sound() bool {
	if m.cut || len(m.m) < 5 || m.m[0] > 1 || len(m.m) < 5+int(m.m[0]) {
		return false
	}
	at := 1 + int(m.m[0])
	return binary.BigEndian.Uint32(m.m[at:]) == crc32.ChecksumIEEE(m.m[at+4:])
}

func lookProducedMessages(c *Ctx) {
	eachPart(decode.Request, c.Key, c.Body, func(_ int, p *legacy.Part) { lookMessages(c, p.Set, p.SetSize) })
}

// lookMessages looks at the messages of a set at a place in the frame.
func lookMessages(c *Ctx, at, size int) {
	set := c.Body[at:min(at+size, len(c.Body))]
	for pos := 0; ; {
		m, ok := nextMessage(set, pos)
		if !ok {
			return
		}
		if m.cut {
			if c.Kind == decode.Request {
				c.Find(&ks1012).Byte(at+pos, "message").Say("the last message lacks %d bytes", 4+max(m.length, 0)-(len(set)-pos)).
					With("missing", 4+max(m.length, 0)-(len(set)-pos)).With("first", pos == 0)
			}
			return
		}
		if !lookMessage(c, at+pos, m) {
			return
		}
		pos += 4 + m.length
	}
}

// lookMessage looks at one message, and says whether the place of the next one is clear.
func lookMessage(c *Ctx, at int, m legacyMessage) bool {
	if m.length < 0 || len(m.m) < 5 || m.m[0] == 1 && len(m.m) < 6 {
		c.Find(&ks1011).Byte(at, "length").Say("length %d", m.length).With("length", m.length)
		return m.length >= 0
	}
	magic := m.m[0]
	if magic > 1 {
		c.Find(&ks1008).Byte(at+4, "magic").Say("magic %d", magic).With("magic", int(magic))
		return true
	}
	crcAt := 1 + int(magic)
	payload := m.m[crcAt+4:]
	codec := records.None
	if magic == 1 {
		attributes := m.m[1]
		codec = records.Codec(attributes & 3)
		switch {
		case codec == 3:
			c.Find(&ks1009).Byte(at+5, "attributes").Say("codec 3").With("attributes", int(attributes))
		case attributes&0xfc != 0:
			c.Find(&ks1009).Graded(Warning).Byte(at+5, "attributes").Say("attributes %02x", attributes).With("attributes", int(attributes))
		}
	}
	stored, computed := binary.BigEndian.Uint32(m.m[crcAt:]), crc32.ChecksumIEEE(payload)
	if stored != computed {
		f := c.Find(&ks1010).Byte(at+4+crcAt, "crc").Say("checksum %08x, computed %08x", stored, computed).With("stored", stored).With("computed", computed)
		if crc := crc32.Update(crc32.ChecksumIEEE(m.m[:crcAt]), crc32.IEEETable, payload); crc == stored {
			f.With("matches", "the checksum of 0.8, over magic and attributes too")
		}
	}
	if len(payload) > 1_000_000 && c.Kind == decode.Request {
		c.Find(&ks1024).Byte(at, "payload").Say("a payload of %d bytes", len(payload)).With("size", len(payload))
	}
	if codec != records.None && codec <= records.Snappy && c.Audit.cfg.Deep {
		lookNested(c, at, payload, codec)
	}
	return true
}

// lookNested looks at the messages in a compressed one. Only one of a kind is reported, at the place of
// the compressed message: inside there are no offsets.
func lookNested(c *Ctx, at int, payload []byte, codec records.Codec) {
	set, code := records.Inflate(nil, payload, codec, 1, records.MaxBatch)
	if code != 0 {
		return
	}
	var magic, crc, nested bool
	for pos, i := 0, 0; ; i++ {
		m, ok := nextMessage(set, pos)
		if !ok || m.cut || m.length < 0 {
			return
		}
		pos += 4 + m.length
		switch {
		case len(m.m) < 5 || m.m[0] == 1 && len(m.m) < 6:
			return
		case m.m[0] > 1:
			if !magic {
				c.Find(&ks1008).Byte(at+4, "payload").Say("message %d in the compressed message has magic %d", i, m.m[0]).
					With("magic", int(m.m[0])).With("message", i)
			}
			magic = true
			continue
		}
		crcAt := 1 + int(m.m[0])
		if stored, computed := binary.BigEndian.Uint32(m.m[crcAt:]), crc32.ChecksumIEEE(m.m[crcAt+4:]); stored != computed && !crc {
			crc = true
			c.Find(&ks1010).Byte(at+4, "payload").Say("checksum %08x of message %d in the compressed message, computed %08x", stored, i, computed).
				With("stored", stored).With("computed", computed).With("message", i)
		}
		if m.m[0] == 1 && m.m[1]&3 != 0 && !nested {
			nested = true
			c.Find(&ks1025).Byte(at, "payload").Say("a message in the compressed message is compressed with codec %d", m.m[1]&3).With("codec", int(m.m[1]&3))
		}
	}
}
