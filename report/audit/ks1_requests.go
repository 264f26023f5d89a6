package audit

import (
	"strings"

	"ksniff/decode"
	"ksniff/decode/legacy"
)

var ks1015 = Rule{ID: "KS1015", Title: "arguments of OFFSETS", Severity: Warning, Most: Error, Who: Client, Since: "0.6",
	Source:  "0.7.2 Log.getOffsetsBefore",
	Explain: "The time is -1 (end), -2 (beginning) or a time in ms: no segment is older than one below -2, and the answer is empty, as with a maximum of 0. A negative maximum is an error: the broker closes the connection.",
	Example: "OFFSETS with time -3"}

var ks1016 = Rule{ID: "KS1016", Title: "legacy partition number", Severity: Error, Who: Client, Since: "0.6",
	Source:  "0.7.2 ProducerRequest (RandomPartition is -1), LogManager.getLogPool",
	Explain: "Partitions begin at 0. FETCH of a negative one is answered WrongPartition, OFFSETS closes the connection. PRODUCE takes -1, for any: only worth knowing.",
	Example: "FETCH of partition -1"}

var ks1017 = Rule{ID: "KS1017", Title: "legacy topic name", Severity: Error, Who: Client, Since: "0.6",
	Source:  "0.7.2 TopicNameValidator; the 0.7 guide",
	Explain: "A topic is not empty, not . or .., and has no / and no control characters: it names a directory. More than 255 bytes are a warning (max.topic.name.length).",
	Example: `PRODUCE to topic "a/b"`}

var ks1022 = Rule{ID: "KS1022", Title: "count of MULTIFETCH or MULTIPRODUCE", Severity: Error, Who: Client, Since: "0.6",
	Source:  "0.7.2 Multi*Request.readFrom",
	Explain: "The count is negative: the broker closes the connection. A count of 0 is taken, and does nothing: a warning.",
	Example: "MULTIFETCH with count -1"}

// lookLegacyRequest looks at the arguments of a request.
func lookLegacyRequest(c *Ctx) {
	produce := c.Key == legacyProduce || c.Key == legacyMultiProduce
	v := eachPart(decode.Request, c.Key, c.Body, func(i int, p *legacy.Part) {
		lookLegacyTopic(c, p.Topic)
		switch {
		case p.Partition < -1 || p.Partition == -1 && !produce:
			c.Find(&ks1016).Byte(-1, "partition").Say("partition %d", p.Partition).With("partition", p.Partition).With("part", i)
		case p.Partition == -1:
			c.Find(&ks1016).Graded(Info).Byte(-1, "partition").Say("partition -1: the broker picks one").With("partition", p.Partition)
		}
		switch c.Key {
		case legacyOffsets:
			if p.Offset < -2 {
				c.Find(&ks1015).Byte(-1, "time").Say("time %d: the answer is empty", p.Offset).With("time", p.Offset)
			}
			if p.Max < 0 {
				c.Find(&ks1015).Graded(Error).Byte(-1, "maxNumOffsets").Say("at most %d offsets", p.Max).With("max", p.Max)
			} else if p.Max == 0 {
				c.Find(&ks1015).Byte(-1, "maxNumOffsets").Say("at most 0 offsets").With("max", p.Max)
			}
		case legacyFetch, legacyMultiFetch:
			if p.Max <= 0 {
				c.Find(&ks1023).By(Client).Graded(Warning).Byte(-1, "maxSize").Say("at most %d bytes", p.Max).With("max_size", p.Max)
			}
		}
	})
	if v.Count == 0 && (c.Key == legacyMultiFetch || c.Key == legacyMultiProduce) {
		c.Find(&ks1022).Graded(Warning).Byte(2, "count").Say("count 0")
	}
}

func lookLegacyTopic(c *Ctx, topic []byte) {
	name, why := string(topic), ""
	switch {
	case name == "":
		why = "is empty"
	case name == "." || name == "..":
		why = "is " + name
	case strings.ContainsFunc(name, func(r rune) bool { return r == '/' || r < 0x20 || r == 0x7f }):
		why = "has a / or a control character"
	case len(name) > 255:
		c.Find(&ks1017).Graded(Warning).Byte(2, "topic").Say("the topic has %d bytes", len(name)).With("length", len(name))
		return
	default:
		return
	}
	c.Find(&ks1017).Byte(2, "topic").Say("the topic %s", why).With("topic", name)
}
