package audit

var ks4010 = Rule{ID: "KS4010", Title: "epoch went back", Severity: Warning, Who: Client, Since: "0.11",
	Source:  "ProducerAppendInfo.checkProducerEpoch; brokers answer INVALID_PRODUCER_EPOCH or PRODUCER_FENCED",
	Explain: "A producer uses an epoch that is older than one that was given out or used: an instance that was replaced still runs (a zombie), or two share a transactional id.",
	Example: "a batch with epoch 3 after InitProducerId gave epoch 4 to the same producer id",
	Needs:   AllBrokers}

// producerKey is a producer id in a cluster.
type producerKey struct {
	id      int64
	cluster int32
}

// producerEpoch is the greatest epoch of a transactional producer, and the first packet that is known to have it.
type producerEpoch struct {
	epoch  int16
	packet uint64
}

const maxProducers = 10_000

var epochSlot = newAuditSlot[bounded[producerKey, producerEpoch]]()

// noteEpoch notes an epoch that a broker gives out.
func noteEpoch(c *Ctx) {
	if c.ErrorCode != 0 {
		return
	}
	body := c.Resp().Body()
	if id := body.Field("ProducerId").Int(); id >= 0 && body.Field("ProducerEpoch").OnWire() {
		c.epochUsed(id, int16(body.Field("ProducerEpoch").Int()))
	}
}

// epochUsed notes the use of an epoch, and gives the greatest that was used in a packet before. (What is looked at
// before need not have been: a connection that began before the capture is read once it is known what it speaks, one
// with a gap once that is given up.)
func (c *Ctx) epochUsed(id int64, epoch int16) int16 {
	e := epochSlot.of(c).at(producerKey{id, c.cluster()}, maxProducers)
	switch at := c.Last.Packet; {
	case e.packet == 0 || epoch > e.epoch:
		e.epoch, e.packet = epoch, at
	case epoch == e.epoch:
		e.packet = min(e.packet, at)
	case at < e.packet:
		return epoch
	}
	return e.epoch
}

// lookProducedEpoch looks at transactional batches. In others, that of another partition may lag behind
// (KIP-360): lookSequence compares them partition by partition.
func lookProducedEpoch(c *Ctx) {
	b := c.Batch
	if !b.Transactional() || b.ProducerID < 0 || b.ProducerEpoch < 0 {
		return
	}
	if latest := c.epochUsed(b.ProducerID, b.ProducerEpoch); latest > b.ProducerEpoch {
		foundOldEpoch(c, latest)
	}
}

func foundOldEpoch(c *Ctx, latest int16) {
	b := c.Batch
	c.Find(&ks4010).in(c, 51, "ProducerEpoch").Say("producer %d uses epoch %d after epoch %d", b.ProducerID, b.ProducerEpoch, latest).
		With("producer_id", b.ProducerID).With("epoch", b.ProducerEpoch).With("latest", latest)
}

// lookEndEpoch looks at EndTxn. From version 5 on each transaction has a new epoch, and an EndTxn with the one
// before may be a retry.
func lookEndEpoch(c *Ctx) {
	body := c.Req().Body()
	at := body.Field("ProducerEpoch")
	id, epoch := body.Field("ProducerId").Int(), int16(at.Int())
	if id < 0 || epoch < 0 {
		return
	}
	latest := c.epochUsed(id, epoch)
	if c.Version >= 5 && epoch == latest-1 {
		return
	}
	if latest > epoch {
		c.Find(&ks4010).Place(at).Say("EndTxn of producer %d uses epoch %d after epoch %d", id, epoch, latest).
			With("producer_id", id).With("epoch", epoch).With("latest", latest)
	}
}
