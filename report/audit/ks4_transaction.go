package audit

import (
	"ksniff/decode"
)

// transaction is what is known of the transaction of a producer id.
type transaction struct {
	seen    bool
	known   bool  // all that was added since its begin was seen, but for what gaps hide
	gaps    int64 // of all connections, when that was so
	epoch   int16
	timeout int64                       // ns, 0 unknown
	since   int64                       // when it began, 0 not yet
	packet  uint64                      // the first of it
	long    bool                        // KS4021 was reported
	added   map[topicPartition]struct{} // by AddPartitionsToTxn
	groups  map[string]struct{}         // by AddOffsetsToTxn
	wrote   map[producedPart]struct{}   // transactional batches went there
}

// Bounds: transactions, and partitions and groups of one. What is beyond makes it unknown.
const (
	maxTransactions = 1000
	maxInOne        = 1000
)

var transactionSlot = newAuditSlot[bounded[producerKey, transaction]]()

// transaction gives the transaction of a producer, nil where it is none.
func (c *Ctx) transaction(id int64) *transaction {
	if id < 0 {
		return nil
	}
	t := transactionSlot.of(c).at(producerKey{id, c.cluster()}, maxTransactions)
	if !t.seen {
		c.Audit.marks |= transactionKnown
		*t = transaction{seen: true, epoch: -1, added: map[topicPartition]struct{}{}, groups: map[string]struct{}{}, wrote: map[producedPart]struct{}{}}
	}
	return t
}

// begin makes it the next transaction.
func (t *transaction) begin(c *Ctx, epoch int16) {
	t.known, t.gaps, t.epoch, t.since, t.long = true, c.Audit.gaps, epoch, 0, false
	clear(t.added)
	clear(t.groups)
	clear(t.wrote)
}

// started notes that the transaction has begun.
func (t *transaction) started(c *Ctx) {
	if t.since == 0 {
		t.since, t.packet = c.Last.Time, c.Last.Packet
	}
}

// follow forgets what may have ended unseen.
func (t *transaction) follow(c *Ctx, epoch int16) {
	if t.gaps != c.Audit.gaps || t.epoch != epoch {
		t.known, t.gaps, t.epoch, t.since, t.long = false, c.Audit.gaps, epoch, 0, false
		clear(t.wrote)
	}
}

// proves says whether what is not known of the transaction of that epoch did not happen.
func (t *transaction) proves(c *Ctx, epoch int16) bool {
	return t.known && t.gaps == c.Audit.gaps && t.epoch == epoch
}

// noteEnding notes that a transaction may be over: its answer says so, if it was captured.
func noteEnding(c *Ctx) {
	if t := transactionSlot.of(c).get(producerKey{c.Req().Body().Field("ProducerId").Int(), c.cluster()}); t != nil {
		t.known = false
		clear(t.wrote)
	}
}

// noteNewTransaction follows InitProducerId and EndTxn.
func noteNewTransaction(c *Ctx) {
	if c.ErrorCode != 0 {
		return
	}
	req, resp := c.Req().Body(), c.Resp().Body()
	id, epoch := resp.Field("ProducerId"), resp.Field("ProducerEpoch")
	timeout := int64(0)
	if c.Key == keyInitProducerId {
		if req.Field("TransactionalId").String() == "" {
			return
		}
		timeout = req.Field("TransactionTimeoutMs").Int() * 1e6
	} else {
		old := c.transaction(req.Field("ProducerId").Int())
		if old == nil {
			return
		}
		timeout = old.timeout
		old.begin(c, int16(req.Field("ProducerEpoch").Int()))
		if !id.OnWire() || id.Int() < 0 {
			return
		}
	}
	if t := c.transaction(id.Int()); t != nil {
		t.begin(c, int16(epoch.Int()))
		t.timeout = timeout
	}
}

// added are the topics of an AddPartitionsToTxn of a client.
func addedTopics(body decode.Ref) decode.Ref { return body.Field("V3AndBelowTopics") }

// noteAdded follows AddPartitionsToTxn and AddOffsetsToTxn: what is asked for counts until it is refused.
func noteAdded(c *Ctx) {
	body := c.Req().Body()
	if c.Key == keyAddOffsetsToTxn {
		if t := c.transaction(body.Field("ProducerId").Int()); t != nil {
			t.started(c)
			if len(t.groups) >= maxInOne {
				t.known = false
				return
			}
			t.groups[clone(body.Field("GroupId").String())] = struct{}{}
		}
		return
	}
	if c.Version > 3 {
		return
	}
	t := c.transaction(body.Field("V3AndBelowProducerId").Int())
	if t == nil {
		return
	}
	t.started(c)
	for topic := range addedTopics(body).Elements() {
		name := topic.Field("Name").String()
		for p := range topic.Field("Partitions").Elements() {
			if len(t.added) >= maxInOne {
				t.known = false
				return
			}
			t.added[topicPartition{clone(name), int32(p.Int())}] = struct{}{}
		}
	}
}

// noteRefused takes back what was refused.
func noteRefused(c *Ctx) {
	req, resp := c.Req().Body(), c.Resp().Body()
	if c.Key == keyAddOffsetsToTxn {
		if t := c.transaction(req.Field("ProducerId").Int()); t != nil && c.ErrorCode != 0 {
			delete(t.groups, req.Field("GroupId").String())
		}
		return
	}
	if c.Version > 3 {
		return
	}
	t := c.transaction(req.Field("V3AndBelowProducerId").Int())
	if t == nil {
		return
	}
	for topic := range resp.Field("ResultsByTopicV3AndBelow").Elements() {
		for p := range topic.Field("ResultsByPartition").Elements() {
			if p.Field("PartitionErrorCode").Int() != 0 {
				delete(t.added, topicPartition{topic.Field("Name").String(), int32(p.Field("PartitionIndex").Int())})
			}
		}
	}
}

var ks4015 = Rule{ID: "KS4015", Title: "partition is not part of the transaction", Severity: Error, Who: Client, Since: "0.11",
	Source:  "KIP-98; KIP-890: verified since 3.6",
	Explain: "Up to Produce 11 a partition must be added with AddPartitionsToTxn before transactional records are written to it. Brokers refuse them since 3.6; older ones write them, and the transaction hangs in that partition.",
	Example: "a transactional batch for orders-1 after AddPartitionsToTxn for orders-0 only",
	Needs:   AllBrokers}

var ks4017 = Rule{ID: "KS4017", Title: "plain records inside the own transaction", Severity: Error, Who: Client, Since: "0.11",
	Source:  "ProducerAppendInfo.appendDataBatch; brokers answer INVALID_TXN_STATE",
	Explain: "A producer with an open transaction in a partition writes a batch there that is not part of it.",
	Example: "a batch without bit 4 after one with it, from the same producer id to the same partition",
	Needs:   Both | AllBrokers}

// lookInTransaction looks at a batch of a producer that has transactions.
func lookInTransaction(c *Ctx) {
	b := c.Batch
	if b.ProducerID < 0 {
		return
	}
	if !b.Transactional() {
		t := transactionSlot.of(c).get(producerKey{b.ProducerID, c.cluster()})
		if t == nil || t.gaps != c.Audit.gaps || t.epoch != b.ProducerEpoch {
			return
		}
		if _, open := t.wrote[producedPart{c.Topic, c.Partition}]; open {
			c.Find(&ks4017).in(c, 21, "Attributes").Say("the batch is not transactional, and producer %d has an open transaction there", b.ProducerID).
				With("producer_id", b.ProducerID)
		}
		return
	}
	t := c.transaction(b.ProducerID)
	t.follow(c, b.ProducerEpoch)
	t.started(c)
	if c.Version <= 11 && c.Topic.Name != "" && t.proves(c, b.ProducerEpoch) {
		if _, added := t.added[topicPartition{c.Topic.Name, c.Partition}]; !added {
			c.Find(&ks4015).in(c, 21, "Attributes").Say("the partition was not added to the transaction; %d others were", len(t.added)).
				With("producer_id", b.ProducerID).With("added", len(t.added))
		}
	}
	part := producedPart{c.Topic, c.Partition}
	if _, wrote := t.wrote[part]; !wrote && len(t.wrote) < maxInOne {
		t.wrote[part] = struct{}{}
		if k := c.kept; k != nil && len(k.outcomes) > 0 { // refused, it opens nothing
			if last := &k.outcomes[len(k.outcomes)-1]; last.topic == c.Topic && last.partition == c.Partition {
				last.opened = t
			}
		}
	}
	t.foundLong(c)
}

var ks4018 = Rule{ID: "KS4018", Title: "TxnOffsetCommit without AddOffsetsToTxn", Severity: Error, Who: Client, Since: "0.11",
	Source:  "KIP-98",
	Explain: "Up to TxnOffsetCommit 4 the group must be added with AddOffsetsToTxn before its offsets are committed in a transaction. Else they are not part of it: they stay pending for ever, or are refused.",
	Example: "TxnOffsetCommit 3 for group g in a transaction to which no group was added",
	Needs:   AllBrokers}

func lookOffsetsInTransaction(c *Ctx) {
	body := c.Req().Body()
	group := body.Field("GroupId")
	if c.Version > 4 {
		return
	}
	t := c.transaction(body.Field("ProducerId").Int())
	if t == nil || !t.proves(c, int16(body.Field("ProducerEpoch").Int())) {
		return
	}
	if _, added := t.groups[group.String()]; !added {
		c.Find(&ks4018).Place(group).Say("group %s was not added to the transaction", group.String()).With("group", clone(group.String()))
	}
}

var ks4021 = Rule{ID: "KS4021", Title: "transaction is open for long", Severity: Warning, Who: Client, Since: "0.11",
	Source:  "InitProducerIdRequest (transactionTimeoutMs)",
	Explain: "The transaction is open longer than its timeout, or than a minute. Until it ends, consumers with read_committed get nothing that was written to its partitions after its first record, by whomever.",
	Example: "AddPartitionsToTxn, and EndTxn 90 s later",
	Needs:   AllBrokers}

// maxOpen is how long a transaction may be open, in ns.
const maxOpen = 60e9

// foundLong reports a transaction that is open for long, once.
func (t *transaction) foundLong(c *Ctx) {
	if t.since == 0 || t.long || t.gaps != c.Audit.gaps {
		return
	}
	age := c.Last.Time - t.since
	if age <= maxOpen && (t.timeout == 0 || age <= t.timeout) {
		return
	}
	t.long = true
	c.Find(&ks4021).Say("the transaction has been open for %d s since packet %d", age/1e9, t.packet).
		With("age_ms", age/1e6).With("timeout_ms", t.timeout/1e6).With("begin_packet", t.packet)
}

func lookLongTransaction(c *Ctx) {
	if t := c.transaction(c.Req().Body().Field("ProducerId").Int()); t != nil {
		t.foundLong(c)
	}
}
