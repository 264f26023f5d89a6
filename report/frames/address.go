package frames

import (
	"net/netip"
	"strconv"

	"ksniff/reassembly"
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
