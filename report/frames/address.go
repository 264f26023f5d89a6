package frames

import (
	"net/netip"
	"strconv"

	"ksniff/decode"
	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

// appendEndpoint appends ip:port, IPv6 in brackets.
func appendEndpoint(b []byte, e reassembly.Endpoint) []byte {
	if a := &e.Addr; [12]byte(a[:12]) == [12]byte{10: 0xff, 11: 0xff} {
		for i := range 4 {
			if i > 0 {
				b = append(b, '.')
			}
			b = strconv.AppendUint(b, uint64(a[12+i]), 10)
		}
	} else {
		b = append(netip.AddrFrom16(e.Addr).AppendTo(append(b, '[')), ']')
	}
	return strconv.AppendUint(append(b, ':'), uint64(e.Port), 10)
}

// connections keeps the texts of connections that were seen lately.
type connections [128]connTexts

// connTexts are the parts of lines that hardly change within a connection.
type connTexts struct {
	conn *reassembly.Conn
	ends [2][]byte
	said [2]said
	// JSON of the client, from its name to the length of the frame.
	client     *session.Client
	clientText []byte
}

// said is the JSON of lines from one side, from the connection to the correlation id: nearly all frames of a
// connection are of one API.
type said struct {
	text         []byte // begins with that of the ends
	ends         int    // length of that, 0: nothing is there
	name         string
	key, version int16
	generation   session.Generation
	kind         decode.Kind
	token        bool
}

// of gives the texts of a connection.
func (c *connections) of(conn *reassembly.Conn) *connTexts {
	slot := &c[uint(conn.ID)%uint(len(c))]
	if slot.conn != conn {
		slot.conn, slot.client, slot.clientText = conn, nil, slot.clientText[:0]
		for i := range slot.ends {
			slot.ends[i] = appendEndpoint(slot.ends[i][:0], conn.Ends[i])
			slot.said[i].ends = 0
		}
	}
	return slot
}

// prefix is the JSON of a line up to the correlation id.
func (c *connTexts) prefix(l *line) []byte {
	t := &c.said[l.side&1]
	if t.ends > 0 && t.key == l.key && t.version == l.version && t.kind == l.kind && t.generation == l.generation && t.token == l.token && t.name == l.name {
		return t.text
	}
	if t.ends == 0 {
		b := strconv.AppendInt(append(t.text[:0], `,"connection":`...), int64(c.conn.ID), 10)
		b = append(append(b, `,"src":"`...), c.ends[l.side]...)
		t.text = append(append(append(b, `","dst":"`...), c.ends[1-l.side]...), `","kind":"`...)
		t.ends = len(t.text)
	}
	t.key, t.version, t.generation, t.kind, t.token, t.name = l.key, l.version, l.generation, l.kind, l.token, l.name
	b := append(t.text[:t.ends], l.kind.String()...)
	b = append(append(b, `","generation":"`...), generation(l.generation)...)
	b = append(b, `","api":`...)
	if l.name == "" {
		b = append(b, "null"...)
	} else {
		b = append(append(append(b, '"'), l.name...), '"')
	}
	b = appendNumber(append(b, `,"key":`...), int64(l.key), l.key >= 0 && !l.token)
	b = appendNumber(append(b, `,"version":`...), int64(l.version), l.version >= 0)
	t.text = append(b, `,"correlation_id":`...)
	return t.text
}

// who is the JSON of a line from the client id to the length.
func (c *connTexts) who(l *line) []byte {
	if len(c.clientText) > 0 && c.client == l.client {
		return c.clientText
	}
	b := append(c.clientText[:0], `,"client_id":`...)
	if l.client != nil {
		b = decode.AppendString(b, l.client.ID)
	} else {
		b = append(b, "null"...)
	}
	c.client, c.clientText = l.client, append(b, `,"length":`...)
	return c.clientText
}
