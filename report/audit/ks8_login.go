package audit

import (
	"bytes"
	"strings"

	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

// login is how far a connection is with SASL.
type login struct {
	mechanism  string // of the latest handshake that the broker took
	asked      string // of the one that waits for its answer
	version    int16  // of the handshake
	handshakes int    // taken
	rounds     int    // SaslAuthenticate answered without error, since the handshake
	over       bool   // certainly: something was answered, or only follows, after the login
	versions   bool   // ApiVersions was answered without error
	business   bool   // something else than ApiVersions and SASL was sent
	first      uint64 // packet of the first such request
	told       bool   // KS8005 was
	refused    bool
	tokens     int // raw ones of the client
	iterations bool
	ends       int64 // when the session that was granted ends, 0: never
	granted    int64 // its lifetime, ms
}

var loginSlot = newConnSlot[login]()

// listeners are brokers' endpoints where a SASL handshake was taken.
var listeners = newAuditSlot[bounded[reassembly.Endpoint, struct{}]]()

// doors are the first requests that brokers did not answer, where it is not known that they want a login.
var doors = newAuditSlot[bounded[reassembly.Endpoint, waits]]()

// inClear says that the frame was not encrypted on the wire.
func inClear(c *Ctx) bool { return c.Conn.Speaks == session.Kafka }

// noteLoginRequest notes a request that is no part of a login. What follows need not be looked at, unless the
// session ends some time.
func noteLoginRequest(c *Ctx) {
	switch c.Key {
	case keyApiVersions, keySaslAuthenticate, keySaslHandshake:
		return
	}
	l := loginSlot.of(c.Conn)
	if r := c.Request(); !l.business && r != nil {
		l.first = r.Packet
	}
	if l.business = true; l.ends == 0 {
		c.Conn.marks &^= atDoor
	}
}

// noteMechanism notes which mechanism is asked for.
func noteMechanism(c *Ctx) {
	loginSlot.of(c.Conn).asked = clone(c.Req().Body().Field("Mechanism").String())
}

// noteLogin notes what the broker answered.
func noteLogin(c *Ctx) {
	l := loginSlot.of(c.Conn)
	switch c.Key {
	case keyApiVersions:
		l.versions = l.versions || c.ErrorCode == 0
	case keySaslHandshake:
		if c.ErrorCode != 0 {
			l.refused = true
			return
		}
		l.mechanism, l.version, l.rounds, l.over, l.iterations = l.asked, c.Version, 0, false, false
		l.handshakes++
		if c.Conn.Broker != nil {
			listeners.of(c).at(c.Conn.Broker.End, maxBrokers)
			openDoors(c, c.Conn.Broker.End)
		}
	case keySaslAuthenticate:
		if c.ErrorCode != 0 {
			l.refused = true
			return
		}
		l.rounds++
		if final := bytes.HasPrefix(c.Resp().Body().Field("AuthBytes").Bytes(), []byte("v=")); final || !l.scram() {
			l.over = true
		}
		if lifetime := c.Resp().Body().Field("SessionLifetimeMs").Int(); c.Version >= 1 {
			l.ends, l.granted = 0, lifetime
			if lifetime > 0 && lifetime < 1<<40 && !unknownTime(c.Last) {
				l.ends = c.Last.Time + lifetime*1e6
				c.Conn.marks |= atDoor
			}
		}
	}
}

func (l *login) scram() bool { return strings.HasPrefix(l.mechanism, "SCRAM-") }

// pending says that a login with SaslAuthenticate is certainly not over yet.
func (l *login) pending() bool { return l.handshakes == 1 && l.version >= 1 && !l.over && !l.refused }

var ks8005 = Rule{ID: "KS8005", Title: "request before authentication", Severity: Error, Who: Client, Since: "0.10",
	Source:  "SaslServerAuthenticator.handleKafkaRequest",
	Explain: "The listener asks for SASL, as another connection to it shows, and this client begins with another request than ApiVersions or SaslHandshake. The broker closes the connection. Set security.protocol.",
	Example: "Metadata as the first request on a SASL_PLAINTEXT listener",
	Needs:   Start | NoGap}

var ks8004 = Rule{ID: "KS8004", Title: "neither TLS nor SASL", Severity: Info, Who: Either, Since: "0.8",
	Source:  "security.protocol=PLAINTEXT",
	Explain: "Everybody on the network can read what is sent, and can do what this client does.",
	Example: "Metadata as the first request on a connection between two hosts",
	Needs:   Start | NoGap, Once: PerClient}

// lookOpenDoor looks at the first request that is no part of a login.
func lookOpenDoor(c *Ctx) {
	switch c.Key {
	case keyApiVersions, keySaslHandshake, keySaslAuthenticate:
		return
	}
	l := loginSlot.of(c.Conn)
	if l.business || l.handshakes > 0 || l.asked != "" || c.Conn.Broker == nil {
		return
	}
	broker := c.Conn.Broker.End
	if listeners.of(c).get(broker) != nil {
		l.told = true
		beforeLogin(c, broker)
		return
	}
	if inClear(c) && !loopback(broker.Addr) && !loopback(c.Conn.TCP.Ends[c.Side].Addr) {
		c.Find(&ks8004).Byte(0, "").Say("no TLS and no SASL between %s and %s", addrText(c.Conn.TCP.Ends[c.Side].Addr), addrText(broker.Addr)).With("port", broker.Port)
	}
}

func beforeLogin(c *Ctx, broker reassembly.Endpoint) {
	r := c.Request()
	c.Find(&ks8005).Byte(0, "RequestHeader.RequestApiKey").Say("%s before authentication, on a listener where others authenticate", apiName(r.Generation, r.Key)).
		With("listener", addrText(broker.Addr)).With("port", broker.Port)
}

// lookDoor looks at a first request that was not answered: others may authenticate later.
func lookDoor(c *Ctx) {
	l, b := loginSlot.seen(c.Conn), c.Conn.Broker
	if l == nil || b == nil || l.told || l.handshakes > 0 || l.first != c.Request().Packet || c.Event.Why != session.Closed && c.Event.Why != session.Lost {
		return
	}
	if c.Conn.Gaps == 0 {
		c.guards |= NoGap // a broker that closes at once says nothing that could be lost
	}
	if listeners.of(c).get(b.End) != nil {
		beforeLogin(c, b.End)
		return
	}
	doors.of(c).at(b.End, maxBrokers).add(c.witness())
}

// openDoors looks at what a broker did not answer, once it is known that it wants a login.
func openDoors(c *Ctx, broker reassembly.Endpoint) {
	w := doors.of(c).get(broker)
	if w == nil {
		return
	}
	for i := range w.list {
		c.recall(&w.list[i], func() { beforeLogin(c, broker) })
	}
	doors.of(c).drop(broker)
}

func loopback(a [16]byte) bool {
	v4 := [12]byte{10: 0xff, 11: 0xff}
	return [12]byte(a[:12]) == v4 && a[12] == 127 || a == [16]byte{15: 1}
}

var ks8006 = Rule{ID: "KS8006", Title: "ApiVersions at the wrong moment of a login", Severity: Error, Who: Client, Since: "0.10",
	Source:  "SaslServerAuthenticator.handleApiVersionsRequest",
	Explain: "On a SASL listener ApiVersions comes at most once with success, and before SaslHandshake. At another moment the broker closes the connection.",
	Example: "SaslHandshake, ApiVersions, SaslAuthenticate",
	Needs:   Start | Both | NoGap}

var ks8007 = Rule{ID: "KS8007", Title: "another request during a login", Severity: Error, Who: Client, Since: "1.0",
	Source:  "SaslServerAuthenticator.handleSaslToken",
	Explain: "After SaslHandshake 1 only SaslAuthenticate may follow, until the broker has answered the last token. The broker answers ILLEGAL_SASL_STATE, or closes the connection.",
	Example: "SaslHandshake 1, Metadata",
	Needs:   Start | Both | NoGap}

func lookDuringLogin(c *Ctx) {
	l := loginSlot.seen(c.Conn)
	if l == nil || c.Key == keySaslAuthenticate || l.business {
		return
	}
	switch {
	case c.Key == keyApiVersions && l.handshakes == 1 && l.rounds == 0 && !l.over && !l.refused && l.tokens == 0:
		c.Find(&ks8006).Byte(0, "RequestHeader.RequestApiKey").Say("ApiVersions after SaslHandshake, before the login is over")
	case c.Key == keyApiVersions && l.pending():
		c.Find(&ks8006).Byte(0, "RequestHeader.RequestApiKey").Say("ApiVersions in the middle of a login")
	case c.Key == keyApiVersions:
		if l.versions && l.handshakes == 0 && !l.refused && c.Conn.Broker != nil && listeners.of(c).get(c.Conn.Broker.End) != nil {
			c.Find(&ks8006).Byte(0, "RequestHeader.RequestApiKey").Say("a second ApiVersions after one that was answered, on a listener with SASL")
		}
	case l.pending():
		c.Find(&ks8007).Byte(0, "RequestHeader.RequestApiKey").Say("%s after SaslHandshake %d, before the login is over", apiName(c.Generation, c.Key), l.version).
			With("mechanism", l.mechanism)
	}
}

var ks8008 = Rule{ID: "KS8008", Title: "SaslHandshake 0: raw tokens", Severity: Warning, Who: Client, Since: "0.10",
	Source:  "KIP-152",
	Explain: "After version 0 the tokens go without Kafka's headers, and a broker that refuses them only closes the connection: the client cannot tell a wrong password from a network fault. Version 1 is in brokers since 1.0.",
	Example: "SaslHandshake 0 with PLAIN",
	Once:    PerClient}

var ks8011 = Rule{ID: "KS8011", Title: "the next login has another mechanism", Severity: Error, Who: Client, Since: "2.2",
	Source:  "KIP-368; SaslServerAuthenticator.ReauthInfo.saslMechanismUnchanged",
	Explain: "A connection authenticates again with the mechanism of its first login. The broker refuses another and closes the connection.",
	Example: "SaslHandshake with PLAIN, and later on the same connection with SCRAM-SHA-256",
	Needs:   Start}

func lookHandshake(c *Ctx) {
	mechanism := c.Req().Body().Field("Mechanism")
	if c.Version == 0 {
		c.Find(&ks8008).Byte(2, "RequestHeader.RequestApiVersion").Say("SaslHandshake 0 with %q", mechanism.String()).With("mechanism", clone(mechanism.String()))
	}
	if l := loginSlot.of(c.Conn); l.handshakes > 0 && l.over && mechanism.String() != l.mechanism {
		c.Find(&ks8011).Place(mechanism).Say("%q after %q", mechanism.String(), l.mechanism).With("first", l.mechanism).With("then", clone(mechanism.String()))
	}
}

var ks8010 = Rule{ID: "KS8010", Title: "the session went on after its end", Severity: Error, Who: Client, Since: "2.2",
	Source:  "KIP-368; KafkaChannel.serverAuthenticationSessionExpired",
	Explain: "SaslAuthenticate granted a session for a time (SessionLifetimeMs), and the client sends a request after it without authenticating again. The broker closes the connection.",
	Example: "SessionLifetimeMs 3600000, and a Fetch 3700 s later on the same connection",
	Needs:   Start | Both}

// grace is how much later than allowed a request may come, in ns.
const grace = 1e9

func lookOutlived(c *Ctx) {
	l := loginSlot.seen(c.Conn)
	if l == nil || l.ends == 0 || c.Key == keySaslHandshake || c.Key == keySaslAuthenticate || unknownTime(c.First) {
		return
	}
	if over := c.First.Time - l.ends; over > grace {
		c.Find(&ks8010).Byte(0, "RequestHeader.RequestApiKey").Say("%d ms after the end of a session of %d ms", over/1e6, l.granted).
			With("over_ms", over/1e6).With("lifetime_ms", l.granted)
		l.ends = 0
	}
}
