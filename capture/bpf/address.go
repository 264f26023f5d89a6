package bpf

import (
	"net/netip"
	"strconv"
	"strings"
)

// isAddress says whether a word looks like an address or a network, isValue also like a port.
func isAddress(s string) bool { return isValue(s) && strings.ContainsAny(s, ".:/") }

func isValue(s string) bool {
	return s != "" && (s[0] >= '0' && s[0] <= '9' || strings.Contains(s, ":"))
}

func (p *parser) addresses(t, v token, q qualifiers) (node, error) {
	network, err := p.network(v, q.kind)
	if err != nil {
		return nil, err
	}
	switch is6 := network.Addr().Is6(); {
	case transports[q.protocol] != 0 || strings.HasPrefix(q.protocol, "icmp"):
		return nil, p.fail(t, "%s does not go with %s: write %s and %s %s", q.protocol, q.kind, q.protocol, q.kind, v.text)
	case is6 && q.protocol != "" && q.protocol != "ip6", !is6 && q.protocol == "ip6":
		return nil, p.fail(v, "%s is not an address of %s", v.text, q.protocol)
	}
	return p.where().addresses(q.protocol, q.dir, network), nil
}

// network reads an address or a network; a network may have one to four parts, and a mask behind it.
func (p *parser) network(v token, kind string) (netip.Prefix, error) {
	none := netip.Prefix{}
	address, bits, hasBits := strings.Cut(v.text, "/")
	parts := strings.Count(address, ".") + 1
	if kind == "net" && parts < 4 && !strings.Contains(address, ":") {
		address += strings.Repeat(".0", 4-parts)
	} else {
		parts = 4
	}
	a, err := netip.ParseAddr(address)
	if err != nil || a.Zone() != "" {
		return none, p.fail(v, "%q is not an IP address (names are not looked up)", v.text)
	}
	if kind == "host" && hasBits {
		return none, p.fail(v, "%q is a network: write net %s", v.text, v.text)
	}
	n := a.BitLen()
	if parts < 4 {
		n = 8 * parts
	}
	if hasBits {
		if n, err = strconv.Atoi(bits); err != nil || n < 0 || n > a.BitLen() {
			return none, p.fail(v, "%q is not a prefix length (0 to %d)", bits, a.BitLen())
		}
	} else if kind == "net" && a.Is4() && p.take("mask") {
		m := p.peek()
		mask, err := netip.ParseAddr(m.text)
		if n = maskBits(mask); err != nil || n < 0 {
			return none, p.fail(m, "%q is not a network mask like 255.255.0.0", m.text)
		}
		p.next++
	}
	if network := netip.PrefixFrom(a, n); network.Masked().Addr() == a {
		return network, nil
	}
	return none, p.fail(v, "%s has bits set behind its first %d", v.text, n)
}

// maskBits counts the leading ones of an IPv4 mask; negative if it has others.
func maskBits(mask netip.Addr) int {
	if !mask.Is4() {
		return -1
	}
	for n := range 33 {
		if ones := netip.AddrFrom4([4]byte{255, 255, 255, 255}); netip.PrefixFrom(ones, n).Masked().Addr() == mask {
			return n
		}
	}
	return -1
}
