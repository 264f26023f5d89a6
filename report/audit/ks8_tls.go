package audit

import (
	"encoding/binary"
	"fmt"

	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

var ks8013 = Rule{ID: "KS8013", Title: "old TLS", Severity: Warning, Who: Either, Since: "0.9",
	Source:  "KIP-553; SslConfigs: TLSv1.2 and TLSv1.3",
	Explain: "Client and server agreed on TLS 1.1 or older, or on a cipher suite without encryption or with a broken one (NULL, export, DES, 3DES, RC4). Brokers of today refuse these by default.",
	Example: "a ServerHello with version 0301, or with suite 000a"}

var ks8014 = Rule{ID: "KS8014", Title: "TLS and plaintext mixed up", Severity: Warning, Who: Client, Since: "0.9",
	Source:  "security.protocol and the listener's differ",
	Explain: "The client speaks TLS to a port that speaks plain Kafka, or plain Kafka to a port that speaks TLS. The one is closed without a word, the other answered by an alert. Compare security.protocol and the port with the broker's listeners.",
	Example: "a ClientHello to a PLAINTEXT listener"}

// hello is what the beginning of a TLS connection says.
type hello struct {
	client   int // side that sent a ClientHello, plus 1
	answered bool
}

var helloSlot = newLastingSlot[hello]()

func lookHellos(c *Ctx) {
	if c.Conn.Speaks != session.TLS {
		return
	}
	for side := range c.Event.Sides {
		w := &c.Event.Sides[side]
		if !w.Start || len(w.Bytes) < 6 || w.Bytes[0] != 22 {
			continue
		}
		switch w.Bytes[5] {
		case 1:
			o := &c.Event.Sides[1-side]
			*helloSlot.of(c.Conn) = hello{client: side + 1, answered: o.Seen > 0}
		case 2:
			lookServerHello(c, w)
		}
	}
}

// lookServerHello reads what the server chose: record and handshake heads, version, random, session id, suite.
func lookServerHello(c *Ctx, w *reassembly.Window) {
	const fixed = 5 + 4
	b := w.Bytes
	if len(b) < fixed+2+32+1 {
		return
	}
	version, id := binary.BigEndian.Uint16(b[fixed:]), int(b[fixed+34])
	if len(b) < fixed+35+id+2 {
		return
	}
	suite := binary.BigEndian.Uint16(b[fixed+35+id:])
	weak := weakSuite(suite)
	if version > 0x0302 && weak == "" {
		return
	}
	c.Event.At = w.First(0)
	f := c.Find(&ks8013)
	if weak == "" {
		f.Say("the server chose %s", tlsName(version))
	} else {
		f.Say("the server chose %s and suite %04x (%s)", tlsName(version), suite, weak)
	}
	f.By(Broker).With("version", tlsName(version)).With("suite", fmt.Sprintf("%04x", suite))
}

func tlsName(version uint16) string {
	switch version {
	case 0x0300:
		return "SSL 3.0"
	case 0x0301, 0x0302, 0x0303:
		return fmt.Sprintf("TLS 1.%d", version-0x0301)
	}
	return fmt.Sprintf("%04x", version)
}

// weakSuites are the cipher suites that protect badly or not at all, by what is wrong (IANA's registry).
var weakSuites = map[string][]uint16{
	"no encryption": {0x0000, 0x0001, 0x0002, 0x002c, 0x002d, 0x002e, 0x003b, 0x00b0, 0x00b1, 0x00b4, 0x00b5, 0x00b8, 0x00b9,
		0xc001, 0xc006, 0xc00b, 0xc010, 0xc015, 0xc039, 0xc03a, 0xc03b},
	"export": {0x0003, 0x0006, 0x0008, 0x000b, 0x000e, 0x0011, 0x0014, 0x0017, 0x0019, 0x0026, 0x0027, 0x0028, 0x0029, 0x002a, 0x002b},
	"DES":    {0x0009, 0x000c, 0x000f, 0x0012, 0x0015, 0x001a, 0x001e, 0x0022},
	"3DES": {0x000a, 0x000d, 0x0010, 0x0013, 0x0016, 0x001b, 0x001f, 0x0023, 0x008b, 0x008f, 0x0093, 0xc003, 0xc008, 0xc00d, 0xc012, 0xc017,
		0xc01a, 0xc01b, 0xc01c, 0xc034},
	"RC4": {0x0004, 0x0005, 0x0018, 0x0020, 0x0024, 0x008a, 0x008e, 0x0092, 0xc002, 0xc007, 0xc00c, 0xc011, 0xc016, 0xc033},
}

func weakSuite(suite uint16) string {
	for why, list := range weakSuites {
		for _, s := range list {
			if s == suite {
				return why
			}
		}
	}
	return ""
}

// lookHelloRefused: the broker ends a connection that began with a ClientHello, without an answer.
func lookHelloRefused(c *Ctx) {
	h := helloSlot.seen(c.Conn)
	if h == nil || h.client == 0 || h.answered || c.Event.Side == h.client-1 || !c.Event.First {
		return
	}
	end := c.Conn.TCP.Ends[c.Event.Side]
	if c.Event.Ending != reassembly.Fin && c.Event.Ending != reassembly.Rst {
		return
	}
	if c.Audit.brokers.get(end) == nil {
		refusedHellos.of(c).at(end, maxBrokers).add(c.witness())
		return
	}
	helloRefused(c, end)
}

// refusedHellos are those that were closed on, where it is not known that the port speaks plain Kafka.
var refusedHellos = newAuditSlot[bounded[reassembly.Endpoint, waits]]()

// lookPlainPort looks at them, once it is.
func lookPlainPort(c *Ctx) {
	if c.Conn.Speaks != session.Kafka || c.Conn.Broker == nil {
		return
	}
	end := c.Conn.Broker.End
	w := refusedHellos.of(c).get(end)
	if w == nil {
		return
	}
	for i := range w.list {
		c.recall(&w.list[i], func() { helloRefused(c, end) })
	}
	refusedHellos.of(c).drop(end)
}

func helloRefused(c *Ctx, end reassembly.Endpoint) {
	c.Find(&ks8014).By(Client).Say("a ClientHello, and the broker closed; its port %d speaks plain Kafka on other connections", end.Port).
		With("first_bytes", "TLS ClientHello").With("port", end.Port)
}

// lookAlert: where a response should begin, its length has the form of a TLS alert.
func lookAlert(c *Ctx) {
	if c.Event.Side == c.Conn.Side || uint32(c.Event.Length)>>16 != 0x1503 || c.Conn.Side < 0 {
		return
	}
	c.Find(&ks8014).By(Client).Say("requests are answered by a TLS alert: the port speaks TLS").With("first_bytes", fmt.Sprintf("%08x", uint32(c.Event.Length)))
}

var ks8009 = Rule{ID: "KS8009", Title: "the first packet is a GSSAPI token", Severity: Warning, Who: Client, Since: "0.9",
	Source:  "SaslServerAuthenticator: clients of 0.9 send no SaslHandshake",
	Explain: "The client speaks SASL as 0.9 did: it begins with the Kerberos token. Brokers since 4.0 do not take it, and no other mechanism works this way.",
	Example: "a frame that begins with byte 60 as the first one to a broker",
	// S is looked at where the window begins.
}

// lookGSSAPI looks for a token in a frame as the first thing that is sent to a broker: 0x60, a DER length
// that fits the frame's, and an OID.
func lookGSSAPI(c *Ctx) {
	for side := range c.Event.Sides {
		w := &c.Event.Sides[side]
		if !w.Start || !gssToken(w.Bytes) || c.Audit.brokers.get(c.Conn.TCP.Ends[1-side]) == nil {
			continue
		}
		c.Event.At, c.Event.Side = w.First(0), side
		c.Find(&ks8009).Say("the connection begins with a GSSAPI token of %d bytes", binary.BigEndian.Uint32(w.Bytes)).
			With("length", binary.BigEndian.Uint32(w.Bytes))
	}
}

func gssToken(b []byte) bool {
	if len(b) < 12 || b[4] != 0x60 {
		return false
	}
	length := int(binary.BigEndian.Uint32(b))
	head, content := 2, int(b[5])
	if b[5] > 0x80 && b[5] <= 0x83 {
		n := int(b[5] - 0x80)
		head, content = 2+n, 0
		for _, x := range b[6 : 6+n] {
			content = content<<8 | int(x)
		}
	}
	return length == head+content && length <= 512<<10 && len(b) > 4+head && b[4+head] == 6
}
