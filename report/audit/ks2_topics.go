package audit

import (
	"strings"

	"ksniff/decode"
)

var ks2019 = Rule{ID: "KS2019", Title: "Metadata by topic id before version 12", Severity: Error, Who: Client, Since: "2.8",
	Source:  "KafkaApis.handleTopicMetadataRequest",
	Explain: "Metadata 10 and 11 have a topic id in their requests, but brokers cannot look topics up by it before version 12. They refuse the request.",
	Example: "Metadata 10 with a topic id, or with a null name"}

// lookMetadataTopics looks at the topics that a Metadata request names.
func lookMetadataTopics(c *Ctx) {
	body := c.Req().Body()
	create := body.Field("AllowAutoTopicCreation") // before version 4 a topic is always created
	creates := !create.OnWire() || create.Bool()
	for t := range body.Field("Topics").Elements() {
		name, id := t.Field("Name"), t.Field("TopicId")
		switch {
		case c.Version >= 10 && c.Version <= 11 && id.UUID() != [16]byte{}:
			c.Find(&ks2019).Place(id).Say("a topic id in Metadata %d", c.Version)
		case c.Version >= 10 && c.Version <= 11 && name.IsNull():
			c.Find(&ks2019).Place(name).Say("a null topic name in Metadata %d", c.Version)
		case creates && !name.IsNull():
			lookName(c, name)
		}
	}
}

var ks2020 = Rule{ID: "KS2020", Title: "topic id is zero", Severity: Error, Who: Client, Since: "3.1",
	Source:  "message definitions; KIP-516",
	Explain: "In this version topics are named by their id, and the id is all zero: the client has not got it from Metadata. Brokers answer UNKNOWN_TOPIC_ID.",
	Example: "Fetch 13 with TopicId 00000000-0000-0000-0000-000000000000"}

// zeroSlot marks a request that names a topic by a zero id.
var zeroSlot = newRequestSlot[bool]()

func lookZeroParts(c *Ctx) {
	if c.Version < 13 {
		return
	}
	for i := range c.Parts {
		if t := c.Parts[i].Topic; t.ID == [16]byte{} && t.Name == "" {
			*zeroSlot.of(c) = true
			return
		}
	}
}

func lookZeroID(c *Ctx) {
	topics, r := "Topics", c.Request()
	switch {
	case r.Key == keyOffsetCommit && r.Version < 10, r.Key != keyOffsetCommit && zeroSlot.seen(c) == nil:
		return
	case r.Key == keyProduce:
		topics = "TopicData"
	}
	for t := range c.Req().Body().Field(topics).Elements() {
		if id := t.Field("TopicId"); id.OnWire() && id.UUID() == [16]byte{} {
			f := c.Find(&ks2020).Place(id).Say("the topic id is zero")
			if c.Frame != nil && firstError(c) == 100 {
				f.Answered(100)
			} else {
				f.Graded(Warning)
			}
			return
		}
	}
}

// firstError is the first error code in a response, 0 where all is well. Some have other names: PartitionErrorCode.
func firstError(c *Ctx) int16 {
	if c.ErrorCode != 0 {
		return c.ErrorCode
	}
	t := c.Resp()
	for i := range t.Nodes {
		if n := &t.Nodes[i]; n.Kind == decode.Int16 && n.Field != nil && strings.HasSuffix(n.Field.Name, "ErrorCode") {
			if code := int16(t.At(int32(i)).Int()); code != 0 {
				return code
			}
		}
	}
	return 0
}

var ks2021 = Rule{ID: "KS2021", Title: "illegal topic name", Severity: Error, Who: Client, Since: "0.8",
	Source:  "Topic.validate",
	Explain: "A topic that is to be created has a name that is empty, . or .., longer than 249 characters, or has other characters than letters, digits, ., _ and -. Brokers answer INVALID_TOPIC_EXCEPTION.",
	Example: `CreateTopics with the name "orders/eu"`}

func lookCreatedNames(c *Ctx) {
	for t := range c.Req().Body().Field("Topics").Elements() {
		lookName(c, t.Field("Name"))
	}
}

func lookName(c *Ctx, name decode.Ref) {
	if why := illegalName(name.String()); why != "" {
		c.Find(&ks2021).Place(name).Say("the topic name %s", why).With("name", clone(name.String()[:min(len(name.String()), 300)]))
	}
}

// illegalName says what is wrong with a topic's name, "" where nothing is.
func illegalName(s string) string {
	switch {
	case s == "":
		return "is empty"
	case s == "." || s == "..":
		return "is " + s
	case len(s) > 249:
		return "is longer than 249 characters"
	}
	for i := range len(s) {
		if b := s[i]; !alnum(b) && b != '.' && b != '_' && b != '-' {
			return "has other characters than letters, digits, ., _ and -"
		}
	}
	return ""
}
