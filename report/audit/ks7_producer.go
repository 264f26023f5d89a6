package audit

import "ksniff/reassembly/session"

var ks7007 = Rule{ID: "KS7007", Title: "a producer goes on after a fatal error", Severity: Warning, Who: Client, Since: "0.11",
	Source:  "TransactionManager; KIP-360",
	Explain: "The broker refused what an idempotent producer sent because of its id, epoch or sequence numbers, and the producer sends to that partition again and again with the same id and epoch. It cannot succeed. Ask for a new epoch (InitProducerId), or close the producer.",
	Example: "four Produce requests of producer 7, epoch 0, each answered INVALID_PRODUCER_EPOCH",
	Needs:   Both | AllBrokers}

// producing is the one producer whose batches a request has.
type producing struct {
	known, several bool
	id             int64
	epoch          int16
}

func noteProducer(c *Ctx) {
	if !c.Opening() || c.kept == nil {
		return
	}
	p := &c.kept.producer
	if p.known && (p.id != c.Batch.ProducerID || p.epoch != c.Batch.ProducerEpoch) {
		p.several = true
	}
	p.known, p.id, p.epoch = true, c.Batch.ProducerID, c.Batch.ProducerEpoch
}

// producerPlace is a partition that a producer writes to.
type producerPlace struct {
	id        int64
	epoch     int16
	topic     *session.Topic
	partition int32
}

var fatalSlot = newAuditSlot[bounded[producerPlace, chain]]()

// lookFatalProducer counts what a producer sends to a partition after a fatal error.
func lookFatalProducer(c *Ctx) {
	all := fatalSlot.of(c)
	bad := false
	for i := range c.Parts {
		bad = bad || fatalForProducer(c.Parts[i].Error)
	}
	if !bad && len(all.m) == 0 || c.kept == nil {
		return
	}
	p := &c.kept.producer
	if !p.known || p.several || p.id < 0 {
		return
	}
	c.Audit.marks |= fatalKnown
	for i := range c.Parts {
		part := &c.Parts[i]
		key := producerPlace{p.id, p.epoch, part.Topic, part.Partition}
		h := all.get(key)
		switch {
		case fatalForProducer(part.Error):
			h = all.at(key, maxPlaces)
		case h == nil:
			continue
		case part.Error == 0 && h.code == 45: // sequence numbers that came too early are sent again, in their order
			all.drop(key)
			continue
		}
		if n := h.more(c, 0, part.Error); n == 3 {
			c.Find(&ks7007).Byte(4, "Response").Say("producer %d, epoch %d: %d more requests to this partition after the first %s", p.id, p.epoch, n, errorName(h.code)).
				About(part.Topic, part.Partition).With("producer_id", p.id).With("producer_epoch", p.epoch).With("error", errorName(h.code)).With("requests", n)
		}
	}
}

func fatalForProducer(code int16) bool { return code == 45 || code == 47 || code == 49 || code == 90 }
