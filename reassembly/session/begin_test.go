package session_test

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

// TestBegin: how connections begin that are not simply Kafka from the first byte.
func TestBegin(t *testing.T) {
	proxy2 := hex.EncodeToString([]byte("\r\n\r\n\x00\r\nQUIT\n\x21\x11\x00\x0c\x0a\x00\x00\x01\x0a\x00\x00\x02\x9c\x40\x23\x84"))
	hello := "1603010005 0100000100"
	for _, c := range []struct {
		name, text, want, speaks string
		foreign, encrypted       int64
	}{
		{"PROXY v2", "syn\n>" + proxy2 + "\n>" + askVersions + "\n<" + versions, "q18.0 p18.0", "modern", 28, 0},
		{"PROXY v2 in one packet", "syn\n>" + proxy2 + askVersions + "\n<" + versions, "q18.0 p18.0", "modern", 28, 0},
		{"TLS behind PROXY v2", "syn\n>" + proxy2 + hello + "\n<" + hello, "", "tls", 28, 20},
		{"TLS behind HTTP CONNECT", "syn\n>\"CONNECT k:9093 HTTP/1.1\\r\\n\\r\\n\"\n<\"HTTP/1.1 200 OK\\r\\n\\r\\n\"\n>" + hello + "\n<" + hello, "", "tls", 46, 20},
		{"PROXY v1 in front of PROXY v2", "syn\n>\"PROXY UNKNOWN\\r\\n\"\n>" + proxy2 + askVersions + "\n<" + versions, "q18.0 p18.0", "modern", 43, 0},
		{"SOCKS 5", "syn\n>050100\n<0500\n>05010001 0a000002 2384\n<05000001 00000000 0000\n>" + askVersions + "\n<" + versions, "q18.0 p18.0", "modern", 25, 0},
		{"SOCKS 5 with a password", "syn\n>05020002\n<0502\n>01 0475736572 06736563726574\n<0100\n>05010003 066272 6f6b6572 2384\n<05000004 " + strings.Repeat("00", 16) + "2384\n>" +
			askVersions + "\n<" + versions, "q18.0 p18.0", "modern", 56, 0},
		{"SOCKS 4a", "syn\n>04012384 00000001 757300 62726f6b657200\n<005a0000 00000000\n>" + askVersions + "\n<" + versions, "q18.0 p18.0", "modern", 26, 0},
		{"HTTP CONNECT with a password", "syn\n>\"CONNECT k:9092 HTTP/1.1\\r\\n\\r\\n\"\n<\"HTTP/1.1 407 Who\\r\\nContent-Length: 3\\r\\n\\r\\nno!\"\n>\"CONNECT k:9092 HTTP/1.1\\r\\n\\r\\n\"\n<\"HTTP/1.1 200 OK\\r\\n\\r\\n\"\n>" +
			askVersions + "\n<" + versions, "q18.0 p18.0", "modern", 115, 0},
		{"a proxy that refuses", "syn\n>\"CONNECT k:9092 HTTP/1.1\\r\\n\\r\\n\"\n<\"HTTP/1.1 403 Forbidden\\r\\n\\r\\n\"", "", "foreign", 53, 0},
	} {
		played := script(t, c.text)
		for _, size := range []int{1 << 20, 1, 3} {
			n := &kinds{}
			s := session.New(session.Config{}, n)
			recut(played, size).play(s)
			balanced(t, s, played)
			if got := strings.Join(n.frames, " "); got != c.want {
				t.Errorf("%s, pieces of %d: frames %q, want %q", c.name, size, got, c.want)
			}
			k, l := s.Connections, s.Ledger()
			if (k.Modern == 1) != (c.speaks == "modern") || (k.TLS == 1) != (c.speaks == "tls") || (k.Foreign == 1) != (c.speaks == "foreign") {
				t.Errorf("%s, pieces of %d: %+v", c.name, size, k)
			}
			if l.Foreign != c.foreign || l.Encrypted != c.encrypted {
				t.Errorf("%s, pieces of %d: %+v", c.name, size, l)
			}
		}
	}
}

// TestBeginInLargeResponse: the capture begins in a response that is larger than what is held, long before
// the client says anything; after it all exchanges are found.
func TestBeginInLargeResponse(t *testing.T) {
	rest := hex.EncodeToString(noise(rand.New(rand.NewPCG(1, 2)), 1<<10))
	var text strings.Builder
	for range 700 {
		text.WriteString("<" + rest + "\n")
	}
	var want []string
	for id := range 5 {
		ask := frame(fmt.Sprintf("0001 0004 %08x 0002 6d65 ffffffff 000001f4 00000001 03200000 00 00000001 0001 74 00000001 00000000 %016x 00100000", id+7, id))
		answer := frame(fmt.Sprintf("%08x 00000000 00000001 0001 74 00000001 00000000 0000 0000000000000009 0000000000000009 00000000 00000400", id+7) + rest)
		text.WriteString(">" + ask + "\n<" + answer + "\n")
		want = append(want, "q1.4", "p1.4")
	}
	played := script(t, text.String())
	n := &kinds{}
	s := session.New(session.Config{}, n)
	played.play(s)
	balanced(t, s, played)
	if strings.Join(n.frames, " ") != strings.Join(want, " ") || s.Ledger().Skipped != 700<<10 {
		t.Errorf("frames %q, %+v", n.frames, s.Ledger())
	}
}

// TestBeginBeforeLargeResponse: a client without an id, and its first answer is larger than what is held.
func TestBeginBeforeLargeResponse(t *testing.T) {
	const size = 700 << 10
	records := hex.EncodeToString(noise(rand.New(rand.NewPCG(3, 4)), size))
	answer := frame(fmt.Sprintf("00000007 00000000 00000001 0001 74 00000001 00000000 0000 0000000000000009 0000000000000009 00000000 %08x", size) + records)
	text := strings.Repeat("<"+records[:2048]+"\n", 100) + ">" +
		frame("0001 0004 00000007 ffff ffffffff 000001f4 00000001 03200000 00 00000001 0001 74 00000001 00000000 0000000000000000 00100000") + "\n"
	for ; len(answer) > 2800; answer = answer[2800:] {
		text += "<" + answer[:2800] + "\n"
	}
	played := script(t, text+"<"+answer)
	n := &kinds{}
	s := session.New(session.Config{}, n)
	played.play(s)
	balanced(t, s, played)
	if got := strings.Join(n.frames, " "); got != "q1.4 p1.4" || s.Ledger().Skipped != 100<<10 {
		t.Errorf("frames %q, %+v", got, s.Ledger())
	}
}

// TestReusedByAnotherProtocol: a 4-tuple is used again, by Kafka after something else or the other way round.
func TestReusedByAnotherProtocol(t *testing.T) {
	kafka := [2]string{askVersions, versions}
	redis := [2]string{hex.EncodeToString([]byte("*1\r\n$4\r\nPING\r\n")), hex.EncodeToString([]byte("+PONG\r\n"))}
	legacy := [2]string{legacyFetch, legacyEmpty}
	for name, c := range map[string]struct {
		talks [][2]string
		want  string
		is    session.Connections
	}{
		"Redis after Kafka":  {[][2]string{kafka, redis}, "q18.0 p18.0", session.Connections{Total: 2, Modern: 1, Foreign: 1}},
		"Kafka after Redis":  {[][2]string{redis, kafka}, "q18.0 p18.0", session.Connections{Total: 2, Modern: 1, Foreign: 1}},
		"both generations":   {[][2]string{legacy, kafka, legacy}, "q1.-1 p1.-1 q18.0 p18.0 q1.-1 p1.-1", session.Connections{Total: 3, Modern: 1, Legacy: 2}},
		"Kafka, Kafka again": {[][2]string{kafka, kafka}, "q18.0 p18.0 q18.0 p18.0", session.Connections{Total: 2, Modern: 2}},
	} {
		for _, fin := range []bool{true, false} {
			n := &kinds{}
			s := session.New(session.Config{}, n)
			a := reassembly.New(s.Streams(), reassembly.Config{})
			packet := uint64(0)
			send := func(side int, flags uint8, seq, ack uint32, b []byte) {
				packet++
				g := reassembly.Segment{Packet: packet, Time: int64(packet) * 1e6, Flags: flags, Seq: seq, Ack: ack, Payload: b, Wire: len(b)}
				g.Src[15], g.Dst[15], g.SrcPort, g.DstPort = 1, 2, 40000, 9092
				if side == 1 {
					g.Src, g.Dst, g.SrcPort, g.DstPort = g.Dst, g.Src, g.DstPort, g.SrcPort
				}
				a.Segment(&g)
			}
			const finFlag, syn, ack = 1, 2, 16
			for i, talk := range c.talks {
				at := [2]uint32{uint32(i+1) << 24, uint32(i+1) << 20}
				q, _ := hex.DecodeString(talk[0])
				p, _ := hex.DecodeString(talk[1])
				send(0, syn, at[0], 0, nil)
				send(1, syn|ack, at[1], at[0]+1, nil)
				send(0, ack, at[0]+1, at[1]+1, q)
				send(1, ack, at[1]+1, at[0]+1+uint32(len(q)), p)
				if fin {
					send(0, ack|finFlag, at[0]+1+uint32(len(q)), at[1]+1+uint32(len(p)), nil)
					send(1, ack|finFlag, at[1]+1+uint32(len(p)), at[0]+2+uint32(len(q)), nil)
				}
			}
			a.Flush()
			if got := strings.Join(n.frames, " "); got != c.want || s.Connections != c.is {
				t.Errorf("%s, FIN %v: %q, want %q; %+v, want %+v", name, fin, got, c.want, s.Connections, c.is)
			}
		}
	}
}

// TestBeginWithLargeProduce: the first request of an old producer is larger than what is held of a
// connection that is not proven, and the answer comes after it.
func TestBeginWithLargeProduce(t *testing.T) {
	const size = 300 << 10
	body := hex.EncodeToString(make([]byte, size))
	ask := frame("0000 0001 00000001 0005 68656c6c6f 0001 00002710 00000001 0001 74 00000001 00000000 0004b000" + body)
	text := "syn\n"
	for ; len(ask) > 2800; ask = ask[2800:] {
		text += ">" + ask[:2800] + "\n"
	}
	text += ">" + ask + "\n<" + frame("00000001 00000001 0001 74 00000001 00000000 0000 0000000000000009 00000000")
	played := script(t, text)
	n := &kinds{}
	s := session.New(session.Config{}, n)
	played.play(s)
	balanced(t, s, played)
	if got := strings.Join(n.frames, " "); got != "q0.1 p0.1" {
		t.Errorf("frames %q, %+v", got, s.Ledger())
	}
}
