package report

import (
	"net/netip"
	"strconv"

	"ksniff/decode/schema"
	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

// Silence is a request that should have had a response and got none.
type Silence struct {
	Packet      uint64  `json:"packet"` // that completed the request
	Connection  int     `json:"connection"`
	Ends        string  `json:"ends"` // of the connection: a ↔ b
	ClientID    string  `json:"client_id"`
	Generation  string  `json:"generation"`
	API         *string `json:"api"`
	Version     int16   `json:"version"`        // -1 where it has none
	Correlation int32   `json:"correlation_id"` // 0 of legacy ones
	Why         string  `json:"why"`
}

// mostSilences is how many are listed; frames.unanswered_requests counts all.
const mostSilences = 100

const silenceCost = 250 // bytes

var whys = [...]string{session.Closed: "the connection ended", session.EOF: "the capture ended", session.Lost: "its response was not captured",
	session.Full: "too many waited (--memory)"}

// silenceOf tells of a request; false where why is no reason to list it.
func silenceOf(c *reassembly.Conn, q *session.Request, why session.Why) (Silence, bool) {
	if int(why) >= len(whys) {
		return Silence{}, false
	}
	s := Silence{Packet: q.Packet, Generation: generationName(q.Generation), Version: q.Version, Correlation: q.CorrelationID, Why: whys[why]}
	if c != nil {
		s.Connection, s.Ends = c.ID, endsText(c)
	}
	if q.Client != nil {
		s.ClientID = q.Client.ID
	}
	name := (&api{generation: q.Generation, schema: schema.Lookup(q.Key), key: q.Key}).name()
	if name != "" {
		s.API = &name
	}
	return s, true
}

// endsText writes the two ends of a connection; the first began it, as far as that was captured.
func endsText(c *reassembly.Conn) string {
	return endText(c.Ends[0]) + " ↔ " + endText(c.Ends[1])
}

func endText(e reassembly.Endpoint) string {
	return netip.AddrPortFrom(netip.AddrFrom16(e.Addr).Unmap(), e.Port).String()
}

// silenceSheet shows the first of them.
func (r *Result) silenceSheet() sheet {
	s := sheet{title: "Requests without a response", flows: "WHY", cols: []column{{"", "PACKET", true, 0}, {"", "API", false, 0}, {"", "CLIENT", false, 0},
		{"", "CONNECTION", true, 2}, {"", "ENDS", false, 1}, {"", "WHY", false, 0}}}
	const shown = 10
	for i := range r.Silences[:min(shown, len(r.Silences))] {
		x := &r.Silences[i]
		s.rows = append(s.rows, []string{strconv.FormatUint(x.Packet, 10), orEmpty(x.API), safe(x.ClientID), strconv.Itoa(x.Connection), x.Ends, x.Why})
	}
	if n := r.Frames.Unanswered; n > shown {
		s.note = "The first " + strconv.Itoa(shown) + " of " + grouped(n) + "; -o json lists " + strconv.Itoa(len(r.Silences)) + "."
	}
	return s
}
