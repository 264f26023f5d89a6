package audit

import "ksniff/reassembly/session"

var ks4007 = Rule{ID: "KS4007", Title: "gap in the sequence numbers", Severity: Error, Who: Client, Since: "0.11",
	Source:  "ProducerAppendInfo.checkSequence; brokers answer OUT_OF_ORDER_SEQUENCE_NUMBER",
	Explain: "The batches of a producer to a partition count their records without a gap. One was left out: the broker refuses this batch and those after it.",
	Example: "a batch with sequences 10 to 14, then one that begins with 20",
	Needs:   Proved | Both | NoGap | AllBrokers} // an answer with an error makes the producer number anew

var ks4008 = Rule{ID: "KS4008", Title: "sequence numbers are used again for other records", Severity: Warning, Who: Client, Since: "0.11",
	Source:  "ProducerStateEntry.findDuplicateBatch",
	Explain: "A batch has the sequence numbers of one that the broker has acknowledged, and other bytes. The broker takes it for a repetition, answers that all is well, and drops it. (After a failure, to number anew is right.)",
	Example: "two batches with sequences 0 to 4 and different checksums, the first one acknowledged",
	Needs:   Both | NoGap}

var ks4009 = Rule{ID: "KS4009", Title: "batch was sent again", Severity: Info, Who: Client, Since: "0.11",
	Source:  "KIP-98",
	Explain: "The same batch, by producer, sequence numbers and checksum, was sent before: a retry. The broker drops it where it has the first one. Many of them tell of timeouts or of leaders that move.",
	Example: "a batch that repeats one of 30 s ago, which got no answer"}

var ks4011 = Rule{ID: "KS4011", Title: "new epoch does not begin with sequence 0", Severity: Error, Who: Client, Since: "0.11",
	Source:  "ProducerAppendInfo.checkSequence; brokers answer OUT_OF_ORDER_SEQUENCE_NUMBER",
	Explain: "With a new epoch a producer counts from 0 again, in each partition.",
	Example: "epoch 0 up to sequence 9, then epoch 1 with base sequence 10",
	Needs:   NoGap | AllBrokers}

// sequenceKey is a producer and a partition. Producer ids are unique in a cluster only.
type sequenceKey struct {
	pid       int64
	cluster   int32
	partition int32
	topic     *session.Topic
}

// sequences is what a producer sent to a partition in its current epoch. What each batch touches comes first, in one
// line of the processor's cache.
type sequences struct {
	epoch int16
	seen  bool
	next  int32             // sequence that comes next on conn, -1 unknown
	base  [latestSent]int32 // the first sequences of sent
	n     int               // batches sent
	first uint64            // packet of its first batch
	conn  int               // that the latest batch came over
	gaps  int               // of this connection, and what could not be read of it, then
	sent  [latestSent]sentBatch
}

// latestSent is how many of the latest batches are remembered. A broker remembers as many.
const latestSent = 5

// sentBatch is one of the latest batches.
type sentBatch struct {
	last    int32
	crc     uint32
	times   int32
	outcome int16 // error code of the answer, noOutcome before
	packet  uint64
	time    int64
}

const (
	noOutcome    = -2
	maxSequences = 20_000
)

var sequenceSlot = newAuditSlot[bounded[sequenceKey, sequences]]()

// latestSequences are those of the latest batch of a connection: mostly the next one belongs to them too.
type latestSequences struct {
	key  sequenceKey
	of   *sequences
	lost int // of all, when they were found
}

// sequences are those of a producer and partition.
func (c *Ctx) sequences(key sequenceKey) *sequences {
	all, latest := sequenceSlot.of(c), &c.Conn.latest
	if latest.of == nil || latest.key != key || latest.lost != all.lost {
		of := all.at(key, maxSequences)
		*latest = latestSequences{key, of, all.lost}
	}
	return latest.of
}

// lookSequence compares a batch with those that its producer sent to the partition before.
func lookSequence(c *Ctx) {
	b := c.Batch
	if b.Magic != 2 || b.ProducerID < 0 || b.ProducerEpoch < 0 || b.BaseSequence < 0 {
		return
	}
	s := c.sequences(sequenceKey{b.ProducerID, c.cluster(), c.Partition, c.Topic})
	same := s.seen && s.conn == c.Conn.TCP.ID && s.gaps == c.Conn.Gaps+c.Conn.Unread
	if s.seen && b.ProducerEpoch != s.epoch {
		if b.ProducerEpoch < s.epoch {
			if !b.Transactional() && c.Last.Packet > s.first {
				foundOldEpoch(c, s.epoch)
			}
			return
		}
		// On another connection it may be that not the first batch of the epoch was captured.
		if b.BaseSequence != 0 && (same || c.guards&Start != 0 && c.Audit.gaps == 0 && c.Conn.Unread == 0) {
			c.Find(&ks4011).in(c, 53, "BaseSequence").
				Say("epoch %d follows epoch %d and begins with sequence %d", b.ProducerEpoch, s.epoch, b.BaseSequence).
				With("producer_id", b.ProducerID).With("epoch", b.ProducerEpoch).With("before", s.epoch).With("base_sequence", b.BaseSequence)
		}
		*s = sequences{}
		same = false
	}
	if !s.seen || c.Last.Packet < s.first {
		s.first = c.Last.Packet
	}
	if !same {
		s.next = -1
	}
	s.epoch, s.seen, s.conn, s.gaps = b.ProducerEpoch, true, c.Conn.TCP.ID, c.Conn.Gaps+c.Conn.Unread
	i := s.repeated(c)
	last := b.LastSequence()
	if i < 0 {
		if ahead := (b.BaseSequence - s.next) & 0x7fffffff; s.next >= 0 && ahead > 0 && ahead < 1<<30 {
			c.Find(&ks4007).in(c, 53, "BaseSequence").Say("the batch begins with sequence %d, after %d comes %d", b.BaseSequence, (s.next-1)&0x7fffffff, s.next).
				With("producer_id", b.ProducerID).With("epoch", b.ProducerEpoch).With("expected", s.next).With("got", b.BaseSequence)
		}
		i = s.n % len(s.sent)
		s.base[i] = b.BaseSequence
		s.sent[i] = sentBatch{last: last, crc: b.CRC, times: 1, packet: c.Last.Packet, time: c.Last.Time, outcome: noOutcome}
		s.n++
	}
	if next := (last + 1) & 0x7fffffff; s.next < 0 || (next-s.next)&0x7fffffff < 1<<30 {
		s.next = next
	}
	if k := c.kept; k != nil {
		k.outcomes = append(k.outcomes, outcomePart{s, c.Topic, c.Partition, i, s.base[i], nil})
	}
}

// noteUnread notes that there is more in a set than the batches that could be read.
func noteUnread(c *Ctx) {
	if c.Seen.bytes != c.SetBytes {
		c.Conn.Unread++
	}
}

// repeated looks for a batch with the same sequence numbers: where it is the same one, it gives its place,
// else -1.
func (s *sequences) repeated(c *Ctx) int {
	b := c.Batch
	last := b.LastSequence()
	for i, base := range s.base[:min(s.n, latestSent)] {
		if base != b.BaseSequence || s.sent[i].last != last {
			continue
		}
		have := &s.sent[i]
		outcome := "none yet"
		if have.outcome != noOutcome {
			outcome = errorName(have.outcome)
		}
		if have.crc == b.CRC {
			delay := (c.Last.Time - have.time) / 1e6
			have.times++
			c.Find(&ks4009).in(c, 53, "BaseSequence").
				Say("sequences %d to %d were sent in packet %d, %d ms before; the answer then: %s", base, have.last, have.packet, delay, outcome).
				With("times", have.times).With("delay_ms", delay).With("earlier_packet", have.packet).With("earlier_answer", outcome)
			have.packet, have.time, have.outcome = c.Last.Packet, c.Last.Time, noOutcome
			return i
		}
		if have.outcome == 0 {
			c.Find(&ks4008).in(c, 53, "BaseSequence").
				Say("sequences %d to %d were used in packet %d for other records, and acknowledged", base, have.last, have.packet).
				With("earlier_packet", have.packet).With("base_sequence", base)
		}
		s.base[i] = -1 // it is replaced
	}
	return -1
}

// outcomePart is a batch of a request, until its answer.
type outcomePart struct {
	seq       *sequences
	topic     *session.Topic
	partition int32
	at        int // in seq.sent
	base      int32
	opened    *transaction // it is the first one of that there, nil where it is not
}

// noteOutcome notes what the broker says about the batches of a request.
func noteOutcome(c *Ctx) {
	k := c.kept
	if k == nil {
		return
	}
	for i := range k.outcomes {
		p := &k.outcomes[i]
		code, answered := c.partError(i, p.topic, p.partition)
		if !answered {
			continue
		}
		if p.seq.base[p.at] == p.base {
			p.seq.sent[p.at].outcome = code
		}
		if code != 0 && code != 46 { // DUPLICATE_SEQUENCE_NUMBER: it was written before
			p.seq.next = -1
			if p.opened != nil {
				delete(p.opened.wrote, producedPart{p.topic, p.partition})
			}
		}
	}
	k.outcomes = k.outcomes[:0]
}

// partError is the error code of a partition in the response, which is probably at place i.
func (c *Ctx) partError(i int, t *session.Topic, partition int32) (code int16, ok bool) {
	if i < len(c.Parts) && c.Parts[i].Topic == t && c.Parts[i].Partition == partition {
		return c.Parts[i].Error, true
	}
	for i := range c.Parts {
		if c.Parts[i].Topic == t && c.Parts[i].Partition == partition {
			return c.Parts[i].Error, true
		}
	}
	return 0, false
}
