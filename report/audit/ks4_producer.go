package audit

var ks4004 = Rule{ID: "KS4004", Title: "transactional records without transactional id", Severity: Error, Who: Client, Since: "0.11",
	Source:  "KafkaApis, RequestUtils; brokers answer TRANSACTIONAL_ID_AUTHORIZATION_FAILED",
	Explain: "A batch is marked as part of a transaction (bit 4), and the request names no transactional id.",
	Example: "attributes 0x10 with a null TransactionalId"}

var ks4005 = Rule{ID: "KS4005", Title: "producer id, epoch and sequence do not go together", Severity: Error, Who: Client, Since: "0.11",
	Source:  "LogValidator; MemoryRecordsBuilder",
	Explain: "A batch with a producer id has an epoch and a sequence number too. Brokers refuse one without sequence, and cannot tell repeated batches without an epoch.",
	Example: "producer id 4000 with base sequence -1"}

var ks4006 = Rule{ID: "KS4006", Title: "transactional records without producer id", Severity: Error, Who: Client, Since: "0.11",
	Source:  "MemoryRecordsBuilder",
	Explain: "A transaction belongs to a producer id. A batch that is marked as part of one (bit 4) must have it.",
	Example: "attributes 0x10 with producer id -1"}

var ks4013 = Rule{ID: "KS4013", Title: "idempotent producer without acks=all", Severity: Warning, Who: Client, Since: "0.11",
	Source:  "ProducerConfig; brokers accept it",
	Explain: "With a producer id but acks 0 or 1, records that were acknowledged are lost when the leader fails, and the sequence of the next one does not fit. Set acks=all.",
	Example: "producer id 4000 with acks 1",
	Once:    PerClient}

// lookProducer looks at how a produced batch names its producer.
func lookProducer(c *Ctx) {
	b := c.Batch
	if b.Magic != 2 {
		return
	}
	if b.ProducerID >= 0 {
		if b.ProducerEpoch < 0 || b.BaseSequence < 0 {
			c.Find(&ks4005).in(c, 51, "ProducerEpoch").
				Say("producer id %d has epoch %d and base sequence %d", b.ProducerID, b.ProducerEpoch, b.BaseSequence).
				With("producer_id", b.ProducerID).With("epoch", b.ProducerEpoch).With("base_sequence", b.BaseSequence)
		}
		if r := c.Request(); r != nil && r.Acks != -1 {
			c.Find(&ks4013).in(c, 43, "ProducerId").Say("acks is %d, producer id %d", r.Acks, b.ProducerID).With("acks", r.Acks)
		}
	}
	if !b.Transactional() {
		return
	}
	if b.ProducerID < 0 {
		c.Find(&ks4006).in(c, 43, "ProducerId").Say("the batch is transactional, its producer id is %d", b.ProducerID)
	}
	if id, at := produceHead(c); c.Version >= 3 && id == nil && at >= 0 {
		c.Find(&ks4004).in(c, 21, "Attributes").Say("the batch is transactional, the request has no transactional id")
	}
}

var ks4012 = Rule{ID: "KS4012", Title: "more than 5 idempotent requests in flight", Severity: Warning, Who: Client, Since: "0.11",
	Source:  "ProducerStateEntry: a broker remembers the last 5 batches of a producer",
	Explain: "With more than 5 Produce requests that wait for their answer on a connection, a broker cannot tell a repeated batch from a wrong one. Set max.in.flight.requests.per.connection to 5 or less.",
	Example: "6 Produce requests of producer 4000 without an answer yet",
	Needs:   Both | NoGap, Once: PerConnection}

const maxInFlight = 5

func lookInFlight(c *Ctx) {
	if c.Batch.ProducerID < 0 {
		return
	}
	if k := c.kept; k == nil || k.inFlight || k.req.Silent {
		return
	}
	c.kept.inFlight = true
	if c.Conn.flight++; c.Conn.flight > maxInFlight {
		c.Find(&ks4012).in(c, 43, "ProducerId").Say("%d idempotent Produce requests wait for their answer", c.Conn.flight).With("in_flight", c.Conn.flight)
	}
}

func endFlight(c *Ctx) {
	if k := c.kept; k != nil && k.inFlight {
		k.inFlight = false
		c.Conn.flight = max(c.Conn.flight-1, 0)
	}
}

var ks4014 = Rule{ID: "KS4014", Title: "arguments of InitProducerId", Severity: Error, Who: Client, Since: "0.11",
	Source:  "TransactionCoordinator.handleInitProducerId; KafkaApis; brokers answer INVALID_REQUEST",
	Explain: "The transactional id is null or not empty, and producer id and epoch (from version 3 on) are both given or both -1.",
	Example: "producerId 4000 with producerEpoch -1"}

func lookInitArguments(c *Ctx) {
	body := c.Req().Body()
	id, pid, epoch := body.Field("TransactionalId"), body.Field("ProducerId"), body.Field("ProducerEpoch")
	if !id.IsNull() && id.String() == "" {
		c.Find(&ks4014).Place(id).Say("the transactional id is empty")
	}
	if c.Version >= 3 && (pid.Int() == -1) != (epoch.Int() == -1) {
		c.Find(&ks4014).Place(pid).Say("producer id %d with epoch %d", pid.Int(), epoch.Int()).
			With("producer_id", pid.Int()).With("epoch", epoch.Int())
	}
}
