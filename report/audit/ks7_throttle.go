package audit

import "ksniff/reassembly/session"

var ks7004 = Rule{ID: "KS7004", Title: "the broker's request to slow down is ignored", Severity: Warning, Who: Client, Since: "2.0",
	Source:  "KIP-219; shouldClientThrottle of the response classes",
	Explain: "The answer said for how long the client is to send nothing, and it sends the next request on this connection before that time is over (what comes within 20 ms may have been on its way). The broker does not read it until then; the latency that the client sees is its own doing.",
	Example: "ThrottleTimeMs 500 and the next Produce after 100 ms",
	Needs:   Both}

// throttledSince says from which version on a client is to wait by itself.
var throttledSince = map[int16]int16{keyProduce: 6, keyFetch: 8, keyMetadata: 6, keyListOffsets: 3, keyOffsetCommit: 4, keyOffsetFetch: 4,
	keyJoinGroup: 3, keyCreateTopics: 3, keyHeartbeat: 2, keySyncGroup: 2, keyLeaveGroup: 2, keyFindCoordinator: 2, keyApiVersions: 2,
	keyInitProducerId: 1, keyAddPartitionsToTxn: 1, keyAddOffsetsToTxn: 1, keyEndTxn: 1, keyTxnOffsetCommit: 1}

// throttle is until when a client was asked to wait, and when.
type throttle struct{ from, until int64 }

var throttleSlot = newConnSlot[throttle]()

// onItsWay is how long after an answer a request may still have been sent before it, in ns.
const onItsWay = 20e6

func noteThrottle(c *Ctx) {
	if c.Throttle <= 0 {
		return
	}
	if since, ok := throttledSince[c.Key]; ok && c.Version >= since && !unknownTime(c.Last) {
		*throttleSlot.of(c.Conn) = throttle{c.Last.Time, c.Last.Time + int64(c.Throttle)*1e6}
	}
}

func lookThrottled(c *Ctx) {
	t := throttleSlot.seen(c.Conn)
	if t == nil || t.until == 0 {
		return
	}
	at := c.First.Time
	if at-t.from < onItsWay {
		return
	}
	if at < t.until-1e6 {
		c.Find(&ks7004).Byte(0, "Request").Say("%d ms too early: the broker asked for a pause of %d ms", ms(at, t.until), ms(t.from, t.until)).
			With("early_ms", ms(at, t.until)).With("throttle_ms", ms(t.from, t.until))
	}
	*t = throttle{}
}

var ks7005 = Rule{ID: "KS7005", Title: "too many Metadata requests", Severity: Warning, Who: Client, Since: "0.8",
	Source:  "metadata.max.age.ms, 5 minutes by default",
	Explain: "The client asks for metadata more than once a second for half a minute, or for that of all topics more than once a minute. It costs brokers with many partitions much time.",
	Example: "a Metadata request every 100 ms"}

// storm is a run of Metadata requests of a client: more than one a second since it began, and no pause.
type storm struct {
	since, last int64
	n           int64 // after the first
	told        bool
}

// lull ends a storm, in ns.
const lull = 2e9

var stormsSlot = newAuditSlot[bounded[*session.Client, storm]]()

// allTopics counts requests for all topics on a connection.
type allTopics struct {
	last int64
	n    int
}

var allTopicsSlot = newConnSlot[allTopics]()

func lookMetadataStorm(c *Ctx) {
	if c.Client == nil || unknownTime(c.Last) {
		return
	}
	s, now := stormsSlot.of(c).at(c.Client, maxClients), c.Last.Time
	if s.n++; now-s.last > lull || s.n*1e9 < now-s.since {
		*s = storm{since: now}
	}
	s.last = now
	if age := now - s.since; age >= 30e9 && s.n*1e9 > age && !s.told {
		s.told = true
		c.Find(&ks7005).Byte(0, "RequestHeader.RequestApiKey").Say("%d Metadata requests within %d seconds", s.n+1, age/1e9).
			With("seconds", age/1e9).With("requests", s.n+1)
	}
	topics := c.Req().Body().Field("Topics")
	if !topics.IsNull() && (c.Version > 0 || topics.Count() > 0) {
		return
	}
	a := allTopicsSlot.of(c.Conn)
	if a.last != 0 && c.Last.Time-a.last < 60e9 {
		if a.n++; a.n == 3 {
			c.Find(&ks7005).Place(topics).Say("the metadata of all topics again after %d ms, %d times so far", ms(a.last, c.Last.Time), a.n).
				With("after_ms", ms(a.last, c.Last.Time)).With("times", a.n)
		}
	} else {
		a.n = 0
	}
	a.last = c.Last.Time
}
