package bpf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/bpf"
)

// byName are the link types under tcpdump's names.
var byName = map[string]uint32{"NULL": 0, "EN10MB": 1, "PPP": 9, "RAW": 12, "PPP_SERIAL": 50, "C_HDLC": 104, "LOOP": 108, "LINUX_SLL": 113, "IPV4": 228, "IPV6": 229, "LINUX_SLL2": 276}

var expressions = []string{
	"", "ip", "ip6", "arp", "rarp", "tcp", "udp", "sctp", "icmp", "icmp6", "not tcp", "tcp or udp", "ip and not udp",
	"port 9092", "tcp port 9092", "udp port 9092", "src port 9092", "tcp dst port 9092", "src or dst port 9092", "src and dst port 9092",
	"dst or src port 9092", "portrange 9092-9094", "tcp src portrange 9092-9094", "portrange 0-65535", "port 9092 or 9093", "port (9092 or 9093)",
	"host 10.0.0.1", "src host 10.0.0.1", "dst 10.0.0.1", "ip host 10.0.0.1", "arp host 10.0.0.1", "src and dst host 10.0.0.1", "host 10.0.0.1 or 10.0.0.2",
	"host fd00::1", "ip6 host fd00::1", "src host fd00::2", "net 10", "net 10.0.0", "net 10.0.0.0/8", "net 10.0.0.0 mask 255.255.255.0", "dst net 10.0.0.2/31", "net 0.0.0.0/0",
	"net fd00::/8", "src net fd00::/64", "ip6 net fd00::/127", "net fd00::/48",
	"tcp and (port 9092 or port 9093) and not host 10.0.0.2", "ip or ip6 and tcp", "not (ip or ip6)", "! ip && tcp || udp",
	"vlan", "vlan 5", "vlan and tcp", "vlan 5 and tcp port 9092", "vlan 7 and vlan 5", "vlan and vlan and host 10.0.0.1", "tcp or vlan and tcp", "vlan and not port 9092",
}

// tcpdump compiles with tcpdump; nil where it refuses.
func tcpdump(t *testing.T, link, expression string) ([]bpf.Instruction, string) {
	out, err := exec.Command("tcpdump", "-ddd", "-y", link, expression).CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil {
		return nil, lines[len(lines)-1]
	}
	var raw []bpf.RawInstruction
	for _, line := range lines {
		var i bpf.RawInstruction
		if n, _ := fmt.Sscanf(line, "%d %d %d %d", &i.Op, &i.Jt, &i.Jf, &i.K); n == 4 {
			raw = append(raw, i)
		}
	}
	program, ok := bpf.Disassemble(raw)
	if !ok {
		t.Fatal(link, expression, raw)
	}
	return program, ""
}

func vm(t *testing.T, program []bpf.Instruction) *bpf.VM {
	t.Helper()
	m, err := bpf.NewVM(program)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// randomPacket makes a packet of values that the expressions ask for, so that they often match.
func randomPacket(r *rand.Rand, link uint32) []byte {
	kind := pick[uint16](r, etherIPv4, etherIPv4, etherIPv6, etherIPv6, etherARP, etherRARP, 0x1234)
	switch link {
	case 228:
		kind = etherIPv4
	case 229:
		kind = etherIPv6
	}
	b := make([]byte, 200)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	tags := make([]byte, 0, 12)
	if link == 1 {
		for range r.IntN(3) {
			tags = binary.BigEndian.AppendUint16(tags, pick[uint16](r, 0x8100, 0x88a8, 0x9100))
			tags = binary.BigEndian.AppendUint16(tags, pick[uint16](r, 5, 7, 0x6005, 9))
		}
	}
	network := b[64:]
	from4, to4 := []byte{10, 0, 0, byte(1 + r.IntN(3))}, []byte{pick[byte](r, 10, 11), 0, 0, byte(1 + r.IntN(3))}
	port := func(at int) { binary.BigEndian.PutUint16(network[at:], uint16(9091+r.IntN(5))) }
	protocol := pick[byte](r, tcp, tcp, udp, sctp, icmp, icmp6, 99)
	switch kind {
	case etherIPv4:
		header := 5 + r.IntN(3)
		network[0] = 0x40 | byte(header)
		binary.BigEndian.PutUint16(network[6:], pick[uint16](r, 0, 0x4000, 0x2000, 0x2001, 3))
		network[9] = protocol
		copy(network[12:], from4)
		copy(network[16:], to4)
		port(4 * header)
		port(4*header + 2)
	case etherIPv6:
		network[0] = 0x60
		network[6] = pick(r, protocol, 44)
		network[40] = pick(r, protocol, network[40])
		for i, at := range []int{8, 24} {
			copy(network[at:], make([]byte, 16))
			network[at], network[at+15] = pick[byte](r, 0xfd, 0xfd, 0xfe), byte(1+r.IntN(3-i))
		}
		if network[6] != 44 {
			port(40)
		}
		port(42)
	default:
		copy(network[14:], from4)
		copy(network[24:], to4)
	}
	l := links[link]
	begin := 64 - int(l.network) - len(tags)
	if link == 1 {
		copy(b[begin+12:], tags)
		binary.BigEndian.PutUint16(b[62:], kind)
	} else if l.size == 2 {
		v := uint32(kind)
		if len(l.types[kind]) > 0 {
			v = l.types[kind][0]
		}
		binary.BigEndian.PutUint16(b[begin+int(l.protocol):], uint16(v))
	} else if l.size == 4 {
		v := map[uint16]uint32{etherIPv4: 2, etherIPv6: 10}[kind]
		if binary.BigEndian.PutUint32(b[begin:], v); link == 0 {
			binary.LittleEndian.PutUint32(b[begin:], v)
		}
	}
	return b[begin:]
}

// randomExpression joins primitives at random.
func randomExpression(r *rand.Rand, depth int) string {
	if depth == 0 || r.IntN(4) == 0 {
		for {
			if e := pick(r, expressions...); e != "" && !strings.ContainsAny(e, "&|!") && !strings.Contains(e, " and ") && !strings.Contains(e, " or ") {
				return e
			}
		}
	}
	a, b := randomExpression(r, depth-1), randomExpression(r, depth-1)
	return pick(r, a+" and "+b, a+" or "+b, "("+a+" or "+b+")", "not ("+a+") or "+b, a+" and (not "+b+")")
}

// Our programs and tcpdump's take the same packets.
func TestEqualTcpdump(t *testing.T) {
	if _, err := exec.LookPath("tcpdump"); err != nil {
		t.Skip("no tcpdump here")
	}
	r := rand.New(rand.NewPCG(1, 2))
	rounds := 12
	if testing.Short() {
		rounds = 2
	}
	compared, matched := 0, 0
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		link := byName[name]
		packets := make([][]byte, 2000)
		for i := range packets {
			packets[i] = randomPacket(r, link)
		}
		list := slices.Clone(expressions)
		for range rounds {
			list = append(list, randomExpression(r, 1+r.IntN(4)))
		}
		for _, e := range list {
			theirs, refusal := tcpdump(t, name, e)
			ours, err := Compile(e, link)
			if err == nil && strings.Contains(refusal, "rejects all packets") {
				theirs = []bpf.Instruction{bpf.RetConstant{Val: 0}}
			}
			if theirs == nil || err != nil {
				if (theirs == nil) != (err != nil) {
					t.Errorf("%s, %q: %v; tcpdump: %s", name, e, err, refusal)
				}
				continue
			}
			a, b := vm(t, ours), vm(t, theirs)
			for _, p := range packets {
				got, err1 := a.Run(p)
				want, err2 := b.Run(p)
				if err1 != nil || err2 != nil || (got > 0) != (want > 0) {
					t.Fatalf("%s, %q: %d (%v), tcpdump %d (%v): % x", name, e, got, err1, want, err2, p)
				}
				compared++
				if got > 0 {
					matched++
				}
			}
		}
	}
	t.Logf("%d compared, %d matched", compared, matched)
	if matched < compared/10 {
		t.Errorf("only %d of %d matched", matched, compared)
	}
}

// stricter are expressions that tcpdump takes, although they are likely mistakes.
var stricter = []string{"port 80-90", "host 10.0.0", "net 10.0.0.0 mask 255.0.255.0"}

// What tcpdump refuses is refused, with the column of the fault.
func TestErrors(t *testing.T) {
	_, noTcpdump := exec.LookPath("tcpdump")
	for _, c := range []struct {
		expression string
		column     int
		words      string
	}{
		{"tcp port", 9, "port number"}, {"tcp and", 8, "filter word"}, {"port kafka9", 6, "not a port number"}, {"port 70000", 6, "0 to 65535"},
		{"host 10.0.0", 6, "not an IP address"}, {"(tcp", 5, "and, or, )"}, {"tcp)", 4, "and, or"}, {"tcp udp", 5, "and, or"}, {"foo", 1, "filter word"},
		{"net 10.0.0.1/8", 5, "bits set"}, {"net 10.0.0.0/33", 5, "prefix length"}, {"tcp host 10.0.0.1", 1, "write tcp and host"},
		{"ip6 host 10.0.0.1", 10, "not an address of ip6"}, {"ip port 80", 1, "no ports"}, {"vlan 5000", 6, "0 to 4095"},
		{"net 10.0.0.0 mask 255.0.255.0", 19, "not a network mask"}, {"()", 2, "filter word"}, {"not", 4, "filter word"}, {"port 80-90", 6, "portrange"},
		{"host fd00::g", 6, "not an IP address"}, {"tcp & udp", 5, "and, or"}, {"src", 4, "host address"}, {"icmp host 10.0.0.1", 1, "icmp and host"},
		{strings.Repeat("(", 5000) + "tcp" + strings.Repeat(")", 5000), 101, "100"},
	} {
		_, err := Compile(c.expression, 1)
		e, ok := err.(*Error)
		if !ok || e.Column != c.column || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%.40q: %v; want column %d, %s", c.expression, err, c.column, c.words)
		}
		if noTcpdump == nil && !slices.Contains(stricter, c.expression) && len(c.expression) < 100 {
			if program, _ := tcpdump(t, "EN10MB", c.expression); program != nil {
				t.Errorf("%q: tcpdump takes it", c.expression)
			}
		}
	}
	if _, err := Compile("tcp", 9999); err == nil || !strings.Contains(err.Error(), "9999") {
		t.Error(err)
	}
}

// Jumps further than 255 instructions work, and a program never grows over what the kernel takes.
func TestLongFilters(t *testing.T) {
	for _, n := range []int{10, 100, 200, 5000} {
		var list []string
		for i := range n {
			list = append(list, "host 10.1."+strconv.Itoa(i/250)+"."+strconv.Itoa(1+i%250))
		}
		program, err := Compile("tcp and not ("+strings.Join(list, " or ")+")", 1)
		if n == 5000 {
			if err == nil || !strings.Contains(err.Error(), "instructions") {
				t.Error(err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := bpf.Assemble(program); err != nil {
			t.Fatal(err)
		}
		m := vm(t, program)
		packet := make([]byte, 100)
		copy(packet[12:], "\x08\x00\x45")
		packet[23] = tcp
		for i := range n + 1 {
			copy(packet[26:], []byte{10, 1, byte(i / 250), byte(1 + i%250)})
			if got, _ := m.Run(packet); (got > 0) != (i == n) {
				t.Fatalf("%d hosts, host %d: %d", n, i, got)
			}
		}
	}
}

func TestFilter(t *testing.T) {
	f, err := New("tcp port 9092")
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 4))
	ip := make([]byte, 60)
	copy(ip, "\x45\x00\x00\x3c\x00\x00\x00\x00\x40\x06")
	binary.BigEndian.PutUint16(ip[22:], 9092)
	ethernet := append([]byte("............\x08\x00"), ip...)
	if !f.Match(101, ip) || !f.Match(1, ethernet) || f.Match(1, ip) || f.Match(9999, ip) || f.Match(1, nil) || f.Match(1, randomPacket(r, 1)[:13]) {
		t.Error("wrong match")
	}
	if !bytes.Equal(ethernet[14:], ip) {
		t.Error("Match changed a packet")
	}
	bare, _ := Compile("10.0.0.1 or 10.0.0.2", 1)
	if full, _ := Compile("host 10.0.0.1 or host 10.0.0.2", 1); len(full) < 10 || !slices.Equal(bare, full) {
		t.Error("a bare address is a host")
	}
	if _, err := New("tcp port"); err == nil {
		t.Error("no error")
	}
}

// A live filter with vlan asks the kernel for the tag that it took away.
func TestLive(t *testing.T) {
	program, err := CompileLive("vlan 5 and tcp", 1)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := bpf.Assemble(program)
	if err != nil {
		t.Fatal(err)
	}
	// SKF_AD_OFF is -0x1000; the tag is at 44, its presence at 48 (linux/filter.h).
	for _, k := range []uint32{0xfffff000 + 44, 0xfffff000 + 48} {
		if !slices.ContainsFunc(raw, func(i bpf.RawInstruction) bool { return i.K == k }) {
			t.Errorf("no load of %#x in %v", k, program)
		}
	}
	plain, _ := Compile("tcp", 1)
	if live, err := CompileLive("tcp", 1); err != nil || !slices.Equal(live, plain) {
		t.Error(live, err)
	}
}

func BenchmarkMatch(b *testing.B) {
	f, _ := New("tcp port 9092")
	packet := append([]byte("............\x08\x00\x45\x00\x00\x3c\x00\x00\x00\x00\x40\x06"), make([]byte, 40)...)
	b.ReportAllocs()
	for b.Loop() {
		f.Match(1, packet)
	}
}

func FuzzCompile(f *testing.F) {
	for _, e := range expressions {
		f.Add(e)
	}
	f.Fuzz(func(t *testing.T, e string) {
		for _, link := range []uint32{0, 1, 101, 276} {
			program, err := Compile(e, link)
			if err != nil {
				continue
			}
			if _, err := bpf.Assemble(program); err != nil {
				t.Fatal(err)
			}
			vm(t, program).Run(make([]byte, 64))
		}
	})
}
