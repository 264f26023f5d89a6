package audit

import (
	"ksniff/decode"
	"ksniff/decode/schema"
)

var ks2009 = Rule{ID: "KS2009", Title: "tags unsorted or repeated", Severity: Error, Who: Either, Since: "2.4",
	Source:  "KIP-482; TaggedFields.read, RawTaggedFieldWriter",
	Explain: "The tagged fields of a struct must ascend by tag, each at most once. Apache's generated readers accept other orders, readers of other libraries need not.",
	Example: "a struct with the tags 1, 0"}

var ks2010 = Rule{ID: "KS2010", Title: "known tag misused", Severity: Error, Who: Either, Since: "2.4",
	Source:  "MessageDataGenerator: readers ignore the size of a known tag, so that all that follows is read at the wrong place",
	Explain: "A tagged field that the message defines does not take as many bytes as its size says, or this version does not have it: readers of Kafka throw. (Of requests that a client sends again and again, the first one is looked at for the latter.) Tags that the message does not define are legal.",
	Example: "FetchRequest's tag 0 (ClusterId) with size 3 before a string of 4 bytes"}

var ks2011 = Rule{ID: "KS2011", Title: "null where none is allowed", Severity: Error, Who: Either, Since: "0.8",
	Source:  "message definitions (nullableVersions); MessageDataGenerator",
	Explain: "The field is null in a version that does not allow it. Readers throw, and brokers close the connection.",
	Example: "a null topic name in a Produce request"}

var ks2012 = Rule{ID: "KS2012", Title: "impossible length", Severity: Error, Who: Either, Since: "0.8",
	Source:  "MessageDataGenerator; ByteBufferAccessor",
	Explain: "A length or count is below -1, beyond the largest that Kafka allows, or more than what is left of the frame.",
	Example: "an array of 1000 elements in the last 4 bytes of a frame"}

var ks2013 = Rule{ID: "KS2013", Title: "varint too long", Severity: Error, Who: Either, Since: "0.11",
	Source:  "ByteUtils.readUnsignedVarint: rejects more than 5 bytes, accepts zero padding",
	Explain: "A varint goes beyond 32 bits: readers throw. One that is padded with zeros is read, but not written by any library of repute: a warning.",
	Example: "80 80 80 80 10, or 80 00 for 0"}

var ks2014 = Rule{ID: "KS2014", Title: "bytes after the body", Severity: Warning, Who: Either, Since: "0.8",
	Source:  "protocol guide: there is no padding; Apache does not check",
	Explain: "The message ends before its frame. The length is wrong, or the message is written in another version than its header says.",
	Example: "a Metadata request with 4 more bytes behind the last field"}

var formRules = [...]*Rule{decode.Truncated: &ks2012, decode.TrailingBytes: &ks2014, decode.BadLength: &ks2012, decode.BadCount: &ks2012,
	decode.NullNotAllowed: &ks2011, decode.VarintOverflow: &ks2013, decode.VarintNotMinimal: &ks2013, decode.TagOrder: &ks2009, decode.TagSize: &ks2010}

// lookFaults reports what is wrong with the fields of a frame.
func lookFaults(c *Ctx) {
	for _, fault := range c.Tree().Faults {
		if fault.Class != decode.Broken || int(fault.Code) >= len(formRules) || formRules[fault.Code] == nil {
			continue
		}
		f := c.Find(formRules[fault.Code])
		if f == nil {
			continue
		}
		f.Byte(fault.Offset, fault.Path(c.Tree())).Say("%s", fault.Message()).
			With("fault", fault.Code.String()).With("needed", fault.Need).With("had", fault.Have)
		if fault.Code == decode.VarintNotMinimal {
			f.Graded(Warning)
		}
	}
}

var ks2015 = Rule{ID: "KS2015", Title: "boolean is not 0 or 1", Severity: Info, Who: Either, Since: "0.10",
	Source:  "protocol guide: readers take all but 0 for true",
	Explain: "A boolean is written as 0 or 1.",
	Example: "AllowAutoTopicCreation with the byte 02"}

// boolKeys are the APIs whose requests or responses have booleans.
func boolKeys(kind decode.Kind) (keys []int16) {
	for _, a := range schema.APIs {
		m := a.Request
		if kind == decode.Response {
			m = a.Response
		}
		if anyBool(m.Fields) {
			keys = append(keys, a.Key)
		}
	}
	return keys
}

func anyBool(fields []schema.Field) bool {
	for i := range fields {
		if fields[i].Type == schema.Bool || anyBool(fields[i].Fields) {
			return true
		}
	}
	return false
}

func lookBools(c *Ctx) {
	if c.Body == nil {
		return
	}
	for i := range c.Tree().Nodes {
		n := &c.Tree().Nodes[i]
		if n.Kind != decode.Bool {
			continue
		}
		if at := int(n.Offset) + int(n.Prefix); at < len(c.Body) && c.Body[at] > 1 {
			c.Find(&ks2015).Place(c.Tree().At(int32(i))).Say("the byte is %d", c.Body[at]).With("value", int(c.Body[at]))
		}
	}
}
