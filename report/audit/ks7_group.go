package audit

var ks7010 = Rule{ID: "KS7010", Title: "the call to rebalance is not followed", Severity: Warning, Who: Client, Since: "0.9",
	Source:  "AbstractCoordinator: a heartbeat that is answered 27 makes the member join again",
	Explain: "The coordinator answers heartbeats with REBALANCE_IN_PROGRESS, and the member goes on sending them without JoinGroup for longer than its rebalance timeout. All others wait for it, and in the end it is expelled.",
	Example: "heartbeats answered 27 for a minute, and no JoinGroup",
	Needs:   Start | Both}

func lookRebalance(c *Ctx) {
	s, _ := membershipOf(c)
	m := knownMember(c, s.group, s.id)
	if m == nil || !m.joined {
		return
	}
	if c.ErrorCode != 27 || unknownTime(c.Last) {
		m.rebalancing, m.told = 0, 0
		return
	}
	if m.rebalancing == 0 {
		m.rebalancing = c.Last.Time
	}
	m.told++
	if age := ms(m.rebalancing, c.Last.Time); m.told >= 3 && m.rebalance > 0 && age > int64(m.rebalance) {
		c.Find(&ks7010).Byte(s.place.Offset(), s.place.Path()).Say("%d ms and %d heartbeats since the first call, the rebalance timeout is %d ms", age, m.told, m.rebalance).
			With("age_ms", age).With("heartbeats", m.told).With("rebalance_timeout_ms", m.rebalance).Answered(27)
		m.rebalancing, m.told = 0, 0
	}
}

// noteRejoin notes that a member follows; the answer may take long.
func noteRejoin(c *Ctx) {
	s, _ := membershipOf(c)
	if m := knownMember(c, s.group, s.id); m != nil {
		m.rebalancing, m.told = 0, 0
	}
}

var ks7011 = Rule{ID: "KS7011", Title: "an expelled member goes on", Severity: Warning, Who: Client, Since: "0.9",
	Source:  "AbstractCoordinator: such errors end the generation, and mostly the member id",
	Explain: "The coordinator said that it does not know the member, its generation or epoch, or that another has taken its place. The member goes on with the same id and generation instead of joining anew; nothing that it commits counts.",
	Example: "four Heartbeats in a row, each answered UNKNOWN_MEMBER_ID",
	Needs:   Both}

// expelled counts what a member sent after it was expelled.
type expelled struct {
	code       int16
	generation int32
	chain
}

func lookExpelled(c *Ctx) {
	s, ok := membershipOf(c)
	if !ok || s.id == "" || c.Key == keyLeaveGroup {
		return
	}
	code := anyError(c)
	switch code {
	case 25, 22, 82, 110:
	default:
		if m := knownMember(c, s.group, s.id); m != nil && code == 0 {
			m.expelled = expelled{}
		}
		return
	}
	m := memberOf(c, s.group, s.id)
	if m.expelled.code != code || m.expelled.generation != s.generation {
		m.expelled = expelled{code: code, generation: s.generation}
	}
	if n := m.expelled.more(c, 0, code); n == 3 {
		c.Find(&ks7011).Byte(4, "Response").Say("%d requests with the same member id and generation %d after the first error", n, s.generation).
			With("requests", n).With("generation", s.generation).Answered(code)
	}
}
