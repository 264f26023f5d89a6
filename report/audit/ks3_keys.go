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

// keyless are the batches of a Produce request that have records without key: the first ones.
type keyless struct {
	n     int
	parts [8]struct {
		topic     *session.Topic
		partition int32
		offset    int
		index     int
	}
}

func (k *keyless) reset() { k.n = 0 }

var keylessSlot = newRequestSlot[keyless]()

func noteKeyless(c *Ctx) {
	index := setSlot.of(c).records.keyless
	if index < 0 {
		return
	}
	if all := keylessSlot.of(c); all != nil && all.n < len(all.parts) {
		p := &all.parts[all.n]
		p.topic, p.partition, p.offset, p.index = c.Topic, c.Partition, c.Set+c.Batch.Pos, index
		all.n++
	}
}

// lookKeyless reports when the answer is there, or will never be.
func lookKeyless(c *Ctx) {
	all := keylessSlot.seen(c)
	if all == nil {
		return
	}
	for i := range all.parts[:all.n] {
		p := &all.parts[i]
		known := compactedSlot.of(c).get(p.topic.Name) != nil
		code := int16(-1)
		if c.Frame != nil {
			code = c.produceError(p.topic, p.partition)
		}
		if !known && (code != 87 || !c.recordErrors(p.index)) || known && code != 87 && code != -1 {
			continue
		}
		f := c.Find(&ks3026).Byte(p.offset, "Records").About(p.topic, p.partition).Say("record %d has no key", p.index).
			With("record", p.index).With("request_packet", c.kept.packet)
		if code == 87 {
			f.Answered(code)
		}
	}
	all.n = 0
}

// recordErrors says whether the response that is looked at blames a record of its batch.
func (c *Ctx) recordErrors(index int) bool {
	for t := range c.Resp().Body().Field("Responses").Elements() {
		for p := range t.Field("PartitionResponses").Elements() {
			for e := range p.Field("RecordErrors").Elements() {
				if e.Field("BatchIndex").Int() == int64(index) {
					return true
				}
			}
		}
	}
	return false
}
