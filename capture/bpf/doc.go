// Package bpf compiles tcpdump's filter language to classic BPF, for the kernel and for files.
//
// It knows what matters for Kafka: host, net, port and portrange with src and dst; ip, ip6, tcp, udp,
// sctp, icmp, icmp6, arp, rarp and vlan; not, and, or, parentheses. What it accepts means what it
// means to tcpdump: and and or bind alike, from left to right; a bare value takes the qualifiers of
// the one before it; ports are only in the first fragment of an IP packet; vlan moves what follows it
// into the tag. Names of hosts and ports are not looked up.
package bpf

import "fmt"

// Error is what is wrong with an expression.
type Error struct {
	Column  int // from 1, in bytes
	Message string
}

func (e *Error) Error() string { return fmt.Sprintf("filter, column %d: %s", e.Column, e.Message) }
