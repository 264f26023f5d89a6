package audit

import (
	"encoding/binary"

	"ksniff/decode"
	"ksniff/decode/legacy"
)

var ks1013 = Rule{ID: "KS1013", Title: "MAX_SIZE is below the message's size", Severity: Warning, Who: Client, Since: "0.6",
	Source:  "0.7.2 ByteBufferMessageSet; the 0.7 guide (InvalidFetchSize)",
	Explain: "The answer has bytes, but no whole message: the message is longer than the client asked for. It will ask for the same again, for ever. Raise fetch.size.",
	Example: "FETCH with MAX_SIZE 100 at a message of 200 bytes",
	Needs:   Both}

var ks1014 = Rule{ID: "KS1014", Title: "answer to OFFSETS is wrong", Severity: Error, Who: Broker, Since: "0.6",
	Source:  "0.7.2 Log.getOffsetsBefore; the 0.7 guide",
	Explain: "There are at most as many offsets as were asked for, descending, and one for the beginning (time -2).",
	Example: "three offsets where one was asked for",
	Needs:   Start | Both | NoGap | Apache}

var ks1020 = Rule{ID: "KS1020", Title: "legacy error code", Severity: Error, Who: Broker, Since: "0.6",
	Source:  "0.7.2 ErrorMapping; the 0.7 guide",
	Explain: "The error codes are -1 to 4. A code other than 0 together with messages is a warning.",
	Example: "error 6 of the modern protocol",
	Needs:   Both}

var ks1021 = Rule{ID: "KS1021", Title: "sets of MULTIFETCH's answer are not those asked for", Severity: Error, Who: Broker, Since: "0.6",
	Source:  "0.7.2 MultiFetchResponse",
	Explain: "The outer error is 0, and there is one set for each part of the request, in its order: nothing else tells which is which.",
	Example: "a MULTIFETCH of three parts, answered by two sets",
	Needs:   Start | Both | NoGap}

var ks1023 = Rule{ID: "KS1023", Title: "FETCH answer above MAX_SIZE", Severity: Error, Who: Broker, Since: "0.6",
	Source:  "0.7.2 FileMessageSet.read",
	Explain: "The messages take more bytes than the client asked for at most. A maximum of 0 or less in a request is a warning: nothing can be answered.",
	Example: "200 bytes where MAX_SIZE is 100",
	Needs:   Start | Both | NoGap}

// askedParts are the parts of the request that is answered.
func askedParts(c *Ctx) []legacy.Part {
	var parts []legacy.Part
	if asked := c.Asked(); asked != nil {
		eachPart(decode.Request, c.Key, asked, func(_ int, p *legacy.Part) {
			if len(parts) < 10_000 {
				parts = append(parts, *p)
			}
		})
	}
	return parts
}

func lookFetchAnswer(c *Ctx) {
	parts, n := askedParts(c), 0
	v := eachPart(decode.Response, c.Key, c.Body, func(i int, p *legacy.Part) {
		n++
		lookLegacyCode(c, p.Error, p.SetSize)
		if i >= len(parts) || p.SetSize < 0 {
			return
		}
		most := int(parts[i].Max)
		if p.SetSize > most && most > 0 {
			c.Find(&ks1023).Byte(p.Set, "messages").Say("%d bytes of messages, at most %d were asked for", p.SetSize, most).
				With("size", p.SetSize).With("max_size", most)
		}
		if m, ok := nextMessage(c.Body[p.Set:p.Set+p.SetSize], 0); ok && m.cut && p.Error == 0 {
			c.Find(&ks1013).Byte(p.Set, "messages").Say("no whole message in %d bytes; the first one has %d", p.SetSize, 4+max(m.length, 0)).
				With("max_size", most).With("length", m.length)
		}
	})
	if c.Key != legacyMultiFetch || parts == nil {
		return
	}
	if v.ErrorCode != 0 {
		c.Find(&ks1021).Byte(0, "error").Say("the outer error is %d", v.ErrorCode).With("error", v.ErrorCode)
	} else if n != len(parts) {
		c.Find(&ks1021).Byte(2, "sets").Say("%d sets for %d parts", n, len(parts)).With("sets", n).With("parts", len(parts))
	}
}

func lookLegacyCode(c *Ctx, code int16, bytes int) {
	if legacy.ErrorName(code) == "" {
		c.Find(&ks1020).Byte(0, "error").Say("error code %d", code).With("code", code)
	} else if code != 0 && bytes > 0 {
		c.Find(&ks1020).Graded(Warning).Byte(0, "error").Say("error code %d with %d bytes of messages", code, bytes).With("code", code)
	}
}

func lookOffsetsAnswer(c *Ctx) {
	b := c.Body
	if len(b) < 6 {
		return
	}
	code, count := int16(binary.BigEndian.Uint16(b)), int(int32(binary.BigEndian.Uint32(b[2:])))
	lookLegacyCode(c, code, 0)
	parts := askedParts(c)
	if len(parts) != 1 || code != 0 || count < 0 || len(b) != 6+8*count {
		return
	}
	asked := &parts[0]
	if count > max(int(asked.Max), 1) && asked.Max >= 0 { // of an unknown topic, brokers answer one in any case
		c.Find(&ks1014).Byte(2, "count").Say("%d offsets, at most %d were asked for", count, asked.Max).With("count", count).With("max", asked.Max)
	} else if asked.Offset == -2 && count > 1 {
		c.Find(&ks1014).Byte(2, "count").Say("%d offsets for the beginning", count).With("count", count)
	}
	before := int64(-1)
	for i := range count {
		offset := int64(binary.BigEndian.Uint64(b[6+8*i:]))
		if i > 0 && offset >= before {
			c.Find(&ks1014).Byte(6+8*i, "offsets").Say("offset %d after %d: they must descend", offset, before).With("offset", offset).With("before", before)
			break
		}
		before = offset
		lookLogOffset(c, asked, offset, i)
	}
}
