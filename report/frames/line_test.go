package frames

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/netip"
	"strings"
	"testing"
	"time"

	"ksniff/decode"
	"ksniff/decode/schema"
	"ksniff/reassembly"
	"ksniff/reassembly/session"
)

// noon is the time of the first frame in these tests.
var noon = time.Date(2025, 6, 1, 12, 0, 0, 123456789, time.UTC).UnixNano()

func endpoint(s string) reassembly.Endpoint {
	a := netip.MustParseAddrPort(s)
	return reassembly.Endpoint{Addr: a.Addr().As16(), Port: a.Port()}
}

func conn() *reassembly.Conn {
	return &reassembly.Conn{ID: 3, Ends: [2]reassembly.Endpoint{endpoint("10.0.0.7:50000"), endpoint("[2001:db8::1]:9092")}}
}

// wire writes fields as Kafka does.
type wire struct{ b []byte }

func (w *wire) i16(v int16) *wire { w.b = binary.BigEndian.AppendUint16(w.b, uint16(v)); return w }
func (w *wire) i32(v int32) *wire { w.b = binary.BigEndian.AppendUint32(w.b, uint32(v)); return w }
func (w *wire) text(s string) *wire {
	w.i16(int16(len(s)))
	w.b = append(w.b, s...)
	return w
}

func (w *wire) bytes(s string) *wire {
	w.i32(int32(len(s)))
	w.b = append(w.b, s...)
	return w
}

func request(key, version int16) *wire {
	return new(wire).i16(key).i16(version).i32(7).text("billing")
}

// frame makes what a session would of a whole body.
func frame(kind decode.Kind, key, version int16, body []byte) *session.Frame {
	f := &session.Frame{Generation: session.Modern, Kind: kind, API: schema.Lookup(key), Key: key, Version: version,
		CorrelationID: 7, HasHeader: true, Client: &session.Client{ID: "billing"}, Throttle: -1}
	f.Conn = conn()
	f.Last = reassembly.Moment{Packet: 12, Time: noon}
	f.Length = len(body)
	f.Runs = []reassembly.Run{{Off: 0, Bytes: body}}
	r := &session.Request{Key: key, Version: version, Generation: session.Modern, CorrelationID: 7, Packet: 12, Time: noon, Client: f.Client, Acks: -128}
	f.Request = r
	if kind == decode.Response {
		f.Side = 1
		f.Last = reassembly.Moment{Packet: 15, Time: noon + 2_500_001}
	}
	var t decode.Tree
	t.Decode(decode.Whole(body), key, version, kind)
	f.Fault, f.Faulty = t.Fault()
	return f
}

func printed(o Options, frames ...*session.Frame) string {
	var out bytes.Buffer
	p := New(&out, o)
	for _, f := range frames {
		p.Frame(f)
	}
	if err := p.Close(); err != nil {
		return err.Error()
	}
	return out.String()
}

// metadata is a Metadata exchange of version 0: the answer says LEADER_NOT_AVAILABLE for orders.
func metadata() (ask, answer *session.Frame) {
	ask = frame(decode.Request, 3, 0, request(3, 0).i32(2).text("orders").text("a\x1b[2J").b)
	answer = frame(decode.Response, 3, 0, new(wire).i32(7).i32(0).i32(2).
		i16(5).text("orders").i32(0).i16(0).text("other").i32(0).b)
	return ask, answer
}

func TestJSONLine(t *testing.T) {
	ask, answer := metadata()
	got := printed(Options{Format: JSON}, ask, answer)
	want := `{"packet":12,"time":"2025-06-01T12:00:00.123456789Z","connection":3,"src":"10.0.0.7:50000","dst":"[2001:db8::1]:9092","kind":"request",` +
		`"generation":"modern","api":"Metadata","key":3,"version":0,"correlation_id":7,"client_id":"billing","length":36,"latency_ms":null,` +
		`"topics":["orders","a\u001b[2J"],"error":null,"inferred":false,"fault":null}` + "\n" +
		`{"packet":15,"time":"2025-06-01T12:00:00.12595679Z","connection":3,"src":"[2001:db8::1]:9092","dst":"10.0.0.7:50000","kind":"response",` +
		`"generation":"modern","api":"Metadata","key":3,"version":0,"correlation_id":7,"client_id":"billing","length":39,"latency_ms":2.500001,` +
		`"topics":["orders","other"],"error":"LEADER_NOT_AVAILABLE","inferred":false,"fault":null}` + "\n"
	want = strings.Replace(want, ".12595679Z", ".125956790Z", 1)
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestJSONTree(t *testing.T) {
	ask, _ := metadata()
	got := printed(Options{Format: JSON, Tree: true}, ask)
	want := `"fault":null,"header":{"requestApiKey":3,"requestApiVersion":0,"correlationId":7,"clientId":"billing"},` +
		`"body":{"topics":[{"name":"orders"},{"name":"a\u001b[2J"}]}}` + "\n"
	if !strings.HasSuffix(got, want) {
		t.Errorf("got\n%swant the end\n%s", got, want)
	}
}

func TestFaultInJSON(t *testing.T) {
	f := frame(decode.Request, 3, 0, request(3, 0).i32(2).text("orders").b)
	var line struct {
		Fault struct {
			Code, Class, Path, Message string
			Offset, Need, Have         int
		}
	}
	if err := json.Unmarshal([]byte(printed(Options{Format: JSON}, f)), &line); err != nil {
		t.Fatal(err)
	}
	// header 17 bytes, count 4, "orders" 8: the second name's length word would be at 29.
	if got := line.Fault; got.Code != "truncated" || got.Class != "broken" || got.Offset != 29 || got.Need != 2 || got.Have != 0 ||
		got.Path != "MetadataRequest.Topics[1].Name" {
		t.Errorf("%+v", got)
	}
}

func TestPlainLines(t *testing.T) {
	ask, answer := metadata()
	got := printed(Options{}, ask, answer)
	want := `12:00:00.123456  10.0.0.7:50000 → [2001:db8::1]:9092  Metadata v0  #7  billing  36 B           orders, a\x1b[2J` + "\n" +
		`12:00:00.125956  10.0.0.7:50000 ← [2001:db8::1]:9092  Metadata v0  #7  billing  39 B  2.50 ms  orders, other     LEADER_NOT_AVAILABLE` + "\n"
	want = strings.Replace(want, "36 B           orders", "36 B  orders", 1) // no line had a latency yet
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// A narrow terminal shows what matters most, in one row.
func TestNarrowTerminals(t *testing.T) {
	ask, answer := metadata()
	for width, want := range map[int]string{
		60:  "12:00:00  billing  ← Metadata  2.50 ms  orders, …  LEADER_N…",
		80:  "12:00:00  billing  ← Metadata  2.50 ms  orders, other  LEADER_NOT_AVAILABLE",
		100: "12:00:00.125  billing  ← Metadata v0  39 B  2.50 ms  orders, other  LEADER_NOT_AVAILABLE",
		120: "12:00:00.125  10.0.0.7:50000 ←  Metadata v0  billing  39 B  2.50 ms  orders, other  LEADER_NOT_AVAILABLE",
		160: "12:00:00.125956  10.0.0.7:50000 ← [2001:db8::1]:9092  Metadata v0  #7  billing  39 B  2.50 ms  orders, other  LEADER_NOT_AVAILABLE",
	} {
		lines := strings.Split(printed(Options{Width: width}, ask, answer), "\n")
		if lines[1] != want {
			t.Errorf("%d columns: %s, want %s", width, lines[1], want)
		}
		for _, line := range lines {
			if n := displayWidth([]byte(line)); n > width {
				t.Errorf("%d columns: %d in %s", width, n, line)
			}
		}
	}
}

// Clients whose names begin alike are told apart where there is no room for them, and one without an id has its address.
func TestNarrowTerminalsNameTheClient(t *testing.T) {
	ask, answer := metadata()
	for id, want := range map[string]string{"": "10.0.0.7:50000  → Metadata", "orders-service-client-17": "orders-s…ient-17  → Metadata", "名名名名名名名名名名": "名名名名…名名名  → Metadata"} {
		ask.Client.ID, ask.Client.NullID = id, id == ""
		if out := printed(Options{Width: 80}, ask, answer); !strings.HasPrefix(out, "12:00:00  "+want) {
			t.Errorf("%q: %s", id, out)
		}
	}
}

// Text from the wire is neither markup nor formatting.
func TestDocumentsAreEscaped(t *testing.T) {
	f := frame(decode.Request, 3, 0, request(3, 0).i32(1).text("<b>a|b*_`\x1b").b)
	if out := printed(Options{Format: HTML}, f); !strings.Contains(out, "<td>&lt;b&gt;a|b*_`\\x1b</td>") || !strings.HasSuffix(out, documentEnd) {
		t.Error(out)
	}
	if out := printed(Options{Format: Markdown}, f); !strings.Contains(out, "| \\<b\\>a\\|b\\*\\_\\`\\\\x1b |") {
		t.Error(out)
	}
}

func TestTimeStyles(t *testing.T) {
	ask, answer := metadata()
	for style, want := range map[TimeStyle][2]string{
		NoClock:  {"10.0.0.7:50000", "10.0.0.7:50000"},
		Epoch:    {"1748779200.123456  ", "1748779200.125956  "},
		Delta:    {"00:00:00.000000  ", "00:00:00.002500  "},
		DateTime: {"2025-06-01 12:00:00.123456  ", "2025-06-01 12:00:00.125956  "},
		Elapsed:  {"00:00:00.000000  ", "00:00:00.002500  "},
	} {
		lines := strings.Split(printed(Options{Time: style}, ask, answer), "\n")
		if !strings.HasPrefix(lines[0], want[0]) || !strings.HasPrefix(lines[1], want[1]) {
			t.Errorf("style %d:\n%s", style, strings.Join(lines, "\n"))
		}
	}
}

func TestTree(t *testing.T) {
	_, answer := metadata()
	got := printed(Options{Tree: true}, answer)
	got = got[strings.Index(got, "\n")+1:]
	want := strings.Join([]string{
		"       0       4  header",
		"       0       4    correlationId: 7",
		"       4      35  MetadataResponse",
		"       4       4    brokers: [0]",
		"       8      31    topics: [2]",
		"      12      14      [0]",
		"      12       2        errorCode: 5 LEADER_NOT_AVAILABLE",
		`      14       8        name: "orders"`,
		"      22       4        partitions: [0]",
		"      26      13      [1]",
		"      26       2        errorCode: 0",
		`      28       7        name: "other"`,
		"      35       4        partitions: [0]",
		"", "",
	}, "\n")
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestHexShowsEveryByteOnce(t *testing.T) {
	ask, _ := metadata()
	got := printed(Options{Hex: true}, ask)
	var shown []byte
	for _, line := range strings.Split(got, "\n")[1:] {
		if len(line) < 10 || strings.Contains(line, "└") {
			continue
		}
		for _, two := range strings.Fields(line[10:min(len(line), 10+3*bytesPerRow)]) {
			var b [1]byte
			if n, _ := hex.Decode(b[:], []byte(two)); n == 1 {
				shown = append(shown, b[0])
			}
		}
	}
	if !bytes.Equal(shown, ask.Runs[0].Bytes) {
		t.Errorf("shown %x\nframe %x\n%s", shown, ask.Runs[0].Bytes, got)
	}
}

func TestNoSecretIsPrinted(t *testing.T) {
	f := frame(decode.Request, 36, 0, request(36, 0).bytes("\x00alice\x00hunter2").b) // SaslAuthenticate
	cut := frame(decode.Request, 36, 0, request(36, 0).i32(100).b)
	cut.Runs[0].Bytes = append(cut.Runs[0].Bytes, "hunter2"...)
	cut.Length += 7
	token := frame(decode.Request, -1, -1, []byte("\x00alice\x00hunter2"))
	token.Token, token.HasHeader, token.Key = true, false, -1
	for _, o := range []Options{{Tree: true}, {Hex: true}, {Format: JSON, Tree: true}, {Format: CSV}, {Tree: true, Payload: true}, {Hex: true, Payload: true}} {
		out := printed(o, f, cut, token)
		for _, secret := range []string{"hunter2", "68756e74657232", "68 75 6e 74", "aHVudGVyMg", "h1bnRlcj", "odW50ZXIy"} {
			if strings.Contains(out, secret) {
				t.Errorf("%+v prints %s:\n%s", o, secret, out)
			}
		}
	}
	if out := printed(Options{Hex: true, Secrets: true}, f); !strings.Contains(out, "68 75 6e 74") {
		t.Errorf("--show-secrets does not show it:\n%s", out)
	}
}

func TestPayload(t *testing.T) {
	for in, want := range map[string]string{
		"text":                             `"text"`,
		`{"a":1}`:                          `{"a":1}`,
		`{"a":`:                            `"{\"a\":"`,
		"":                                 `""`,
		"\x00\x01":                         "0x0001",
		"\x00\x00\x00\x00\x2a{\"a\":1}":    `(schema 42) {"a":1}`,
		"\x00\x00\x00\x00\x2a\x02\xff":     "(schema 42) 0x02ff",
		"\x00\x00\x00\x00\x00\x00\x00\x07": "0x0000000000000007", // a counter
		strings.Repeat("\xff", 33):         "base64 " + strings.Repeat("/", 44),
		"été\n":                            `"été\n"`,
	} {
		if got := string(appendPayload(nil, []byte(in))); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

// produce is a frame as the session gives them without a tree.
func produce() *session.Frame {
	f := frame(decode.Request, 0, 9, nil)
	f.Faulty = false
	f.Length = 1200
	topic := &session.Topic{Name: "orders"}
	f.Parts = []session.Part{{Topic: topic, Offset: -1}, {Topic: topic, Partition: 1, Offset: -1}}
	return f
}

func TestLinesAllocateNothing(t *testing.T) {
	f := produce()
	for _, o := range []Options{{Format: JSON}, {Format: CSV}, {}, {Colour: true, Width: 100}} {
		p := New(io.Discard, o)
		if n := testing.AllocsPerRun(1000, func() { p.Frame(f) }); n != 0 {
			t.Errorf("format %d: %v allocations a line", o.Format, n)
		}
	}
}

func BenchmarkLines(b *testing.B) {
	f := produce()
	for name, o := range map[string]Options{"json": {Format: JSON}, "plain": {}, "csv": {Format: CSV}} {
		b.Run(name, func(b *testing.B) {
			p := New(io.Discard, o)
			b.ReportAllocs()
			for b.Loop() {
				f.Last.Time += 1000
				p.Frame(f)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "lines/s")
		})
	}
}
