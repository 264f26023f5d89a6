package audit

import (
	"encoding/binary"
	"unicode/utf8"

	"ksniff/decode"
	"ksniff/decode/legacy"
	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

var ks1001 = Rule{ID: "KS1001", Title: "negative or empty frame", Severity: Error, Who: Either, Since: "0.7",
	Source:  "NetworkReceive, RequestHeader; 0.7.2 BoundedByteBufferReceive",
	Explain: "A frame begins with its length, which is never negative, and 0 only for tokens of a SASL exchange. The other side closes the connection.",
	Example: "the length ff ff ff ff",
	Needs:   Proved | NoGap}

var ks1002 = Rule{ID: "KS1002", Title: "request above the broker's limit", Severity: Warning, Most: Error, Who: Client, Since: "0.7",
	Source:  "NetworkReceive (socket.request.max.bytes); SaslServerAuthenticator (sasl.server.max.receive.size)",
	Explain: "By default brokers take requests up to 104857600 bytes, and 524288 during SASL. They close the connection of a larger one without reading it; where that is seen, it is an error.",
	Example: "the length 06 40 00 01",
	Needs:   Proved | NoGap}

const (
	maxRequest = 100 << 20 // socket.request.max.bytes
	maxToken   = 512 << 10 // sasl.server.max.receive.size
)

func lookBadLength(c *Ctx) {
	n, client := c.Event.Length, c.Event.Side == c.Conn.Side
	switch {
	case n < 0 || n == 0:
		c.Find(&ks1001).Say("a frame of length %d", n).With("length", n)
	case client && n > maxRequest:
		*tooLargeSlot.of(c.Conn) = past{c.Conn, c.Event, c.guards}
	}
}

// tooLargeSlot has the request that is above the limit, until it is known whether the broker takes it: the limit
// can be changed.
var tooLargeSlot = newLastingSlot[past]()

func lookClosedAtOnce(c *Ctx) {
	p := tooLargeSlot.seen(c.Conn)
	if p == nil || p.conn == nil {
		return
	}
	// A broker that closes without reading on sends a RST. Which side's FIN came first is not certain here: bytes of
	// the request may be missing or late.
	closed := c.Event.First && c.Event.Side != c.Conn.Side && c.Event.Ending == reassembly.Rst && c.Event.At.Time-p.event.At.Time <= 1e9
	c.again(*p, func() {
		n := p.event.Length
		f := c.Find(&ks1002).Say("a request of %d bytes, the default limit is %d", n, maxRequest).With("length", n).With("limit", maxRequest)
		if closed {
			f.Graded(Error).With("closed", true)
		}
	})
	p.conn = nil
}

// lookTokenSize looks at raw tokens and at those in SaslAuthenticate requests.
func lookTokenSize(c *Ctx) {
	if c.Kind == decode.Request && c.Length > maxToken {
		c.Find(&ks1002).Say("a SASL token of %d bytes, the default limit is %d", c.Length, maxToken).With("length", c.Length).With("limit", maxToken)
	}
}

var ks1003 = Rule{ID: "KS1003", Title: "unknown legacy request type", Severity: Error, Who: Client, Since: "0.6",
	Source:  "0.7.2 KafkaRequestHandlers.handlerFor; the 0.7 guide",
	Explain: "0.6 and 0.7 know the request types 0 to 4. The broker closes the connection.",
	Example: "type 7",
	Needs:   Start}

var ks1004 = Rule{ID: "KS1004", Title: "lengths of a legacy request do not add up", Severity: Error, Who: Client, Since: "0.6",
	Source:  "0.7.2 api/*Request.readFrom; the 0.7 guide",
	Explain: "The lengths of topic and messages must fill the frame. Where a part points past it, the broker closes the connection; what is left over it ignores, a warning.",
	Example: "a FETCH of 30 bytes with a topic of 20"}

var ks1006 = Rule{ID: "KS1006", Title: "response does not have the shape of its request's", Severity: Error, Who: Broker, Since: "0.6",
	Source:  "0.7.2 OffsetArraySend, MultiMessageSetSend",
	Explain: "The answer to OFFSETS is 6 bytes and 8 for each offset, that to MULTIFETCH is tiled by its sets. Clients pair answers by order alone: this one may belong to another request.",
	Example: "an answer to OFFSETS with count 2 and 8 bytes",
	Needs:   Start | Both | NoGap}

var ks1018 = Rule{ID: "KS1018", Title: "topic length counts characters", Severity: Error, Who: Client, Since: "0.6",
	Source:  "0.7.2 Utils.writeShortString",
	Explain: "The length of a topic is in bytes of UTF-8. Some clients write the number of characters, which is less where the topic is not ASCII.",
	Example: `"café" with the length 4`}

// lookLegacyForm looks at frames of 0.6 and 0.7 that the peer broke.
func lookLegacyForm(c *Ctx) {
	if c.Generation != session.Legacy || c.Fault.Tolerated && c.Fault.Code != decode.TrailingBytes {
		return
	}
	f := c.Fault
	if c.Kind == decode.Response {
		if refused := len(c.Body) >= 2 && binary.BigEndian.Uint16(c.Body) != 0; c.Key == legacyOffsets && !refused || c.Key == legacyMultiFetch {
			c.Find(&ks1006).Byte(f.Offset, "").Say("the answer to %s: %s", apiName(c.Generation, c.Key), f.Message()).With("fault", f.Code.String())
		}
		return
	}
	switch {
	case f.Code == decode.UnknownKey:
		c.Find(&ks1003).Byte(0, "type").Say("request type %d", c.Key).With("type", c.Key)
	case f.Code == decode.BadCount:
		c.Find(&ks1022).Byte(f.Offset, "count").Say("count %d", f.Have).With("count", f.Have)
	case f.Code == decode.NullNotAllowed:
		c.Find(&ks1017).Byte(f.Offset, "topic").Say("topic length %d", f.Have).With("length", f.Have)
	case countsCharacters(c.Key, c.Body):
		c.Find(&ks1018).Byte(2, "topic").Say("the lengths add up if the topic's is read as a number of characters").With("fault", f.Code.String())
	case f.Code == decode.TrailingBytes:
		c.Find(&ks1004).Graded(Warning).Byte(f.Offset, "").Say("%d bytes are left over", f.Have).With("left_over", f.Have)
	case f.Code == decode.Truncated || f.Code == decode.BadLength:
		c.Find(&ks1004).Byte(f.Offset, "").Say("%s", f.Message()).With("needed", f.Need).With("had", f.Have)
	}
}

// countsCharacters says whether a PRODUCE or FETCH request adds up if the length of its topic counts
// characters of UTF-8.
func countsCharacters(typ int16, b []byte) bool {
	if typ != legacyProduce && typ != legacyFetch && typ != legacyOffsets || len(b) < 4 {
		return false
	}
	at, ascii := 4, true
	for range int(int16(binary.BigEndian.Uint16(b[2:]))) {
		r, n := utf8.DecodeRune(b[at:])
		if n == 0 || r == utf8.RuneError {
			return false
		}
		ascii = ascii && n == 1
		at += n
	}
	switch rest := b[at:]; {
	case ascii:
		return false
	case typ == legacyProduce:
		return len(rest) >= 8 && int(int32(binary.BigEndian.Uint32(rest[4:]))) == len(rest)-8
	default:
		return len(rest) == 16
	}
}

var ks1005 = Rule{ID: "KS1005", Title: "response to PRODUCE", Severity: Error, Who: Broker, Since: "0.6",
	Source:  "0.7.2 KafkaRequestHandlers; the 0.7 guide",
	Explain: "PRODUCE and MULTIPRODUCE have no answer, and no other request waits for one. The client will take this frame for the answer to its next request.",
	Example: "a frame of the broker after a PRODUCE",
	Needs:   Start | Both | NoGap | Apache}

func lookLegacyUnmatched(c *Ctx) {
	if c.Generation == session.Legacy && c.Conn.Requests > 0 {
		c.Find(&ks1005).Byte(0, "").Say("a frame of %d bytes while no request waits for one", c.Length).With("length", c.Length)
	}
}

var ks1007 = Rule{ID: "KS1007", Title: "connection closed after PRODUCE", Severity: Warning, Who: Client, Since: "0.6",
	Source:  "0.7.2 KafkaRequestHandlers rethrows, SocketServer closes",
	Explain: "The broker closed the connection within a second of a PRODUCE. It does that where it refuses it (wrong partition, topic, checksum, codec): the messages are lost, and nothing tells the client.",
	Example: "a PRODUCE with a wrong checksum, then a FIN of the broker",
	Needs:   Start | NoGap}

// produced is the latest request of a legacy connection.
type produced struct {
	time    int64
	packet  uint64
	produce bool
}

var producedSlot = newConnSlot[produced]()

func lookLastProduce(c *Ctx) {
	lookBrokersThatClosed(c)
	*producedSlot.of(c.Conn) = produced{c.Last.Time, c.Last.Packet, c.Key == legacyProduce || c.Key == legacyMultiProduce}
}

// closes remembers when brokers closed connections, and which of these closings, after a PRODUCE, are not reported
// yet: a broker that goes down closes several.
type closes struct {
	brokers bounded[reassembly.Endpoint, brokerClosed]
	waiting int
}

type brokerClosed struct {
	time  int64 // of the latest
	after produced
	past  past // conn is nil where nothing waits
}

var closesSlot = newAuditSlot[closes]()

func lookClosedAfterProduce(c *Ctx) {
	k := c.Conn
	if k.Side < 0 || c.Event.Side == k.Side {
		if p := producedSlot.seen(k); p != nil {
			p.produce = false // the client closed it
		}
		return
	}
	if c.Event.Ending != reassembly.Fin && (c.Event.Ending != reassembly.Rst || !c.Event.First) || k.Broker == nil {
		return
	}
	lookBrokersThatClosed(c)
	all := closesSlot.of(c)
	b := all.brokers.at(k.Broker.End, maxBrokers)
	together := b.time != 0 && c.Event.At.Time-b.time < 1e9
	b.time = c.Event.At.Time
	if together {
		all.drop(b)
		return
	}
	p := producedSlot.seen(k)
	if p == nil || !p.produce {
		return
	}
	if delay := c.Event.At.Time - p.time; delay >= 0 && delay <= 1e9 {
		b.after, b.past = *p, c.past()
		all.waiting++
	}
}

func (a *closes) drop(b *brokerClosed) {
	if b.past.conn != nil {
		b.past.conn = nil
		a.waiting--
	}
}

// lookBrokersThatClosed reports the closings that were no end of the broker, as far as that is clear by now.
func lookBrokersThatClosed(c *Ctx) {
	all := closesSlot.of(c)
	if all.waiting == 0 {
		return
	}
	for _, end := range all.brokers.order {
		b := all.brokers.get(end)
		if b == nil || b.past.conn == nil || c.Conn != nil && c.Now().Time-b.time < 1e9 {
			continue
		}
		delay := b.time - b.after.time
		c.again(b.past, func() {
			c.Find(&ks1007).Say("the broker closed the connection %d ms after the PRODUCE of packet %d", delay/1e6, b.after.packet).
				With("delay_ms", delay/1e6).With("request_packet", b.after.packet)
		})
		all.drop(b)
	}
}

// eachPart goes through the parts of a legacy frame.
func eachPart(kind decode.Kind, typ int16, body []byte, do func(i int, p *legacy.Part)) *legacy.View {
	v := &legacy.View{}
	v.Begin(kind, typ, len(body))
	for i, at := 0, 0; ; i++ {
		n, _, state := v.Next(body[min(at, len(body)):])
		if at += n; state != legacy.Entry {
			return v
		}
		do(i, &v.Part)
		at += max(v.Part.SetSize, 0)
	}
}
