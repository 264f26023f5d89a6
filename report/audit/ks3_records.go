package audit

import (
	"ksniff/decode"
	"ksniff/decode/records"
)

var ks3013 = Rule{ID: "KS3013", Title: "record count is wrong", Severity: Error, Who: Either, Since: "0.11",
	Source:  "DefaultRecordBatch (iterators)",
	Explain: "The batch says another number of records than it has, or bytes are left after its last record. Consumers throw. Compressed batches are looked at with --deep.",
	Example: "a batch with recordsCount 3 and 2 records"}

var ks3014 = Rule{ID: "KS3014", Title: "malformed record", Severity: Error, Who: Either, Since: "0.11",
	Source:  "DefaultRecord.readFrom",
	Explain: "A record does not take the bytes that its length says, has a negative number of headers, a header without key, or a varint beyond its type; or a compressed batch cannot be decompressed. Brokers refuse it, consumers throw. Compressed batches are looked at with --deep.",
	Example: "a record of length 20 whose fields take 18 bytes"}

var ks3028 = Rule{ID: "KS3028", Title: "decompression bomb", Severity: Warning, Who: Either, Since: "0.8",
	Source:  "DESIGN section 4: a batch is decompressed up to 64 MiB",
	Explain: "The batch decompresses to more than 64 MiB, and to more than 1000 times its size. A consumer that opens it may run out of memory.",
	Example: "64 KiB of gzip that hold 70 MiB of zeros",
	Needs:   Deep}

// lookCount looks at how the reading of a batch's records ended.
func lookCount(c *Ctx) {
	fault := c.Records.Fault
	switch {
	case fault.Class == decode.Limit:
		if c.Batch.Codec != records.None && c.Batch.Size < records.MaxBatch/1000 && fault.Code == decode.TooLarge {
			c.Find(&ks3028).in(c, 0, "Records").Say("%d bytes decompress to more than %d", c.Batch.Size, records.MaxBatch).
				With("compressed", c.Batch.Size).With("limit", records.MaxBatch)
		}
	case fault.Class != decode.Broken || c.Batch.Magic != 2 || fault.Code == decode.LZ4HeaderChecksum || c.Batch.Codec > records.Zstd: // KS3010
	case fault.Code == decode.CountMismatch:
		c.Find(&ks3013).in(c, 57, "RecordsCount").Say("the batch says %d records, %d were read; %s", c.Batch.Count, c.Records.Read, fault.Message()).
			With("records_count", c.Batch.Count).With("read", c.Records.Read)
	default:
		c.Find(&ks3014).in(c, 61, "Records").Say("record %d: %s", c.Records.Read, fault.Message()).With("record", c.Records.Read)
	}
}

var ks3015 = Rule{ID: "KS3015", Title: "offset deltas are not 0, 1, 2 …", Severity: Warning, Who: Client, Since: "0.11",
	Source:  "LogValidator",
	Explain: "The records of a produced batch count from 0. Brokers rewrite a compressed batch where they do not, which costs them time; they do not look into one that is not compressed, and its offsets in the log become wrong.",
	Example: "offset deltas 0, 0, 0"}

var ks3016 = Rule{ID: "KS3016", Title: "timestamps in the batch head are wrong", Severity: Warning, Who: Client, Since: "0.11",
	Source:  "LogValidator",
	Explain: "baseTimestamp is that of the first record and maxTimestamp the greatest. Brokers compute them anew, which is work that the producer should have done.",
	Example: "maxTimestamp 0 above records of today"}

var ks3018 = Rule{ID: "KS3018", Title: "records without timestamp", Severity: Warning, Who: Client, Since: "0.10",
	Source:  "RecordBatch.NO_TIMESTAMP",
	Explain: "Timestamp -1 is legal. But such records are kept or deleted by the time of their file, and are not found by time.",
	Example: "a batch of format 2 with baseTimestamp -1",
	Times:   3, Once: PerClient}

// lookProducedRecords looks at what the records of a produced batch are together.
func lookProducedRecords(c *Ctx) {
	lookRecordBits(c)
	s, b := c.Records, c.Batch
	n := s.Read
	if n == 0 || s.Fault.Code != 0 {
		return
	}
	if b.Magic == 2 && s.Disorder >= 0 {
		c.Find(&ks3015).in(c, 61, "Records").Say("the offset delta of record %d is not %d", s.Disorder, s.Disorder).
			With("record", s.Disorder).With("compressed", b.Codec != records.None)
	}
	if b.Magic >= 1 && s.Timeless > 0 {
		c.Find(&ks3018).in(c, 61, "Records").Say("%d of %d records have no timestamp", s.Timeless, n).With("without", s.Timeless).With("records", n)
	}
	if b.LogAppendTime() || b.Magic == 0 {
		return
	}
	if b.MaxTimestamp != s.Most {
		c.Find(&ks3016).in(c, 35, "MaxTimestamp").Say("maxTimestamp is %d, the greatest of the records is %d", b.MaxTimestamp, s.Most).
			With("max_timestamp", b.MaxTimestamp).With("greatest", s.Most)
	} else if b.Magic == 2 && b.BaseTimestamp != s.First {
		c.Find(&ks3016).in(c, 27, "BaseTimestamp").Say("baseTimestamp is %d, that of the first record is %d", b.BaseTimestamp, s.First).
			With("base_timestamp", b.BaseTimestamp).With("first", s.First)
	}
}

// lookRecordBits looks at the attributes of a batch's records.
func lookRecordBits(c *Ctx) {
	if s := c.Records; s.Bits != 0 {
		c.Find(&ks3020).in(c, 61, "Records").Say("the reserved bits %#x of records' attributes are set", uint8(s.Bits)).With("attributes", s.Bits)
	}
}
