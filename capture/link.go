package capture

import "fmt"

// Link types whose packets Parser understands. Numbers: https://www.tcpdump.org/linktypes.html;
// 12 and 14 are what some systems call raw IP inside their own files.
const (
	LinkNull     LinkType = 0
	LinkEthernet LinkType = 1
	LinkPPP      LinkType = 9
	LinkRaw12    LinkType = 12
	LinkRaw14    LinkType = 14
	LinkPPPHDLC  LinkType = 50
	LinkRaw      LinkType = 101
	LinkCHDLC    LinkType = 104
	LinkLoop     LinkType = 108
	LinkSLL      LinkType = 113
	LinkMPLS     LinkType = 219
	LinkIPv4     LinkType = 228
	LinkIPv6     LinkType = 229
	LinkSLL2     LinkType = 276
)

var linkNames = map[LinkType]string{
	LinkNull: "BSD loopback", LinkEthernet: "Ethernet", LinkPPP: "PPP", LinkRaw12: "raw IP", LinkRaw14: "raw IP",
	LinkPPPHDLC: "PPP in HDLC", LinkRaw: "raw IP", LinkCHDLC: "Cisco HDLC", LinkLoop: "OpenBSD loopback", LinkSLL: "Linux cooked v1",
	LinkMPLS: "MPLS", LinkIPv4: "raw IPv4", LinkIPv6: "raw IPv6", LinkSLL2: "Linux cooked v2",
}

// Supported says whether Parser reads packets of this link type.
func (l LinkType) Supported() bool { return linkNames[l] != "" }

func (l LinkType) String() string {
	if name := linkNames[l]; name != "" {
		return name
	}
	return fmt.Sprintf("link type %d", uint32(l))
}
