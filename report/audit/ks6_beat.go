package audit

var ks6008 = Rule{ID: "KS6008", Title: "heartbeats too far apart", Severity: Warning, Who: Client, Since: "0.9",
	Source:  "consumer configuration: heartbeat.interval.ms at most a third of session.timeout.ms",
	Explain: "More than half of the session timeout passed between two heartbeats. A delay of the same length again and the coordinator expels the member; beyond the timeout it does so at once. Shorten the interval, or look for pauses (garbage collection, a blocked loop).",
	Example: "session timeout 10 s and heartbeats 6 s apart",
	Needs:   Start | NoGap}

// lookBeat measures from the latest heartbeat on this connection, or from a commit, which counts as one.
func lookBeat(c *Ctx) {
	s, _ := membershipOf(c)
	m := knownMember(c, s.group, s.id)
	if m == nil || !m.joined {
		return
	}
	now := moment(c)
	if m.beat != 0 && m.beatConn == c.Conn && !m.busy && m.session > 0 && !unknownTime(c.Now()) {
		if gap := ms(m.beat, now); gap > int64(m.session)/2 {
			f := c.Find(&ks6008).Byte(s.place.Offset(), s.place.Path()).With("gap_ms", gap).With("session_timeout_ms", m.session)
			if gap > int64(m.session) {
				f.Say("%d ms after the latest heartbeat; the session ended after %d ms", gap, m.session)
			} else {
				f.Say("%d ms after the latest heartbeat, the session ends after %d ms", gap, m.session)
			}
		}
	}
	m.beat, m.beatConn = now, c.Conn
}

// noteBusy: while a member joins, and after it committed, its heartbeats are not due.
func noteBusy(c *Ctx) {
	s, ok := membershipOf(c)
	m := knownMember(c, s.group, s.id)
	switch {
	case !ok || m == nil:
	case c.Key == keyOffsetCommit:
		if m.beat != 0 {
			m.beat = moment(c)
		}
	default:
		m.busy, m.beat = true, 0
	}
}

func noteIdle(c *Ctx) {
	s, _ := membershipOf(c)
	if m := knownMember(c, s.group, s.id); m != nil {
		m.busy, m.beat = false, 0
	}
}

var ks6018 = Rule{ID: "KS6018", Title: "heartbeat of the new protocol is late", Severity: Warning, Who: Client, Since: "3.7",
	Source:  "KIP-848: the answer says after how long the next heartbeat is due",
	Explain: "More than twice the interval that the coordinator asked for passed. Assignments come late, and beyond the session timeout the member is expelled.",
	Example: "HeartbeatIntervalMs 5000 and the next ConsumerGroupHeartbeat after 12 s",
	Needs:   Start | Both | NoGap}

func lookConsumerBeat(c *Ctx) {
	s, _ := membershipOf(c)
	m := knownMember(c, s.group, s.id)
	if m == nil || !m.consumer {
		return
	}
	now := moment(c)
	if s.generation <= 0 {
		m.beat = 0
		return
	}
	if m.beat != 0 && m.beatConn == c.Conn && m.interval > 0 && !unknownTime(c.Now()) {
		if gap := ms(m.beat, now); gap > 2*int64(m.interval) {
			c.Find(&ks6018).Byte(s.place.Offset(), s.place.Path()).Say("%d ms after the latest heartbeat, %d ms were asked for", gap, m.interval).
				With("gap_ms", gap).With("interval_ms", m.interval)
		}
	}
	m.beat, m.beatConn = now, c.Conn
}
