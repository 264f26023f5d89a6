package audit

var ks5012 = Rule{ID: "KS5012", Title: "fetch loop without a pause", Severity: Warning, Who: Client, Since: "0.8",
	Source:  "meaning of MaxWaitMs and MinBytes",
	Explain: "20 or more answers a second bring no records, and the client does not let the broker wait (MaxWaitMs is 10 or less): load for nothing. Set fetch.max.wait.ms to 500.",
	Example: "Fetch with MaxWaitMs 0, 1000 times a second, on an idle topic",
	Needs:   Both, Once: PerConnection}

var ks5013 = Rule{ID: "KS5013", Title: "answer comes later than MaxWaitMs", Severity: Warning, Who: Broker, Since: "0.8",
	Source:  "DelayedFetch",
	Explain: "An answer without records came more than a second later than MaxWaitMs, and not for a quota. The broker is overloaded, or its disk slow.",
	Example: "MaxWaitMs 500, and the answer 3 s later",
	Needs:   Both | NoGap}

// idling counts the answers of a connection without records, from a point in time on.
type idling struct {
	since int64
	n     int
}

var idlingSlot = newConnSlot[idling]()

// lookWaiting looks at answers without records.
func lookWaiting(c *Ctx) {
	r := c.Frame.Request
	if c.ErrorCode != 0 || r.MaxWait < 0 {
		return
	}
	for i := range c.Parts {
		if c.Parts[i].Sets.Bytes > 0 || c.Parts[i].Error != 0 {
			return
		}
	}
	now := c.Last.Time
	waited := c.First.Time - max(r.Time, c.Conn.Answered) // brokers take the next request of a connection after the answer to the one before
	if over := waited - int64(r.MaxWait)*1e6; over > 1e9 && !r.Unseen && c.Throttle <= 0 && c.Outstanding() == 1 {
		c.Find(&ks5013).Say("no records after %d ms, MaxWaitMs is %d", waited/1e6, r.MaxWait).
			With("latency_ms", waited/1e6).With("max_wait_ms", r.MaxWait)
	}
	if r.MaxWait > 10 || r.Replica >= 0 {
		return
	}
	s := idlingSlot.of(c.Conn)
	if now-s.since > 1e9 {
		s.since, s.n = now, 0
	}
	if s.n++; s.n >= 20 {
		c.Find(&ks5012).Say("%d answers without records within a second, MaxWaitMs is %d", s.n, r.MaxWait).
			With("answers", s.n).With("max_wait_ms", r.MaxWait)
	}
}

var ks5015 = Rule{ID: "KS5015", Title: "consumer poses as a follower", Severity: Warning, Who: Client, Since: "0.8",
	Source:  "message definition of Fetch (ReplicaId)",
	Explain: "The replica id is that of a broker, and the sender is none. A follower may read beyond the high watermark, and its offsets count for the in-sync replicas: records may be acknowledged that no replica has. Consumers send -1.",
	Example: "ReplicaId 0 from an address that is no broker's",
	Once:    PerClient}

var ks5017 = Rule{ID: "KS5017", Title: "MinBytes above MaxBytes", Severity: Info, Who: Client, Since: "0.10.1",
	Source:  "KafkaApis.handleFetchRequest: it takes the smaller",
	Explain: "The client waits for more bytes than it takes. The broker waits for MaxBytes then.",
	Example: "MinBytes 1000000 with MaxBytes 50000",
	Once:    PerVersion}

// lookFetcher looks at who fetches, and how much.
func lookFetcher(c *Ctx) {
	r := c.Request()
	if r == nil {
		return
	}
	if c.Version >= 3 && r.MinBytes > r.MaxBytes {
		c.Find(&ks5017).Say("MinBytes is %d, MaxBytes %d", r.MinBytes, r.MaxBytes).With("min_bytes", r.MinBytes).With("max_bytes", r.MaxBytes)
	}
	if r.Replica < 0 || c.Client == nil {
		return
	}
	if broker, known := c.isBroker(c.Client.Addr); known && !broker {
		c.Find(&ks5015).Say("the replica id is %d, and the sender is no broker", r.Replica).With("replica_id", r.Replica)
	}
}
