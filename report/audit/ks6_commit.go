package audit

import (
	"iter"

	"ksniff/decode"
)

// topicIDs are the names of topics by their ids, as Metadata tells them.
var topicIDs = newAuditSlot[bounded[[16]byte, string]]()

// maxTopicIDs bounds them.
const maxTopicIDs = 20_000

func noteTopicIDs(c *Ctx) {
	if c.Version < 10 {
		return
	}
	all := topicIDs.of(c)
	for t := range c.Resp().Body().Field("Topics").Elements() {
		if id, name := t.Field("TopicId").UUID(), t.Field("Name"); id != [16]byte{} && name.String() != "" && all.get(id) == nil {
			*all.at(id, maxTopicIDs) = clone(name.String())
		}
	}
}

// topicNamed is the name of a topic in a request, "" where only an id is there that is not known.
func topicNamed(c *Ctx, t decode.Ref) string {
	name := t.Field("Name")
	if name.OnWire() && name.String() != "" {
		return name.String()
	}
	if s := topicIDs.of(c).get(t.Field("TopicId").UUID()); s != nil {
		return *s
	}
	return ""
}

// committed goes through the partitions of an OffsetCommit that were answered with this code. Requests
// whose answers name other partitions are left out.
func committed(c *Ctx, code int16) iter.Seq2[string, decode.Ref] {
	return func(yield func(string, decode.Ref) bool) {
		n := 0
		next, stop := iter.Pull(c.Resp().Body().Field("Topics").Elements())
		defer stop()
		for t := range c.Req().Body().Field("Topics").Elements() {
			answer, ok := next()
			if !ok || answer.Field("Name").String() != t.Field("Name").String() || answer.Field("TopicId").UUID() != t.Field("TopicId").UUID() {
				return
			}
			topic := topicNamed(c, t)
			codes := answer.Field("Partitions")
			for p := range t.Field("Partitions").Elements() {
				if n++; n > maxAssigned {
					return
				}
				if answeredWith(codes, p.Field("PartitionIndex").Int()) == code && !yield(topic, p) {
					return
				}
			}
		}
	}
}

// answeredWith is the error code of a partition, 0 where the answer does not have it.
func answeredWith(partitions decode.Ref, index int64) int16 {
	for p := range partitions.Elements() {
		if p.Field("PartitionIndex").Int() == index {
			return int16(p.Field("ErrorCode").Int())
		}
	}
	return -1
}

var ks6009 = Rule{ID: "KS6009", Title: "commit goes backwards", Severity: Warning, Who: Client, Since: "0.8.1",
	Source:  "consumer documentation",
	Explain: "The offset is lower than the one that the group committed before. It is legal, and means that messages are processed again: a consumer that commits out of order, or two that commit for one partition.",
	Example: "commits of 120 and then 100 for orders-0",
	Needs:   AllBrokers}

// commitKey is a partition of a group.
type commitKey struct {
	group, topic string
	partition    int32
}

// maxCommits bounds the partitions of groups.
const maxCommits = 50_000

var commitsSlot = newAuditSlot[bounded[commitKey, int64]]()

// lookBackwards leaves out what tools commit (generation -1), and what comes after it.
func lookBackwards(c *Ctx) {
	s, ok := membershipOf(c)
	tool := !ok || s.generation < 0
	all := commitsSlot.of(c)
	for topic, p := range committed(c, 0) {
		if topic == "" {
			continue
		}
		key := commitKey{s.group, topic, int32(p.Field("PartitionIndex").Int())}
		before := all.get(key)
		if tool {
			if before != nil {
				*before = -1
			}
			continue
		}
		at := p.Field("CommittedOffset")
		if before == nil {
			key.group, key.topic = clone(key.group), clone(key.topic)
			before = all.at(key, maxCommits)
			*before = -1
		}
		if at.Int() < *before {
			c.Find(&ks6009).Place(at).Say("offset %d after %d", at.Int(), *before).With("topic", clone(topic)).With("partition", key.partition).
				With("offset", at.Int()).With("before", *before).With("group", clone(s.group))
		}
		*before = at.Int()
	}
}
