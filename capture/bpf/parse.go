package bpf

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxDepth bounds parentheses and negations.
const maxDepth = 100

// parser reads an expression and makes nodes for one link type.
type parser struct {
	tokens []token
	next   int
	depth  int
	link   link
	kernel bool   // the kernel has taken the first tag out of the packet
	tags   uint32 // vlan primitives so far
	last   qualifiers
}

// qualifiers are the words in front of a value.
type qualifiers struct {
	protocol string
	dir      direction
	kind     string // host, net, port, portrange
}

func (p *parser) peek() token { return p.tokens[p.next] }

func (p *parser) take(words ...string) bool {
	if t := p.peek().text; t != "" && slices.Contains(words, t) {
		p.next++
		return true
	}
	return false
}

func (p *parser) fail(t token, format string, args ...any) error {
	return &Error{t.at, fmt.Sprintf(format, args...)}
}

// expression reads terms with and and or between them, which bind alike.
func (p *parser) expression() (node, error) {
	n, err := p.term()
	for err == nil {
		var b node
		switch {
		case p.take("and", "&&"):
			if b, err = p.term(); err == nil {
				n = and(n, b)
			}
		case p.take("or", "||"):
			if b, err = p.term(); err == nil {
				n = or(n, b)
			}
		default:
			return n, nil
		}
	}
	return nil, err
}

func (p *parser) term() (node, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, p.fail(p.peek(), "more than %d parentheses and negations in one another", maxDepth)
	}
	defer func() { p.depth-- }()
	switch {
	case p.take("not", "!"):
		n, err := p.term()
		if err != nil {
			return nil, err
		}
		return not(n), nil
	case p.take("("):
		return p.closed()
	}
	return p.primitive()
}

// closed reads an expression up to its closing parenthesis.
func (p *parser) closed() (node, error) {
	n, err := p.expression()
	if err == nil && !p.take(")") {
		return nil, p.expected("and, or, )")
	}
	return n, err
}

func (p *parser) expected(what string) error {
	if p.peek().text == "" {
		return p.fail(p.peek(), "the filter ends where %s should follow", what)
	}
	return p.fail(p.peek(), "%q where %s should follow", p.peek().text, what)
}

// where gives the places of the headers for the next primitive.
func (p *parser) where() where {
	n := p.tags
	if p.kernel && n > 0 {
		n--
	}
	return where{p.link, 4 * n}
}

var protocols = []string{"ip", "ip6", "arp", "rarp", "tcp", "udp", "sctp", "icmp", "icmp6"}

// primitive reads qualifiers with a value, or one of the words that need none.
func (p *parser) primitive() (node, error) {
	t := p.peek()
	if p.take("vlan") {
		return p.vlan(t)
	}
	var q qualifiers
	if p.take(protocols...) {
		q.protocol = t.text
	}
	dir, directed := p.direction()
	q.dir = dir
	if k := p.peek(); p.take("host", "net", "port", "portrange") {
		q.kind = k.text
	}
	v := p.peek()
	switch {
	case q.kind == "" && !directed && q.protocol != "":
		if q.kind = "host"; !isAddress(v.text) {
			return p.protocol(t.text), nil
		}
	case q.kind == "" && !directed:
		if !isValue(v.text) {
			return nil, p.expected("a filter word (host, net, port, portrange, src, dst, tcp, udp, ip, ip6, vlan, not, …)")
		}
		if q = p.last; q.kind == "" {
			q.kind = "host"
		}
	case q.kind == "":
		q.kind = "host"
	}
	p.last = q
	if p.take("(") {
		return p.closed()
	}
	if v.text == "" || slices.Contains([]string{"and", "or", "not", ")", "!", "&&", "||"}, v.text) {
		return nil, p.expected("a " + map[string]string{"host": "host address", "net": "network", "port": "port number", "portrange": "range of ports"}[q.kind])
	}
	p.next++
	switch q.kind {
	case "port", "portrange":
		return p.ports(t, v, q)
	}
	return p.addresses(t, v, q)
}

// direction reads src, dst, or both of them joined; false if there is none.
func (p *parser) direction() (direction, bool) {
	first := p.peek().text
	if !p.take("src", "dst") {
		return eitherEnd, false
	}
	one, other := source, "dst"
	if first == "dst" {
		one, other = destination, "src"
	}
	if join := p.peek().text; (join == "or" || join == "and") && p.tokens[p.next+1].text == other {
		p.next += 2
		if join == "and" {
			return bothEnds, true
		}
		return eitherEnd, true
	}
	return one, true
}

// protocol is the primitive that is just a protocol's name.
func (p *parser) protocol(name string) node {
	w := p.where()
	p.last = qualifiers{protocol: name}
	switch name {
	case "ip":
		return w.is(etherIPv4)
	case "ip6":
		return w.is(etherIPv6)
	case "arp":
		return w.is(etherARP)
	case "rarp":
		return w.is(etherRARP)
	case "icmp":
		return w.carries4(icmp)
	case "icmp6":
		return w.carries6(icmp6)
	}
	n := transports[name]
	return or(w.carries4(n), w.carries6(n))
}

var transports = map[string]uint32{"tcp": tcp, "udp": udp, "sctp": sctp}

func (p *parser) ports(t, v token, q qualifiers) (node, error) {
	numbers := []uint32{sctp, tcp, udp}
	if q.protocol != "" {
		n, ok := transports[q.protocol]
		if !ok {
			return nil, p.fail(t, "%s has no ports: tcp, udp or sctp has", q.protocol)
		}
		numbers = []uint32{n}
	}
	first, last, isRange := strings.Cut(v.text, "-")
	if q.kind == "port" && isRange {
		return nil, p.fail(v, "%q is a range: write portrange %s", v.text, v.text)
	}
	if !isRange {
		last = first
	}
	low, err1 := strconv.ParseUint(first, 10, 16)
	high, err2 := strconv.ParseUint(last, 10, 16)
	if err1 != nil || err2 != nil {
		return nil, p.fail(v, "%q is not a port number (0 to 65535; names are not looked up)", v.text)
	}
	return p.where().ports(numbers, q.dir, uint16(min(low, high)), uint16(max(low, high))), nil
}

// vlan reads a tag's number, if there is one; what follows is about what is in the tag.
func (p *parser) vlan(t token) (node, error) {
	if !p.link.tags {
		return nil, p.fail(t, "%s has no VLAN tags", p.link.name)
	}
	id := -1
	if v := p.peek(); isValue(v.text) {
		n, err := strconv.ParseUint(v.text, 10, 12)
		if err != nil {
			return nil, p.fail(v, "%q is not a VLAN number (0 to 4095)", v.text)
		}
		p.next++
		id = int(n)
	}
	w := p.where()
	p.tags++
	if p.kernel && p.tags == 1 {
		return stripped(id), nil
	}
	return w.tag(id), nil
}
