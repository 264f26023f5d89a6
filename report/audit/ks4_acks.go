package audit

import (
	"encoding/binary"

	"ksniff/decode"
	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

var ks4001 = Rule{ID: "KS4001", Title: "acks out of range", Severity: Error, Who: Client, Since: "0.9",
	Source:  "ReplicaManager.isValidRequiredAcks; brokers answer INVALID_REQUIRED_ACKS",
	Explain: "acks is -1 (all in-sync replicas), 0 (no answer) or 1 (the leader). Brokers of 0.8 took larger numbers: in Produce 0, to a broker that may be so old, it is a warning.",
	Example: "acks 2 in Produce 3"}

var ks4024 = Rule{ID: "KS4024", Title: "timeout is not positive", Severity: Warning, Who: Client, Since: "0.8",
	Source:  "message definition of Produce (timeoutMs)",
	Explain: "With acks -1 the broker waits for the replicas, but no longer than timeoutMs. With 0 or less it answers REQUEST_TIMED_OUT although the records are written, and a retry writes them twice.",
	Example: "acks -1 and timeoutMs 0"}

// produceHead reads what stands before the topics of a Produce request that was read without fault: the
// transactional id (nil where null) and where acks is; the timeout follows it.
func produceHead(c *Ctx) (id []byte, acks int) {
	if len(c.Head) < 10 {
		return nil, -1
	}
	acks = 10 + max(int(int16(binary.BigEndian.Uint16(c.Head[8:]))), 0) // behind the client id
	if acks+8 > len(c.Head) {
		return nil, -1
	}
	if c.Version >= 9 {
		if acks++; c.Head[acks-1] != 0 { // tagged fields
			h, _, _ := decode.ParseRequestHeader(c.Head)
			acks = h.Length
		}
	}
	switch {
	case c.Version >= 9:
		n, k := binary.Uvarint(c.Head[acks:])
		if acks += max(k, 0); k <= 0 || n > uint64(len(c.Head)-acks) {
			return nil, -1
		}
		if n > 0 {
			id = c.Head[acks : acks+int(n)-1]
		}
	case c.Version >= 3:
		n := int(int16(binary.BigEndian.Uint16(c.Head[acks:])))
		if acks += 2; n > len(c.Head)-acks {
			return nil, -1
		}
		if n >= 0 {
			id = c.Head[acks : acks+n]
		}
	}
	if acks += len(id); len(c.Head) < acks+6 {
		return nil, -1
	}
	return id, acks
}

// lookAcks looks at acks and timeout.
func lookAcks(c *Ctx) {
	r := c.Request()
	if r == nil || r.Acks == 0 || r.Acks == 1 {
		return
	}
	_, at := produceHead(c)
	if at < 0 {
		return
	}
	if r.Acks != -1 {
		f := c.Find(&ks4001).Byte(at, "ProduceRequest.Acks").Say("acks is %d", r.Acks).With("acks", r.Acks)
		if r.Acks > 1 && c.Version == 0 && c.Offer() == nil {
			f.Graded(Warning)
		}
	} else if timeout := int32(binary.BigEndian.Uint32(c.Head[at+2:])); timeout <= 0 {
		c.Find(&ks4024).Byte(at+2, "ProduceRequest.TimeoutMs").Say("timeoutMs is %d with acks -1", timeout).With("timeout_ms", timeout)
	}
}

var ks4002 = Rule{ID: "KS4002", Title: "answer to acks=0", Severity: Error, Who: Broker, Since: "0.8",
	Source:  "KafkaApis.handleProduceRequest",
	Explain: "A Produce request with acks=0 gets no answer. A client that does not wait for one takes it for the answer to its next request.",
	Example: "a Produce response with the correlation id of a request with acks=0",
	Needs:   Proved | Both | NoGap | Apache}

func lookAnswerToSilence(c *Ctx) {
	if c.HasHeader && !garbledSlot.seen(c.Conn).has(c.CorrelationID) && silentSlot.seen(c.Conn).has(c.CorrelationID) {
		c.Find(&ks4002).Byte(0, "ResponseHeader.CorrelationId").
			Say("correlation id %d is that of a Produce request with acks=0", c.CorrelationID)
	}
}

var ks4003 = Rule{ID: "KS4003", Title: "acks=0 failed silently", Severity: Warning, Who: Client, Since: "0.8",
	Source:  "KafkaApis.handleProduceRequest: on an error it closes the connection",
	Explain: "The broker closed the connection within a second of a Produce request with acks=0, and answered none that came after it: that is how it tells of an error, and all that it tells. The records are probably lost.",
	Example: "a record that is too large, sent with acks=0",
	Needs:   Both | NoGap}

// lastSilence is the latest Produce request with acks=0 on a connection.
type lastSilence struct {
	at   reassembly.Moment
	done bool // a later request was answered
}

var lastSilenceSlot = newLastingSlot[lastSilence]()

func noteSilence(c *Ctx) {
	if r := c.Request(); r != nil && r.Silent {
		*lastSilenceSlot.of(c.Conn) = lastSilence{at: c.Last}
	}
}

// endSilence takes note of an answer: brokers work through the requests of a connection in their order.
func endSilence(c *Ctx) {
	if s := lastSilenceSlot.seen(c.Conn); s != nil && c.Request().Time >= s.at.Time {
		s.done = true
	}
}

// lookSilentFailure looks when both sides have ended: a FIN of the client that was sent before may be captured late.
func lookSilentFailure(c *Ctx) {
	s, k := lastSilenceSlot.seen(c.Conn), c.Conn
	if s == nil || s.done || k.Side < 0 || !k.closed(1-k.Side) {
		return
	}
	c.Event.At = k.ends[1-k.Side].at
	delay := c.Event.At.Time - s.at.Time
	if c.Event.At.Packet < s.at.Packet || delay < 0 || delay > 1e9 {
		return
	}
	c.Find(&ks4003).Say("the broker closed the connection %d ms after a Produce request with acks=0", delay/1e6).With("delay_ms", delay/1e6)
}

var ks4023 = Rule{ID: "KS4023", Title: "partition twice in one Produce request", Severity: Warning, Who: Client, Since: "0.8",
	Source:  "KafkaApis: a map of partitions",
	Explain: "The broker takes one record set for each partition: the last replaces the first, whose records are lost though the answer says that all is well.",
	Example: "partition 0 of topic orders listed two times",
}

type producedPart struct {
	topic     *session.Topic
	partition int32
}

var partsSlot = newAuditSlot[map[producedPart]struct{}]()

func lookProducedTwice(c *Ctx) {
	if len(c.Parts) < 2 {
		return
	}
	m := partsSlot.of(c)
	if *m == nil {
		*m = map[producedPart]struct{}{}
	}
	for i := range c.Parts {
		p := &c.Parts[i]
		key := producedPart{p.Topic, p.Partition}
		if _, again := (*m)[key]; again {
			c.Find(&ks4023).Byte(p.Sets.At, "Records").About(p.Topic, p.Partition).Say("partition %d of topic %s is listed twice", p.Partition, TopicName(p.Topic))
		}
		(*m)[key] = struct{}{}
	}
	clear(*m)
}
