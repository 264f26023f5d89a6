package audit

import (
	"strings"

	"ksniff/decode"
	"ksniff/reassembly/session"
)

var ks3026 = Rule{ID: "KS3026", Title: "no key on a compacted topic", Severity: Error, Who: Client, Since: "0.8.1",
	Source:  "LogValidator.validateKey; brokers answer INVALID_RECORD",
	Explain: "A compacted topic keeps the last record of each key, so a record needs one. The broker refuses the batch. (Compressed batches are looked at with --deep.)",
	Example: "a record with a null key to a topic with cleanup.policy=compact"}

// compacted are the topics that are known to be compacted.
var compactedSlot = newAuditSlot[bounded[string, struct{}]]()

const maxCompacted = 10_000

// learnCompacted learns from CreateTopics and DescribeConfigs which topics are compacted.
func learnCompacted(c *Ctx) {
	topics, name := c.Resp().Body().Field("Topics"), "Name"
	if c.Key == keyDescribeConfigs {
		topics, name = c.Resp().Body().Field("Results"), "ResourceName"
	}
	for t := range topics.Elements() {
		if t.Field("ErrorCode").Int() != 0 || c.Key == keyDescribeConfigs && t.Field("ResourceType").Int() != 2 {
			continue
		}
		configs := t.Field("Configs")
		if configs.Count() == 0 && c.Key == keyCreateTopics {
			configs = askedConfigs(c, t.Field(name).String())
		}
		for e := range configs.Elements() {
			if e.Field("Name").String() != "cleanup.policy" {
				continue
			}
			if all := compactedSlot.of(c); strings.Contains(e.Field("Value").String(), "compact") {
				all.at(clone(t.Field(name).String()), maxCompacted)
				c.Audit.marks |= compactedKnown
			} else {
				all.drop(t.Field(name).String())
			}
		}
	}
}

// askedConfigs are the configs with which a topic is to be created.
func askedConfigs(c *Ctx, topic string) decode.Ref {
	body := c.Req().Body()
	if body.Field("validateOnly").Bool() {
		return decode.Ref{}
	}
	for t := range body.Field("Topics").Elements() {
		if t.Field("Name").String() == topic {
			return t.Field("Configs")
		}
	}
	return decode.Ref{}
}

// keylessPart is a batch of a Produce request that has records without key.
type keylessPart struct {
	topic     *session.Topic
	partition int32
	offset    int
	index     int // of the first such record
}

// maxKeyless is how many of a request are kept.
const maxKeyless = 8

func noteKeyless(c *Ctx) {
	if k := c.kept; k != nil && len(k.keyless) < maxKeyless {
		k.keyless = append(k.keyless, keylessPart{c.Topic, c.Partition, c.Set + c.Batch.Pos, c.Records.Keyless})
	}
}

// lookKeyless reports when the answer is there, or will never be.
func lookKeyless(c *Ctx) {
	if c.kept == nil {
		return
	}
	for i := range c.kept.keyless {
		p := &c.kept.keyless[i]
		known := compactedSlot.of(c).get(p.topic.Name) != nil
		code := int16(-1)
		if c.Frame != nil {
			code = c.produceError(p.topic, p.partition)
		}
		if !known && (code != 87 || !c.blamesKey(p.topic, p.partition, p.index)) || known && code != 87 && code != -1 {
			continue
		}
		f := c.Find(&ks3026).Byte(p.offset, "Records").Asked().About(p.topic, p.partition).Say("record %d has no key", p.index).
			With("record", p.index)
		if code == 87 {
			f.Answered(code)
		}
	}
	c.kept.keyless = c.kept.keyless[:0]
}

// blamesKey says whether the response that is looked at refuses a record for want of a key: brokers refuse
// records with the same code for other reasons.
func (c *Ctx) blamesKey(topic *session.Topic, partition int32, record int) bool {
	i := -1
	for t := range c.Resp().Body().Field("Responses").Elements() {
		for p := range t.Field("PartitionResponses").Elements() {
			if i++; i >= len(c.Parts) || c.Parts[i].Topic != topic || c.Parts[i].Partition != partition {
				continue
			}
			for e := range p.Field("RecordErrors").Elements() {
				why := e.Field("BatchIndexErrorMessage")
				if e.Field("BatchIndex").Int() == int64(record) && (why.IsNull() || strings.Contains(why.String(), "key")) {
					return true
				}
			}
		}
	}
	return false
}
