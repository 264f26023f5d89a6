package session_test

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

// A script is a connection told in lines: `>` what Ends[0] sent, `<` what Ends[1] sent; hex, or text in
// quotes; `>?` and `<?` a gap of that many bytes; `syn` that both begin there; `eof` at the end, that neither
// was seen to end. Each line is a packet.
func script(t testing.TB, text string) (out tape) {
	t.Helper()
	ends := [2]reassembly.Endpoint{{Addr: [16]byte{15: 1}, Port: 40000}, {Addr: [16]byte{15: 2}, Port: 9092}}
	out = tape{{do: 'o', conn: 1, ends: ends}}
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		line = strings.TrimSpace(line)
		at := reassembly.Moment{Packet: uint64(i + 1), Time: int64(i+1) * 1e6}
		side := 0
		switch {
		case line == "syn":
			out = append(out, op{do: 's', conn: 1}, op{do: 's', conn: 1, side: 1})
			continue
		case line == "eof":
			return append(out, op{do: 'e', conn: 1, why: reassembly.EOF}, op{do: 'e', conn: 1, side: 1, why: reassembly.EOF})
		case line[0] == '<':
			side = 1
		}
		line = strings.TrimSpace(line[1:])
		switch {
		case line[0] == '?':
			var n int64
			fmt.Sscan(line[1:], &n)
			out = append(out, op{do: 'g', conn: 1, side: side, at: at, gap: n})
			continue
		case line[0] == '"':
			var text string
			fmt.Sscanf(line, "%q", &text)
			out = append(out, op{do: 'd', conn: 1, side: side, at: at, b: []byte(text)})
			continue
		}
		b, err := hex.DecodeString(strings.ReplaceAll(line, " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, op{do: 'd', conn: 1, side: side, at: at, b: b})
	}
	return append(out, op{do: 'e', conn: 1, why: reassembly.Fin}, op{do: 'e', conn: 1, side: 1, why: reassembly.Fin})
}

// frame puts the length in front.
func frame(body string) string {
	b, err := hex.DecodeString(strings.ReplaceAll(body, " ", ""))
	if err != nil {
		panic(err)
	}
	return hex.EncodeToString(append(binary.BigEndian.AppendUint32(nil, uint32(len(b))), b...))
}

// Requests and answers as the protocol guide has them. The client id is "me".
var (
	askVersions  = frame("0012 0000 00000001 0002 6d65")
	versions     = frame("00000001 0000 00000001 0012 0000 0003")
	versionsLong = frame("00000001 0000 0000000c" + strings.Repeat("0012 0000 0003", 12))
	askMetadata  = frame("0003 0000 00000002 0002 6d65 00000000")
	metadata     = frame("00000002 00000000 00000000")
	askVersion99 = frame("0012 0063 00000001 0002 6d65 00 0261 0262 00")
	refused      = frame("00000001 0023 00000000")
	produce0     = frame("0000 0000 00000003 0002 6d65 0000 00000064 00000000") // acks=0
	handshake    = frame("0011 0000 00000001 0002 6d65 0005 504c41494e")
	shaken       = frame("00000001 0000 00000001 0005 504c41494e")
	anonymous    = frame("0003 0000 00000001 ffff 00000000") // Metadata without a client id
	answered     = frame("00000001 00000000 00000000")
	legacyFetch  = frame("0001 0001 74 00000000 0000000000000000 00000400")
	legacyEmpty  = frame("0000")
)

func TestScripts(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       string // frames: kind, key, version; `?` after a response that has no request
		speaks     string
		unanswered string
	}{
		{"an exchange", "syn\n>" + askVersions + "\n<" + versions, "q18.0 p18.0", "modern", ""},
		{"roles swapped", "syn\n<" + askVersions + "\n>" + versions, "q18.0 p18.0", "modern", ""},
		{"mid-stream", ">" + askVersions + "\n<" + versions, "q18.0 p18.0", "modern", ""},
		{"one direction", "syn\n>" + askVersions + "\n>" + askMetadata, "q18.0 q3.0", "modern", "lost 2"},
		{"no client id, alone", "syn\n>" + anonymous, "q3.0", "modern", "lost 1"},
		{"no client id, answered", "syn\n>" + anonymous + "\n<" + answered, "q3.0 p3.0", "modern", ""},
		{"no client id, answered by another", "syn\n>" + anonymous + "\n<\"+OK go on, but not here\"", "", "foreign", ""},
		{"a version that nobody knows", "syn\n>" + askVersion99 + "\n<" + refused, "q18.99 p18.99", "modern", ""},
		{"acks 0", "syn\n>" + askVersions + "\n<" + versions + "\n>" + produce0, "q18.0 p18.0 q0.0", "modern", "silent 1"},
		{"answer first", "syn\n>" + askVersions + "\n<" + versions + "\n<" + metadata + "\n>" + askMetadata, "q18.0 p18.0 q3.0 p3.0", "modern", ""},
		{"answer to nothing", "syn\n>" + askVersions + "\n<" + versions + "\n<" + metadata, "q18.0 p18.0 p-1.-1?", "modern", ""},
		{"one id for all", "syn\n>" + askVersions + "\n>" + askVersions + "\n<" + versions + "\n<" + versions, "q18.0 q18.0 p18.0 p18.0", "modern", ""},
		{"answers alone", "syn\n<" + versionsLong + "\n<" + frame("00000002 00000000 00000000") + "\n<" + frame("00000003 00000000 00000000"),
			"p18.0? p-1.-1? p-1.-1?", "modern", ""}, // the first can be nothing else
		{"raw tokens", "syn\n>" + handshake + "\n<" + shaken + "\n>" + frame("00616263006465") + "\n<00000000\n>" + askMetadata + "\n<" + metadata,
			"q17.0 p17.0 q-1.-1 p-1.-1? q3.0 p3.0", "modern", ""},
		{"a token with a hole", "syn\n>" + handshake + "\n<" + shaken + "\n>00000013 0061626300646566\n>?9\n>6768\n<00000000\n>" + askMetadata + "\n<" + metadata,
			"q17.0 p17.0 q-1.-1 p-1.-1? q3.0 p3.0", "modern", ""},
		{"a request lost", "syn\n>" + askVersions + "\n<" + versions + "\n>?22\n>" + askMetadata + "\n<" + metadata, "q18.0 p18.0 q3.0 p3.0", "modern", ""},
		{"a response lost", "syn\n>" + askVersions + "\n<?26\n>" + askMetadata + "\n<" + metadata, "q18.0 q3.0 p3.0", "modern", "lost 1"},
		{"a proxy's line", "syn\n>\"PROXY TCP4 10.0.0.1 10.0.0.2 5 6\\r\\n\"\n>" + askVersions + "\n<" + versions, "q18.0 p18.0", "modern", ""},
		{"HTTP CONNECT", "syn\n>\"CONNECT k:9092 HTTP/1.1\\r\\n\\r\\n\"\n<\"HTTP/1.1 200 OK\\r\\n\\r\\n\"\n>" + askVersions + "\n<" + versions, "q18.0 p18.0", "modern", ""},
		{"legacy", "syn\n>" + legacyFetch + "\n<" + legacyEmpty, "q1.-1 p1.-1", "legacy", ""},
		{"legacy mid-stream", ">" + legacyFetch + "\n<" + legacyEmpty, "q1.-1 p1.-1", "legacy", ""},
		{"HTTP", "syn\n>\"GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n\"\n<\"HTTP/1.1 200 OK\\r\\n\\r\\n\"", "", "foreign", ""},
		{"PostgreSQL", "syn\n>" + frame("00030000 75736572 00 706f737467726573 00 00") + "\n<\"R\\x00\\x00\\x00\\x08\\x00\\x00\\x00\\x00\"", "", "foreign", ""},
		{"ZooKeeper", "syn\n>" + frame("00000000 0000000000000000 00001770 0000000000000000 00000010 00000000000000000000000000000000 00"), "", "zookeeper", ""},
		{"TLS", "syn\n>1603010005 0100000100\n<1603030005 0200000100", "", "tls", ""},
		{"zeros", "syn\n>" + strings.Repeat("00", 400) + "\n<" + strings.Repeat("00", 400), "", "foreign", ""},
		{"nothing", "syn", "", "", ""},
	} {
		played := script(t, c.text)
		for _, size := range []int{1 << 20, 1, 5} {
			n := &kinds{}
			s := session.New(session.Config{}, n)
			recut(played, size).play(s)
			balanced(t, s, played)
			if got := strings.Join(n.frames, " "); got != c.want {
				t.Errorf("%s, pieces of %d: frames %q, want %q", c.name, size, got, c.want)
			}
			if got := strings.Join(n.unanswered, " "); got != c.unanswered {
				t.Errorf("%s, pieces of %d: unanswered %q, want %q", c.name, size, got, c.unanswered)
			}
			k := s.Connections
			for name, count := range map[string]int64{"modern": k.Modern, "legacy": k.Legacy, "tls": k.TLS, "zookeeper": k.ZooKeeper, "foreign": k.Foreign} {
				if (count == 1) != (name == c.speaks) || k.Total != 1 {
					t.Errorf("%s, pieces of %d: %+v", c.name, size, k)
				}
			}
		}
	}
}

// kinds notes what a Sink is told, in short.
type kinds struct{ frames, unanswered []string }

func (k *kinds) Frame(f *session.Frame) {
	id := fmt.Sprintf("%c%d.%d", "qp"[f.Kind], f.Key, f.Version)
	if f.Kind == 1 && f.Request == nil {
		id += "?"
	}
	k.frames = append(k.frames, id)
}

func (k *kinds) Unanswered(_ *reassembly.Conn, _ *session.Request, why session.Why) {
	name := [...]string{session.Silent: "silent", session.Closed: "closed", session.EOF: "eof", session.Lost: "lost", session.Full: "full"}[why]
	if n := len(k.unanswered); n > 0 && strings.HasPrefix(k.unanswered[n-1], name) {
		k.unanswered[n-1] = name + " 2"
		return
	}
	k.unanswered = append(k.unanswered, name+" 1")
}

// TestDecodeAs overrules the proof.
func TestDecodeAs(t *testing.T) {
	played := script(t, "syn\n>"+askVersions+"\n<"+versions)
	for _, c := range []struct {
		as   map[uint16]bool
		want string
	}{{nil, "q18.0 p18.0"}, {map[uint16]bool{9092: false}, ""}, {map[uint16]bool{9092: true}, "q18.0 p18.0"}, {map[uint16]bool{40000: false}, ""}} {
		n := &kinds{}
		s := session.New(session.Config{DecodeAs: c.as}, n)
		played.play(s)
		if got := strings.Join(n.frames, " "); got != c.want {
			t.Errorf("%v: %q, want %q", c.as, got, c.want)
		}
	}
	n := &kinds{}
	s := session.New(session.Config{DecodeAs: map[uint16]bool{9092: true}}, n)
	script(t, "syn\n>"+frame("0c00 0000 00000001 ffff")).play(s) // no API has this key, yet it is delimited
	if got := strings.Join(n.frames, " "); got != "q3072.0" {
		t.Errorf("forced: %q", got)
	}
}

// TestMemory keeps what a session holds within its bound, whatever many connections send and never end.
func TestMemory(t *testing.T) {
	requests := strings.Repeat(askMetadata, 20)
	text := script(t, "syn\n>"+askVersions+"\n>"+requests+"\n>00100000 0000 0007 00000009 0002 6d65 ffff 0001")
	n := &kinds{}
	s := session.New(session.Config{Memory: 1 << 20}, n)
	out := s.Streams()
	for id := range 5000 {
		c := &reassembly.Conn{ID: id + 1, Ends: text[0].ends}
		out.Open(c)
		for _, o := range text {
			switch o.do {
			case 's':
				out.Start(c, o.side)
			case 'd':
				out.Data(c, o.side, o.at, o.b)
			}
		}
	}
	if s.Dropped.Requests < 5000*21-1<<20/8/256 || s.Evictions() == 0 {
		t.Errorf("dropped %+v, %d evictions", s.Dropped, s.Evictions())
	}
}
