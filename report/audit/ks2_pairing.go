package audit

import "ksniff/decode"

var ks2005 = Rule{ID: "KS2005", Title: "response without request", Severity: Error, Who: Broker, Since: "0.8",
	Source:  "protocol guide; NetworkClient.parseResponse",
	Explain: "The correlation id of the response is not that of a request that waits for one. Clients that check it close the connection; others take the answer for that of another request.",
	Example: "a response with correlation id 8 while only request 7 waits",
	Needs:   Proved | Both | NoGap | Apache}

// silentIDs are the correlation ids of the latest requests that get no answer (acks=0).
type silentIDs struct {
	ids  [64]int32
	next int
	n    int
}

var silentSlot = newLastingSlot[silentIDs]()

func (s *silentIDs) add(id int32) {
	s.ids[s.next] = id
	s.next = (s.next + 1) % len(s.ids)
	s.n = min(s.n+1, len(s.ids))
}

func (s *silentIDs) has(id int32) bool {
	if s == nil {
		return false
	}
	for _, have := range s.ids[:s.n] {
		if have == id {
			return true
		}
	}
	return false
}

// garbledSlot has the ids of requests that could not be read: it is not known whether they get an answer.
var garbledSlot = newLastingSlot[silentIDs]()

// noteGarbled forgets what faulty requests may have changed.
func noteGarbled(c *Ctx) {
	switch {
	case c.Kind != decode.Request || !c.HasHeader:
	case c.Key == keyProduce:
		garbledSlot.of(c.Conn).add(c.CorrelationID)
	default:
		sessionsSlot.drop(c.Conn)
	}
}

// lookSilent remembers requests that get no answer.
func lookSilent(c *Ctx) {
	if r := c.Request(); r != nil && r.Silent {
		silentSlot.of(c.Conn).add(r.CorrelationID)
	}
}

func lookUnmatched(c *Ctx) {
	if !c.HasHeader || c.Conn.Requests == 0 || silentSlot.seen(c.Conn).has(c.CorrelationID) || garbledSlot.seen(c.Conn).has(c.CorrelationID) { // KS4002
		return
	}
	f := c.Find(&ks2005).Byte(0, "ResponseHeader.CorrelationId").
		Say("no request with correlation id %d waits for a response; %d others do", c.CorrelationID, c.Outstanding()).
		With("outstanding", c.outstandingIDs())
	if c.Inferred && c.API != nil {
		f.With("looks_like", c.API.Name)
	}
}

// outstandingIDs are the correlation ids of the oldest requests that wait, 16 at most.
func (c *Ctx) outstandingIDs() []int32 {
	ids := []int32{}
	for _, k := range c.Conn.out[:min(len(c.Conn.out), 16)] {
		ids = append(ids, k.req.CorrelationID)
	}
	return ids
}

var ks2006 = Rule{ID: "KS2006", Title: "responses out of order", Severity: Error, Who: Broker, Since: "0.8",
	Source:  "protocol guide: the order is guaranteed; SocketServer mutes the channel",
	Explain: "A broker answers the requests of a connection in their order, one after the other. An older request still waits, so it was passed over or answered late. Clients that pair by order give the answer to the wrong request.",
	Example: "requests 7 and 8, of which 8 is answered first",
	Needs:   Proved | Both | NoGap | Apache}

func lookOrder(c *Ctx) {
	oldest := c.Conn.out
	if len(oldest) == 0 || c.kept == nil || oldest[0] == c.kept || oldest[0].passed {
		return
	}
	for oldest[0].gaps != c.Conn.Gaps { // it may have been answered where bytes are missing
		if oldest = oldest[1:]; len(oldest) == 0 || oldest[0] == c.kept || oldest[0].passed {
			return
		}
	}
	expected := oldest[0].req
	for c.unknownToBroker(expected.Key) { // 0.9 passes over an API that it does not know
		if oldest = oldest[1:]; len(oldest) == 0 || oldest[0] == c.kept {
			return
		}
		expected = oldest[0].req
	}
	for _, k := range oldest {
		if k == c.kept {
			break
		}
		k.passed = true
	}
	c.Find(&ks2006).Byte(0, "ResponseHeader.CorrelationId").
		Say("correlation id %d is answered while the older request %d of packet %d waits", c.CorrelationID, expected.CorrelationID, expected.Packet).
		With("expected", expected.CorrelationID).With("got", c.CorrelationID).With("older_request_packet", expected.Packet)
}

// unknownToBroker says that the broker may not know an API: it does not offer it or, where it offers
// nothing, is too old for it.
func (c *Ctx) unknownToBroker(key int16) bool {
	v, ok := c.Offer().Versions(key)
	return ok && v.Empty() || !ok && key > keyListGroups
}

var ks2007 = Rule{ID: "KS2007", Title: "correlation id reused in flight", Severity: Warning, Who: Client, Since: "0.8",
	Source:  "protocol guide: the id is only echoed; that it is unique is in the client's interest",
	Explain: "Two requests with the same correlation id wait for their answers at the same time. Only the order tells the answers apart.",
	Example: "every request has correlation id 0, and two are in flight",
	Needs:   Proved | Both | NoGap}

func lookReusedID(c *Ctx) {
	if r := c.Request(); r == nil || r.Silent || c.CorrelationID > c.Conn.highest {
		return
	}
	for _, k := range c.Conn.out {
		if k.req.CorrelationID == c.CorrelationID && !k.req.Silent && k.gaps == c.Conn.Gaps {
			c.Find(&ks2007).Byte(4, "RequestHeader.CorrelationId").
				Say("the request of packet %d waits with the same correlation id %d", k.packet, c.CorrelationID).
				With("other_request_packet", k.packet)
			return
		}
	}
}
