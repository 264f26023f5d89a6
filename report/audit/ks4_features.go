package audit

var ks4016 = Rule{ID: "KS4016", Title: "newer transaction protocol without its feature", Severity: Error, Who: Client, Since: "4.0",
	Source:  "message definitions of Produce and TxnOffsetCommit of 4.x; KIP-890",
	Explain: "With Produce 12, TxnOffsetCommit 5 and EndTxn 5 the broker adds partitions to transactions itself and raises the epoch with each. Clients may send these versions for transactions only where the broker's finalized feature transaction.version is 2 or more. EndTxn is a warning.",
	Example: "a transactional Produce 12 to a broker whose ApiVersions response has transaction.version 1",
	Needs:   Both, Once: PerVersion}

// oldTransactions says that the broker of this connection has said that it lacks the feature.
func oldTransactions(c *Ctx) (level int16, lacks bool) {
	level, ok := c.Conn.Offer.Feature("transaction.version")
	return level, ok && level < 2
}

func lookProducedFeature(c *Ctx) {
	if !c.Opening() || c.Version < 12 || !c.Batch.Transactional() {
		return
	}
	if level, lacks := oldTransactions(c); lacks {
		c.Find(&ks4016).Byte(2, "RequestHeader.RequestApiVersion").
			Say("a transactional Produce %d, the broker's transaction.version is %d", c.Version, level).With("transaction_version", level)
	}
}

func lookFeature(c *Ctx) {
	if c.Version < 5 {
		return
	}
	level, lacks := oldTransactions(c)
	if !lacks {
		return
	}
	f := c.Find(&ks4016).Byte(2, "RequestHeader.RequestApiVersion").
		Say("%s %d, the broker's transaction.version is %d", c.API.Name, c.Version, level).With("transaction_version", level)
	if c.Key == keyEndTxn {
		f.Graded(Warning)
	}
}
