package audit

import (
	"slices"

	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

var ks7012 = Rule{ID: "KS7012", Title: "too many short connections", Severity: Warning, Who: Client, Since: "0.8",
	Source:  "reconnect.backoff.ms",
	Explain: "The client opened more than ten connections to the broker within a minute, and most lasted less than ten seconds. Each costs a handshake, with TLS and SASL much time. Keep connections open, and wait before connecting again.",
	Example: "a client that connects for each message",
	Needs:   Start}

// clientAndBroker are the ends of connections.
type clientAndBroker struct {
	client *session.Client
	broker reassembly.Endpoint
}

// lives are the latest connections: when they began, and how long they lasted.
type lives struct {
	began, lasted [11]int64
	n             int
}

var livesSlot = newAuditSlot[bounded[clientAndBroker, lives]]()

func lookConnectionStorm(c *Ctx) {
	k := c.Conn
	if k.Client == nil || k.Broker == nil || c.guards&Start == 0 || k.First == noTime || k.Last == noTime {
		return
	}
	l := livesSlot.of(c).at(clientAndBroker{k.Client, k.Broker.End}, maxClients)
	at := l.n % len(l.began)
	l.began[at], l.lasted[at] = k.First, max(k.Last, k.Ended)-k.First
	l.n++
	if l.n < len(l.began) {
		return
	}
	first, last := slices.Min(l.began[:]), slices.Max(l.began[:])
	sorted := l.lasted
	slices.Sort(sorted[:])
	if median := sorted[len(sorted)/2]; last-first < 60e9 && median < 10e9 {
		c.Find(&ks7012).Say("%d connections within %d ms, the median of their lives is %d ms", len(l.began), ms(first, last), ms(0, median)).
			With("connections", len(l.began)).With("within_ms", ms(first, last)).With("median_life_ms", ms(0, median))
		l.n = 0
	}
}

var ks7013 = Rule{ID: "KS7013", Title: "the client gives up waiting", Severity: Warning, Who: Client, Since: "0.8",
	Source:  "request.timeout.ms",
	Explain: "The client closed connections on which requests waited, each time about the same age: its request timeout. The broker is too slow for it, or the answers do not arrive.",
	Example: "three connections that the client closes 30 s after a request that was not answered",
	Needs:   Start | Both}

// ages are those of the latest requests that clients gave up, ms.
type ages struct {
	list [3]int64
	n    int
}

var agesSlot = newAuditSlot[bounded[*session.Client, ages]]()

// lookTimeouts counts requests that waited for a second and more than the wait that they asked for.
func lookTimeouts(c *Ctx) {
	k := c.Conn
	if c.Event.Side != k.Side || !c.Event.First || c.Event.Ending != reassembly.Fin && c.Event.Ending != reassembly.Rst ||
		k.Client == nil || len(k.out) == 0 || c.guards&(Start|Both) != Start|Both || unknownTime(c.Event.At) {
		return
	}
	r := k.out[0].req
	age := ms(r.Time, c.Event.At.Time)
	if r.Unseen || k.out[0].gaps != k.Gaps { // not known when it was sent, or when the end came
		return
	}
	if age < 1000+int64(max(r.MaxWait, 0)) {
		return
	}
	a := agesSlot.of(c).at(k.Client, maxClients)
	a.list[a.n%len(a.list)] = age
	if a.n++; a.n < len(a.list) {
		return
	}
	least, most := slices.Min(a.list[:]), slices.Max(a.list[:])
	if most-least <= most/20 {
		c.Find(&ks7013).Say("the oldest request (%s) waited for %d ms; the two before waited as long", apiName(r.Generation, r.Key), age).
			With("ages_ms", a.list[:]).With("api", apiName(r.Generation, r.Key))
		a.n = 0
	}
}
