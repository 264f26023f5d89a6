package audit

var ks2022 = Rule{ID: "KS2022", Title: "ListOffsets timestamp is not in this version", Severity: Error, Who: Client, Since: "0.10.1",
	Source:  "ReplicaManager.isListOffsetsTimestampUnsupported; ListOffsetsRequest.json",
	Explain: "Below 0 only some timestamps have a meaning, and most came with a version: -1 latest, -2 earliest, -3 largest timestamp (7), -4 earliest local (8), -5 latest tiered (9), -6 earliest pending upload (11). Brokers answer UNSUPPORTED_VERSION to others.",
	Example: "ListOffsets 5 with timestamp -3"}

// specialSince are the versions from which the timestamps -1, -2 and so on have a meaning.
var specialSince = [...]int16{1, 1, 7, 8, 9, 11}

func lookTimestamps(c *Ctx) {
	if c.Version < 1 {
		return
	}
	for t := range c.Req().Body().Field("Topics").Elements() {
		for p := range t.Field("Partitions").Elements() {
			stamp := p.Field("Timestamp")
			v := stamp.Int()
			if v >= 0 {
				continue
			}
			if v < -int64(len(specialSince)) {
				c.Find(&ks2022).Place(stamp).Say("timestamp %d has no meaning", v).With("timestamp", v)
			} else if since := specialSince[-v-1]; c.Version < since {
				c.Find(&ks2022).Place(stamp).Say("timestamp %d has a meaning from version %d on, this is %d", v, since, c.Version).With("timestamp", v).With("since", since)
			}
		}
	}
}

var ks2023 = Rule{ID: "KS2023", Title: "a partition twice in ListOffsets", Severity: Error, Who: Client, Since: "0.10.1",
	Source:  "ReplicaManager.fetchOffset",
	Explain: "From version 1 on brokers answer INVALID_REQUEST for a partition that a request names twice.",
	Example: "ListOffsets 1 for orders-0 with timestamp -1 and again with -2"}

type topicPartition struct {
	topic     string
	partition int32
}

var twiceSlot = newAuditSlot[map[topicPartition]bool]()

func lookTwice(c *Ctx) {
	if c.Version < 1 {
		return
	}
	m := twiceSlot.of(c)
	if *m == nil {
		*m = map[topicPartition]bool{}
	}
	clear(*m)
	for t := range c.Req().Body().Field("Topics").Elements() {
		name := t.Field("Name").String()
		for p := range t.Field("Partitions").Elements() {
			key := topicPartition{name, int32(p.Field("PartitionIndex").Int())}
			if (*m)[key] {
				c.Find(&ks2023).Place(p).Say("partition %d of topic %s is named twice", key.partition, name).
					With("topic", clone(name)).With("partition", key.partition)
			}
			(*m)[key] = true
		}
	}
	clear(*m)
}
