package audit

import (
	"ksniff/reassembly/session"
)

var ks9003 = Rule{ID: "KS9003", Title: "writes message format 0 or 1", Severity: Warning, Who: Client, Since: "4.0",
	Source:  "KIP-724, KIP-896",
	Explain: "The client writes the message formats of before 0.11. Kafka 4 no longer takes them: they come with versions of Produce that are gone.",
	Example: "Produce 2 with a message of magic 1",
	Once:    PerVersion}

var ks9004 = Rule{ID: "KS9004", Title: "message format 0 or 1 is still on disk", Severity: Info, Who: Broker, Since: "4.0",
	Source:  "KIP-724",
	Explain: "The topic holds records in a format of before 0.11. Kafka 4 reads them still. Nothing is wrong with the client.",
	Example: "a Fetch 11 response with a message of magic 1",
	Once:    PerVersion}

var ks9005 = Rule{ID: "KS9005", Title: "needs records converted to an old format", Severity: Warning, Who: Client, Since: "4.0",
	Source:  "KIP-724: down-conversion is gone",
	Explain: "The topic holds records of format 2, and the version of Fetch cannot carry them: the broker converts them on each read, which costs it CPU and memory. Kafka 4 does not.",
	Example: "Fetch 3 from a topic to which Produce 7 writes",
	Once:    PerVersion}

var ks9012 = Rule{ID: "KS9012", Title: "timestamps that Kafka 4's default refuses", Severity: Warning, Who: Client, Since: "4.0",
	Source:  "KIP-1030: message.timestamp.after.max.ms is one hour from 4.0 on",
	Explain: "A record is dated more than an hour after it was sent. Brokers before 4.0 take it, a 4.0 with default settings answers INVALID_TIMESTAMP.",
	Example: "a record dated tomorrow",
	Once:    PerClient}

// formatSlot remembers which topics hold records of format 2.
var formatSlot = newAuditSlot[bounded[*session.Topic, struct{}]]()

const maxTopics = 10_000

// lookFormats looks at the message format of each batch.
func lookFormats(c *Ctx) {
	if c.Batch.Magic == 2 {
		all := formatSlot.of(c)
		if all.at(c.Topic, maxTopics); all.lost > 0 {
			c.Audit.marks |= topicForgotten
		}
		c.Conn.topic = c.Topic
	} else if c.Key == keyProduce {
		if f := c.Find(&ks9003); f != nil {
			f.Byte(c.Set+c.Batch.Pos+16, "Records.Magic").Say("a message of format %d in %s %d", c.Batch.Magic, c.API.Name, c.Version).
				With("magic", int(c.Batch.Magic)).About(c.Topic, c.Partition)
		}
	} else if c.Version >= 4 {
		if f := c.Find(&ks9004); f != nil {
			f.Byte(c.Set+c.Batch.Pos+16, "Records.Magic").Say("topic %s holds messages of format %d", TopicName(c.Topic), c.Batch.Magic).
				With("magic", int(c.Batch.Magic)).About(c.Topic, c.Partition)
		}
	} else if formatSlot.of(c).get(c.Topic) != nil {
		if f := c.Find(&ks9005); f != nil {
			f.Byte(c.Set+c.Batch.Pos+16, "Records.Magic").Say("Fetch %d reads topic %s, which holds records of format 2", c.Version, TopicName(c.Topic)).
				About(c.Topic, c.Partition)
		}
	}
}

// hour is 3600 s in ms: the default of message.timestamp.after.max.ms.
const hour = 3_600_000

func lookFuture(c *Ctx) {
	b, now := c.Batch, c.Last.Time/1e6
	if c.Key != keyProduce || b.Magic == 0 || b.LogAppendTime() || c.Offer().Is4() {
		return
	}
	if c.Last.Time == noTime || now < 1_000_000_000_000 || b.MaxTimestamp <= now+hour { // a clock before 2001 is not set
		return
	}
	if f := c.Find(&ks9012); f != nil {
		f.Byte(c.Set+b.Pos+35, "Records.MaxTimestamp").Say("a record is dated %d s after its packet", (b.MaxTimestamp-now)/1000).
			With("ahead_ms", b.MaxTimestamp-now).About(c.Topic, c.Partition)
	}
}
