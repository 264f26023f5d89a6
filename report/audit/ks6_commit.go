package audit

import (
	"ksniff/decode"
	"ksniff/reassembly"
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

// commit is what an OffsetCommit says about a partition, and what the broker answered.
type commit struct {
	topic     string // "" where it is not known; may share the frame's bytes
	id        [16]byte
	partition int32
	place     decode.Ref
	code      int16
}

// commits are those of the frame that is looked at.
type commits struct {
	list  []commit
	index map[commitPlace]int // where the answer has another order than the request
}

// commitPlace is a partition by what an OffsetCommit calls it.
type commitPlace struct {
	topic     string
	id        [16]byte
	partition int32
}

func (c *commit) at() commitPlace { return commitPlace{c.topic, c.id, c.partition} }

var commitsSlot = newAuditSlot[commits]()

// noteCommits goes through a commit once for all looks.
func noteCommits(c *Ctx) {
	all := commitsSlot.of(c)
	all.list = all.list[:0]
	clear(all.index)
	for t := range c.Req().Body().Field("Topics").Elements() {
		topic, id := topicNamed(c, t), t.Field("TopicId").UUID()
		for p := range t.Field("Partitions").Elements() {
			if len(all.list) == maxAssigned {
				break
			}
			all.list = append(all.list, commit{topic, id, int32(p.Field("PartitionIndex").Int()), p, -1})
		}
	}
	n := 0
	for t := range c.Resp().Body().Field("Topics").Elements() {
		topic, id := topicNamed(c, t), t.Field("TopicId").UUID()
		for p := range t.Field("Partitions").Elements() {
			if one := all.find(n, commitPlace{topic, id, int32(p.Field("PartitionIndex").Int())}); one != nil {
				one.code = int16(p.Field("ErrorCode").Int())
			}
			n++
		}
	}
}

// find gives the commit of a partition, which is probably at place i: brokers that keep what they answer in a map
// (GroupMetadataManager.storeOffsets) answer in its order.
func (all *commits) find(i int, at commitPlace) *commit {
	if i < len(all.list) && all.list[i].at() == at {
		return &all.list[i]
	}
	if len(all.index) == 0 {
		if all.index == nil {
			all.index = map[commitPlace]int{}
		}
		for i := range all.list {
			all.index[all.list[i].at()] = i
		}
	}
	if i, have := all.index[at]; have {
		return &all.list[i]
	}
	return nil
}

// text is the topic for people: its id where the name is not known.
func (c *commit) text() string {
	if c.topic == "" {
		return uuidText(c.id)
	}
	return clone(c.topic)
}

// committed are the partitions of the commit that is looked at.
func committed(c *Ctx) []commit { return commitsSlot.of(c).list }

var ks6009 = Rule{ID: "KS6009", Title: "commit goes backwards", Severity: Warning, Who: Client, Since: "0.8.1",
	Source:  "consumer documentation",
	Explain: "The offset is lower than the one that the group committed before. It is legal, and means that messages are processed again: a consumer that commits out of order, or two that commit for one partition.",
	Example: "commits of 120 and then 100 for orders-0",
	Needs:   AllBrokers}

// commitKey is a partition of a group, as one coordinator knows it: there may be groups of that name in
// other clusters.
type commitKey struct {
	coordinator  reassembly.Endpoint
	group, topic string
	id           [16]byte // where the name is not known
	partition    int32
}

// maxCommits bounds the partitions of groups.
const maxCommits = 50_000

var lastCommits = newAuditSlot[bounded[commitKey, int64]]()

// lookBackwards leaves out what tools commit (generation -1), what comes after it, and what comes after ListOffsets.
func lookBackwards(c *Ctx) {
	s, ok := membershipOf(c)
	tool := !ok || s.generation < 0
	all := lastCommits.of(c)
	for _, one := range committed(c) {
		if one.topic == "" && one.id == [16]byte{} || one.code != 0 {
			continue
		}
		key := commitKey{brokerOf(c), s.group, one.topic, [16]byte{}, one.partition}
		if one.topic == "" {
			key.id = one.id
		}
		before := all.get(key)
		if tool {
			if before != nil {
				*before = -1
			}
			continue
		}
		at := one.place.Field("CommittedOffset")
		if before == nil {
			key.group, key.topic = clone(key.group), clone(key.topic)
			before = all.at(key, maxCommits)
			*before = -1
		}
		if at.Int() < *before && !repositioned(c, one.topic, one.partition) {
			c.Find(&ks6009).Place(at).Say("offset %d after %d", at.Int(), *before).With("topic", one.text()).With("partition", one.partition).
				With("offset", at.Int()).With("before", *before).With("group", clone(s.group))
		}
		*before = at.Int()
	}
}

// listedSlot are the partitions for which a client asked for an offset since its latest commit: it may start anew there.
var listedSlot = newAuditSlot[bounded[positionKey, struct{}]]()

func noteListed(c *Ctx) {
	r := c.Request()
	if r.Client == nil || r.Replica >= 0 {
		return
	}
	all := listedSlot.of(c)
	for t := range c.Resp().Body().Field("Topics").Elements() {
		for p := range t.Field("Partitions").Elements() {
			key := positionKey{r.Client, t.Field("Name").String(), int32(p.Field("PartitionIndex").Int())}
			if all.get(key) == nil {
				key.topic = clone(key.topic)
				all.at(key, maxPositions)
				key.topic = "" // which may be it where a commit gives an id that nobody knows
				all.at(key, maxPositions)
			}
		}
	}
}

// repositioned says that the client asked for an offset of a partition since its latest commit.
func repositioned(c *Ctx, topic string, partition int32) bool {
	all, key := listedSlot.of(c), positionKey{c.Request().Client, topic, partition}
	if all.get(key) == nil {
		return false
	}
	all.drop(key)
	return true
}
