package frames

import (
	"net/netip"
	"strconv"

	"ksniff/reassembly"
	"ksniff/report/filter"
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

// endpoints keeps the text of the ends of connections that were seen lately.
type endpoints [64]struct {
	conn *reassembly.Conn
	ends [2][]byte
	told [2][]byte // JSON of frames from each side, made at the first
}

// of gives the text of both ends of a connection.
func (e *endpoints) of(c *reassembly.Conn) *[2][]byte {
	slot := &e[uint(c.ID)%uint(len(e))]
	if slot.conn != c {
		slot.conn = c
		slot.told[0], slot.told[1] = slot.told[0][:0], slot.told[1][:0]
		for i := range slot.ends {
			slot.ends[i] = appendEndpoint(slot.ends[i][:0], c.Ends[i])
		}
	}
	return &slot.ends
}

// json gives the part of a line of JSON that says where a frame comes from and goes to.
func (e *endpoints) json(f *filter.Frame) []byte {
	ends := e.of(f.Conn)
	told := &e[uint(f.Conn.ID)%uint(len(e))].told[f.Side]
	if len(*told) == 0 {
		b := strconv.AppendInt(append(*told, `,"connection":`...), int64(f.Conn.ID), 10)
		b = append(append(b, `,"src":"`...), ends[f.Side]...)
		*told = append(append(append(b, `","dst":"`...), ends[1-f.Side]...), '"')
	}
	return *told
}
