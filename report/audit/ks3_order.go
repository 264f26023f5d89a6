package audit

var ks3029 = Rule{ID: "KS3029", Title: "offsets do not ascend in an answer", Severity: Error, Who: Broker, Since: "0.8",
	Source:  "UnifiedLog (OffsetsOutOfOrderException): offsets of a log ascend",
	Explain: "The batches of a partition in a Fetch answer have ascending offsets. A consumer that goes back would read records twice, or for ever.",
	Example: "a batch with offsets 5 to 9 before one with offset 7",
	Needs:   Apache}

// lookAscending compares a batch with the one before it. Wrappers of the old formats have the offset of
// their last message.
func lookAscending(c *Ctx) {
	first := c.Batch.BaseOffset
	if c.Batch.Magic < 2 {
		first = c.Batch.LastOffset
	}
	if s := c.Seen; first <= s.last {
		c.Find(&ks3029).in(c, 0, "BaseOffset").Say("offset %d follows offset %d", first, s.last).With("offset", first).With("before", s.last)
	}
}
