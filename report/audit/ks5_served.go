package audit

import "encoding/binary"

var ks5005 = Rule{ID: "KS5005", Title: "answer is above the limits of the request", Severity: Error, Who: Broker, Since: "0.10.1",
	Source:  "KIP-74; ReplicaManager.readFromLog",
	Explain: "A Fetch says how many bytes it wants at most, in all and of each partition. From version 3 on the first batch of the answer may be larger, so that a consumer gets on, but then it is the only one. In older versions nothing may be larger; where the broker may have converted the records, that is a warning.",
	Example: "two partitions with 2000 bytes each where PartitionMaxBytes is 1000",
	Needs:   Both | NoGap | Apache}

var ks5006 = Rule{ID: "KS5006", Title: "answer has a partition that nobody asked for", Severity: Error, Who: Broker, Since: "0.8",
	Source:  "KIP-227",
	Explain: "The partition is neither in the request nor in its fetch session. Consumers throw, or drop the records.",
	Example: "partition 3 in the answer to a Fetch for partitions 0 to 2",
	Needs:   Start | Both | NoGap | Apache}

var ks5007 = Rule{ID: "KS5007", Title: "data before the fetch offset", Severity: Warning, Who: Broker, Since: "0.8",
	Source:  "LogSegment.read: the first batch is the one that has the offset",
	Explain: "All records of the first batch lie before the offset that was asked for. The consumer must drop it: bytes for nothing.",
	Example: "a batch with offsets 0 to 9 in the answer to a fetch from 10",
	Needs:   Both | NoGap}

// lookServed compares an answer with what its request wanted. It runs before noteSession takes over the answer.
func lookServed(c *Ctx) {
	a := fetchAskedOf(c)
	if a == nil || len(c.Parts) == 0 {
		return
	}
	whole := a.session == nil || a.session.whole && a.session.waiting == 1 // what a request behind this one wants and drops is noted already
	latest := a.session == nil || a.session.waiting == 1                   // else a later request may have moved what is wanted
	l := limits{format2: true}
	for i := range c.Parts {
		p := &c.Parts[i]
		want, ok := c.fetchAsked(a, i, producedPart{p.Topic, p.Partition})
		if !ok {
			if whole && (a.session == nil || a.session.ids == (c.Version >= 13)) {
				c.Find(&ks5006).About(p.Topic, p.Partition).Say("partition %d of topic %s was not asked for", p.Partition, TopicName(p.Topic))
			}
			whole = false
			continue
		}
		if p.Sets.Bytes == 0 {
			continue
		}
		set := c.setHead(i)
		if set == nil {
			continue
		}
		if latest {
			lookFirst(c, i, set, want.offset)
		}
		l.add(p.Sets.Bytes, p.Sets.Batches, int64(want.most), len(set) > 16 && set[16] == 2)
	}
	if whole {
		l.look(c)
	}
}

// lookFirst looks where the first batch of a set ends.
func lookFirst(c *Ctx, i int, set []byte, offset int64) {
	if len(set) < 27 || int64(int32(binary.BigEndian.Uint32(set[8:])))+12 > c.Parts[i].Sets.Bytes {
		return
	}
	last := int64(binary.BigEndian.Uint64(set))
	if set[16] == 2 {
		last += int64(int32(binary.BigEndian.Uint32(set[23:])))
	}
	if p := &c.Parts[i]; last < offset {
		c.Find(&ks5007).Byte(p.Sets.At, "Records.BaseOffset").About(p.Topic, p.Partition).
			Say("the first batch ends with offset %d, asked was %d", last, offset).With("last_offset", last).With("fetch_offset", offset)
	}
}

// limits adds up an answer against its limits.
type limits struct {
	total, batches int64
	parts, above   int   // partitions with data; above their limit
	size, most     int64 // of the first one above
	many           bool  // one above has more than one batch
	format2        bool  // all is of format 2: nothing was converted
}

func (l *limits) add(size, batches, most int64, format2 bool) {
	l.total += size
	l.batches += batches
	l.parts++
	l.format2 = l.format2 && format2
	if most <= 0 || size <= most {
		return
	}
	if l.above == 0 {
		l.size, l.most = size, most
	}
	l.above++
	l.many = l.many || batches > 1
}

func (l *limits) look(c *Ctx) {
	if c.Version <= 2 {
		if l.above > 0 {
			f := c.Find(&ks5005).Say("%d bytes of a partition, at most %d were asked for", l.size, l.most).With("bytes", l.size).With("limit", l.most)
			if v, ok := c.Offer().Versions(keyFetch); !ok || v.Max > 3 {
				f.Graded(Warning)
			}
		}
		return
	}
	if !l.format2 {
		return
	}
	most := int64(c.Frame.Request.MaxBytes)
	switch {
	case l.above > 1:
		c.Find(&ks5005).Say("%d partitions are above their limit, the first has %d bytes of %d", l.above, l.size, l.most).
			With("partitions", l.above).With("bytes", l.size).With("limit", l.most)
	case l.above == 1 && l.many:
		c.Find(&ks5005).Say("%d bytes of a partition in more than one batch, at most %d were asked for", l.size, l.most).
			With("bytes", l.size).With("limit", l.most)
	case l.total > most && most > 0 && (l.parts > 1 || l.batches > 1):
		c.Find(&ks5005).Say("%d bytes in %d batches, at most %d were asked for", l.total, l.batches, most).With("bytes", l.total).With("limit", most)
	}
}

var ks5008 = Rule{ID: "KS5008", Title: "consumer sees beyond the high watermark", Severity: Warning, Who: Broker, Since: "0.8",
	Source:  "KIP-98; the mark may be older than the read, so that it takes three times",
	Explain: "A consumer gets records up to the high watermark, or with read_committed up to the last stable offset: what is behind may still be lost, or aborted.",
	Example: "a batch with base offset 1000 where the high watermark is 1000",
	Needs:   Both, Times: 3}

func lookBeyond(c *Ctx) {
	if c.Kind == 0 || c.Frame.Request == nil || c.Frame.Request.Replica != -1 || c.Part >= len(c.Parts) {
		return
	}
	p := &c.Parts[c.Part]
	mark, name := p.HighWatermark, "high watermark"
	if c.Frame.Request.Isolation == 1 && c.Version >= 4 && p.LastStable >= 0 && p.LastStable < mark {
		mark, name = p.LastStable, "last stable offset"
	}
	if mark >= 0 && c.Batch.BaseOffset >= mark {
		c.Find(&ks5008).in(c, 0, "BaseOffset").Say("base offset %d, the %s is %d", c.Batch.BaseOffset, name, mark).
			With("base_offset", c.Batch.BaseOffset).With("mark", mark)
	}
}

var ks5009 = Rule{ID: "KS5009", Title: "last stable offset above the high watermark", Severity: Warning, Who: Broker, Since: "0.11",
	Source:  "Partition.fetchRecords; the two are read without a lock, so that it takes three times",
	Explain: "The last stable offset is at most the high watermark.",
	Example: "lastStableOffset 11, highWatermark 10",
	Times:   3}

func lookStable(c *Ctx) {
	if c.Version < 4 {
		return
	}
	for i := range c.Parts {
		if p := &c.Parts[i]; p.LastStable > p.HighWatermark && p.HighWatermark >= 0 {
			c.Find(&ks5009).About(p.Topic, p.Partition).Say("the last stable offset is %d, the high watermark %d", p.LastStable, p.HighWatermark).
				With("last_stable_offset", p.LastStable).With("high_watermark", p.HighWatermark)
		}
	}
}
