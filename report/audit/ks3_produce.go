package audit

import (
	"encoding/binary"
	"slices"

	"ksniff/reassembly/session"
)

var ks3005 = Rule{ID: "KS3005", Title: "Produce 3 and newer take format 2 only", Severity: Error, Who: Client, Since: "0.11",
	Source:  "ProduceRequest.validateRecords; brokers answer INVALID_RECORD",
	Explain: "From Produce 3 on the records must be one batch of format 2. A client that still writes messages of format 0 or 1 must send Produce 2 or older, which Kafka 4 no longer has.",
	Example: "Produce 3 with a message of magic 1"}

var ks3007 = Rule{ID: "KS3007", Title: "zstd in Produce below version 7", Severity: Error, Who: Client, Since: "2.1",
	Source:  "ProduceRequest.validateRecords; KIP-110; brokers answer UNSUPPORTED_COMPRESSION_TYPE",
	Explain: "Records may be compressed with zstd from Produce 7 on. The broker refuses the batch.",
	Example: "Produce 6 with a batch of codec 4"}

// lookFormat looks at what the version of a Produce request allows.
func lookFormat(c *Ctx) {
	b := c.Batch
	if c.Opening() && c.Version >= 3 && b.Magic != 2 {
		c.Find(&ks3005).in(c, 16, "Magic").Say("a message of format %d in Produce %d", b.Magic, c.Version).With("magic", b.Magic)
	}
	if b.Codec == 4 && c.Version < 7 {
		c.Find(&ks3007).in(c, attributesAt(c), "Attributes").Say("codec zstd in Produce %d", c.Version)
	}
}

// attributesAt is where the low attributes of the batch are.
func attributesAt(c *Ctx) int {
	if c.Batch.Magic == 2 {
		return 21
	}
	return 17
}

var ks3006 = Rule{ID: "KS3006", Title: "not exactly one batch for a partition", Severity: Error, Who: Client, Since: "0.11",
	Source:  "ProduceRequest.validateRecords; brokers answer INVALID_RECORD",
	Explain: "From Produce 3 on each partition of a request has exactly one batch. Null instead of records is a warning: there is nothing to write.",
	Example: "Produce 7 with two batches behind each other for one partition"}

// lookOneBatch counts the batches of a set of a Produce request that must have one.
func lookOneBatch(c *Ctx, s *setSeen) {
	if s.batches > 1 && s.magic == 2 {
		c.Find(&ks3006).Byte(c.Set, "Records").About(c.Topic, c.Partition).
			Say("%d batches for one partition, Produce %d takes one", s.batches, c.Version).With("batches", s.batches)
	}
}

// lookNoBatch looks for partitions of a Produce request without records.
func lookNoBatch(c *Ctx) {
	if c.Version < 3 || !slices.ContainsFunc(c.Parts, func(p session.Part) bool { return p.Sets.Bytes == 0 }) {
		return
	}
	part := 0
	for t := range c.Req().Body().Field("TopicData").Elements() {
		for p := range t.Field("PartitionData").Elements() {
			set := p.Field("Records")
			if part < len(c.Parts) && c.Parts[part].Sets.Bytes == 0 {
				f := c.Find(&ks3006).Place(set).About(c.Parts[part].Topic, c.Parts[part].Partition)
				if set.IsNull() {
					f.Say("the records are null").Graded(Warning)
				} else {
					f.Say("no batch for a partition, Produce %d takes one", c.Version).With("batches", 0)
				}
			}
			part++
		}
	}
}

var ks3011 = Rule{ID: "KS3011", Title: "base offset of a produced batch is not 0", Severity: Error, Who: Client, Since: "0.11",
	Source:  "UnifiedLog.analyzeAndValidateRecords; brokers answer INVALID_RECORD",
	Explain: "The broker gives out offsets; a batch of format 2 in a Produce request has base offset 0.",
	Example: "base offset 5 in a Produce request"}

var ks3012 = Rule{ID: "KS3012", Title: "lastOffsetDelta does not fit the record count", Severity: Error, Who: Client, Since: "1.1",
	Source:  "LogValidator.validateBatch; brokers answer INVALID_RECORD",
	Explain: "In a Produce request lastOffsetDelta is the number of records less one, and there is at least one record. In an answer it may be more: compaction leaves holes.",
	Example: "lastOffsetDelta 3 with 3 records"}

var ks3022 = Rule{ID: "KS3022", Title: "control batch from a client", Severity: Error, Who: Client, Since: "0.11",
	Source:  "LogValidator.validateBatch; brokers answer INVALID_RECORD",
	Explain: "Bit 5 of the attributes marks a control batch: brokers write these, for the ends of transactions. Clients may not.",
	Example: "attributes 0x20 in a Produce request"}

// lookProducedHead looks at the head of a batch of format 2 in a Produce request.
func lookProducedHead(c *Ctx) {
	b := c.Batch
	if b.Magic != 2 || len(c.Raw) < 27 {
		return
	}
	if b.BaseOffset != 0 {
		c.Find(&ks3011).in(c, 0, "BaseOffset").Say("the base offset is %d, in a Produce request it is 0", b.BaseOffset).With("base_offset", b.BaseOffset)
	}
	delta := int32(binary.BigEndian.Uint32(c.Raw[23:]))
	if b.Count <= 0 || delta != b.Count-1 {
		c.Find(&ks3012).in(c, 23, "LastOffsetDelta").Say("lastOffsetDelta is %d, and there are %d records", delta, b.Count).
			With("last_offset_delta", delta).With("records", b.Count)
	}
	if b.Control() {
		c.Find(&ks3022).in(c, 21, "Attributes").Say("the batch is marked as a control batch")
	}
}

var ks3017 = Rule{ID: "KS3017", Title: "producer sets LogAppendTime", Severity: Error, Who: Client, Since: "0.10",
	Source:  "LogValidator.validateTimestamp; brokers answer INVALID_TIMESTAMP (from 3.6 on they accept it by accident)",
	Explain: "Bit 3 of the attributes says that the timestamps are those of the broker. Only brokers set it, where the topic says so.",
	Example: "attributes 0x08 in a Produce request"}

var ks3021 = Rule{ID: "KS3021", Title: "delete horizon from a client", Severity: Warning, Who: Client, Since: "3.0",
	Source:  "KIP-534",
	Explain: "Bit 6 of the attributes says that the first timestamp is the time after which tombstones may go. Brokers set it in compaction. From a client it makes that tombstones are dropped early.",
	Example: "attributes 0x40 in a Produce request"}

var ks3023 = Rule{ID: "KS3023", Title: "message formats are mixed", Severity: Error, Who: Client, Since: "0.10",
	Source:  "LogValidator.validateBatch, validateRecord",
	Explain: "All batches of a record set in a Produce request have one format, and the messages in a compressed one have that of it (which is looked at with --deep). Brokers refuse the set, or store what their tools cannot read.",
	Example: "messages of format 1 inside a gzip message of format 0"}

// lookProducedBits looks at attributes and format of a batch in a Produce request.
func lookProducedBits(c *Ctx) {
	b := c.Batch
	if b.LogAppendTime() {
		c.Find(&ks3017).in(c, attributesAt(c), "Attributes").Say("the timestamp type is LogAppendTime, in a Produce request it is CreateTime")
	}
	if b.Magic == 2 && b.Attributes&0x40 != 0 {
		c.Find(&ks3021).in(c, 21, "Attributes").Say("the bit for a delete horizon is set")
	}
	if s := c.Seen; !c.Opening() && s.magic != b.Magic {
		c.Find(&ks3023).in(c, 16, "Magic").Say("a batch of format %d follows one of format %d", b.Magic, s.magic).
			With("formats", []int8{s.magic, b.Magic})
	}
}
