package capture

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// cut4 cuts an IPv4 payload into fragments of n bytes, a multiple of 8.
func cut4(id uint16, payload []byte, n int) (fragments [][]byte) {
	for at := 0; at < len(payload); at += n {
		end := min(at+n, len(payload))
		word := uint16(at / 8)
		if end < len(payload) {
			word |= 0x2000
		}
		fragments = append(fragments, ip4Fragment(6, id, word, payload[at:end]))
	}
	return fragments
}

func cut6(id uint32, payload []byte, n int) (fragments [][]byte) {
	for at := 0; at < len(payload); at += n {
		end, more := min(at+n, len(payload)), uint16(1)
		if end == len(payload) {
			more = 0
		}
		fragments = append(fragments, ip6(44, be(byte(6), byte(0), uint16(at)|more, id, payload[at:end])))
	}
	return fragments
}

// given parses packets a microsecond apart, and gives the payloads.
func given(p *Parser, packets ...[]byte) (payloads []string) {
	var s Segment
	for i, b := range packets {
		if p.Parse(&Packet{Number: uint64(i + 1), Time: int64(i) * 1000, Link: LinkRaw, Wire: len(b), Data: b}, &s) {
			payloads = append(payloads, string(s.Payload))
		}
	}
	return payloads
}

func TestFragmentsInAnyOrder(t *testing.T) {
	text := strings.Repeat("0123456789", 30) + "end"
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 200 {
		var p Parser
		a, b := cut4(uint16(round), tcpBytes(text), 8*(1+random.IntN(20))), cut6(uint32(round), tcpBytes(text+"6"), 8*(1+random.IntN(20)))
		all := append(slices.Clone(a), b...)
		if round%2 == 1 { // captured twice
			all = append(all, all...)
		}
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		got := given(&p, all...)
		slices.Sort(got)
		if !slices.Equal(got, []string{text, text + "6"}) {
			t.Fatalf("round %d: %q", round, got)
		}
		if p.Stats.Segments != 2 || p.Stats.Fragments != uint64(len(all)-2) {
			t.Fatalf("round %d: %+v", round, p.Stats)
		}
	}
}

func TestFragmentTakesNumberOfLast(t *testing.T) {
	var p Parser
	var s Segment
	for i, b := range cut4(1, tcpBytes("0123456789abcdef"), 16) {
		p.Parse(&Packet{Number: uint64(i + 5), Time: 99, Link: LinkRaw, Data: b}, &s)
	}
	if s.Packet != 7 || s.Time != 99 || s.Seq != 7 {
		t.Errorf("%+v", s)
	}
}

func TestBadFragments(t *testing.T) {
	tcp := tcpBytes("0123456789abcdefghijklmnopqrstuv")
	f := cut4(1, tcp, 16)
	other := slices.Clone(f[1])
	other[30] ^= 1
	for _, c := range []struct {
		name    string
		packets [][]byte
		want    string
	}{
		{"overlap with the same bytes", [][]byte{f[0], ip4Fragment(6, 1, 0x2001, tcp[8:24]), f[2], f[3], f[1]}, "[0123456789abcdefghijklmnopqrstuv]"},
		{"overlap with other bytes", [][]byte{f[0], other, f[1], f[2], f[3]}, "[]"},
		{"two ends", [][]byte{f[0], ip4Fragment(6, 1, 4, tcp[32:40]), f[3], f[1], f[2]}, "[]"},
		{"bytes behind the end", [][]byte{f[0], f[1], f[2], ip4Fragment(6, 1, 0x2000|8, tcp[:16]), f[3]}, "[]"},
		{"length not of 8", [][]byte{f[0], ip4Fragment(6, 1, 0x2002, tcp[16:31]), f[2], f[3]}, "[]"},
		{"past 65535", [][]byte{ip4Fragment(6, 1, 0x1fff, tcp[:16])}, "[]"},
		{"another id", [][]byte{f[0], ip4Fragment(6, 2, 0x2002, tcp[16:32]), f[2], f[3]}, "[]"},
		{"another protocol", [][]byte{f[0], ip4Fragment(17, 1, 0x2002, tcp[16:32]), f[2], f[3]}, "[]"},
	} {
		var p Parser
		if got := fmt.Sprint(given(&p, c.packets...)); got != c.want {
			t.Errorf("%s: %s, %+v", c.name, got, p.Stats)
		}
	}
}

// The snap length cuts every fragment: what is there up to the first cut is the payload.
func TestFragmentsAndSnapLength(t *testing.T) {
	tcp := tcpBytes("0123456789abcdefghijklmnopqrstuv")
	var p Parser
	var s Segment
	ok := false
	for _, b := range cut4(1, tcp, 32) {
		ok = p.Parse(&Packet{Link: LinkRaw, Wire: len(b), Data: b[:min(len(b), 48)]}, &s)
	}
	if !ok || string(s.Payload) != "01234567" || s.Wire != 32 {
		t.Errorf("%v, %+v", ok, s)
	}
}

// An id that comes again later is another packet.
func TestFragmentTime(t *testing.T) {
	var p Parser
	var s Segment
	one, two := cut4(1, tcpBytes("0123456789abcdef"), 24), cut4(1, tcpBytes("ABCDEFGHIJKLMNOP"), 24)
	parse := func(b []byte, at int64) bool {
		return p.Parse(&Packet{Time: at, Link: LinkRaw, Wire: len(b), Data: b}, &s)
	}
	parse(one[0], 0) // its rest is lost
	if parse(two[0], 6e9) || !parse(two[1], 6e9) || string(s.Payload) != "ABCDEFGHIJKLMNOP" {
		t.Errorf("%q", s.Payload)
	}
	if parse(one[0], 7e9) || !parse(one[1], 7e9) || string(s.Payload) != "0123456789abcdef" {
		t.Errorf("%q", s.Payload)
	}
}

// First fragments whose rest never comes, and last ones far behind, stay within the bounds.
func TestFragmentMemory(t *testing.T) {
	var p Parser
	var s Segment
	for i := range 100_000 {
		b := ip4Fragment(6, uint16(i), 0x2000, tcpBytes("1234"))
		if i%2 == 1 {
			b = ip4Fragment(6, uint16(i), 8180, make([]byte, 80))
		}
		p.Parse(&Packet{Time: int64(i), Link: LinkRaw, Wire: len(b), Data: b}, &s)
	}
	held := 0
	for _, d := range slices.Concat(p.frags.queue, p.frags.free) {
		held += cap(d.data)
	}
	if held > 3*maxFragmentBytes || len(p.frags.queue) > maxDatagrams || len(p.frags.byKey) != len(p.frags.queue) {
		t.Errorf("%d bytes in %d packets (%d keys)", held, len(p.frags.queue), len(p.frags.byKey))
	}
}
