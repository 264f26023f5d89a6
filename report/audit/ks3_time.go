package audit

import (
	"ksniff/decode"
	"ksniff/decode/records"
	"ksniff/reassembly/session"
)

var ks3019 = Rule{ID: "KS3019", Title: "timestamp is far from now", Severity: Warning, Most: Error, Who: Client, Since: "0.10",
	Source:  "KIP-1030 (message.timestamp.after.max.ms is 1 hour since 4.0); retention.ms is 7 days",
	Explain: "Records more than an hour ahead of the clock are refused by brokers of 4.0 and newer, and keep their file from being deleted in older ones; records older than 7 days are deleted soon where retention is the default. Often the producer gives seconds or microseconds for milliseconds. It is an error where the broker answers INVALID_TIMESTAMP.",
	Example: "a record with a timestamp in microseconds",
	Once:    PerClient}

// skews are the partitions of a Produce request whose timestamps are far from its time: the first ones.
type skews struct {
	n     int
	parts [4]skew
}

type skew struct {
	topic     *session.Topic
	partition int32
	offset    int
	field     string
	ms        int64 // record's timestamp less the packet's time
}

func (s *skews) reset() { s.n = 0 }

var skewSlot = newRequestSlot[skews]()

// Bounds of a timestamp, in ms, and the first packet time that is taken for that of a clock: 2011, when Kafka was published.
const (
	maxAhead   = 3600_000
	maxBehind  = 7 * 24 * 3600_000
	sanePacket = 1293840000_000
)

// lookSkew compares a batch's head with the clock. (The head of a compressed message of format 1 often says 0.)
func lookSkew(c *Ctx) {
	b := c.Batch
	now := c.First.Time / 1e6
	if b.Magic < 1 || b.LogAppendTime() || now < sanePacket || b.Magic == 1 && b.Codec != records.None {
		return
	}
	s := skew{c.Topic, c.Partition, c.Set + b.Pos + 35, "Records.MaxTimestamp", b.MaxTimestamp - now}
	if b.Magic == 1 {
		s.offset = c.Set + b.Pos + 18
	}
	if b.MaxTimestamp < 0 || s.ms <= maxAhead {
		oldest := b.MaxTimestamp
		if b.Magic == 2 {
			oldest = b.BaseTimestamp
			s.offset, s.field = c.Set+b.Pos+27, "Records.BaseTimestamp"
		}
		if s.ms = oldest - now; oldest < 0 || s.ms >= -maxBehind {
			return
		}
	}
	if all := skewSlot.of(c); all != nil && all.n < len(all.parts) {
		all.parts[all.n] = s
		all.n++
	}
}

// lookSkewAnswer reports when the answer is there, or will never be.
func lookSkewAnswer(c *Ctx) {
	all := skewSlot.seen(c)
	if all == nil {
		return
	}
	for _, s := range all.parts[:all.n] {
		f := c.Find(&ks3019).Byte(s.offset, s.field).Asked().About(s.topic, s.partition)
		if f == nil {
			continue
		}
		what := "ahead of"
		if s.ms < 0 {
			what = "behind"
		}
		f.Say("a record is %d s %s the packet's time", max(s.ms, -s.ms)/1000, what).With("skew_ms", s.ms)
		if c.produceError(s.topic, s.partition) == 32 {
			f.Graded(Error).Answered(32)
		}
	}
	all.n = 0
}

// produceError is the error code of a partition in the response that is looked at, 0 where there is none.
func (c *Ctx) produceError(t *session.Topic, partition int32) int16 {
	if c.Frame == nil || c.Kind != decode.Response {
		return 0
	}
	code, _ := c.partError(0, t, partition)
	return code
}
