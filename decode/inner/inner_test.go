package inner

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"ksniff/decode"
	"ksniff/decode/records"
	"ksniff/decode/schema"
)

// vector is a line of inner-*.jsonl: a message written by Kafka's own class, and that class's JSON.
type vector struct {
	What    string `json:"what"`
	Family  string `json:"family"`
	Version int16  `json:"version"`
	Hex     string `json:"hex"`
	JSON    any    `json:"json"`
	b       []byte
}

func parse(t testing.TB, path string) (all []vector) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		var v vector
		if err := unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		v.b, _ = hex.DecodeString(v.Hex)
		all = append(all, v)
	}
	return all
}

func unmarshal(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(v)
}

func samples(t testing.TB) []vector { return parse(t, "testdata/samples.jsonl") }

// plainly drops what ksniff adds to the converters' JSON.
func plainly(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name := range v {
			if strings.HasSuffix(name, "Decoded") || name == "unknownTaggedFields" {
				delete(v, name)
			} else {
				v[name] = plainly(v[name])
			}
		}
	case []any:
		for i := range v {
			v[i] = plainly(v[i])
		}
	}
	return v
}

func testVectors(t *testing.T, all []vector) {
	d := New()
	d.ShowSecrets = true
	for _, v := range all {
		text, f, faulty := d.Append(nil, v.What, v.Version, v.b)
		var got any
		if err := unmarshal(text, &got); err != nil {
			t.Errorf("%s %d: no JSON: %v\n%s", v.What, v.Version, err, text)
		}
		if faulty || !reflect.DeepEqual(plainly(got), v.JSON) {
			t.Errorf("%s %d: fault %v\ngot  %s\nwant %v", v.What, v.Version, f, text, v.JSON)
		}
	}
}

func TestSamples(t *testing.T) { testVectors(t, samples(t)) }

func TestVectors(t *testing.T) {
	root := os.Getenv("KSNIFF_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared")
	}
	files, _ := filepath.Glob(filepath.Join(root, "vectors/inner-*.jsonl"))
	if len(files) == 0 {
		t.Skip("the vectors lie outside of the repository")
	}
	for _, file := range files {
		testVectors(t, parse(t, file))
	}
}

// Every truncation is a fault, and what is before it is JSON.
func TestEveryTruncation(t *testing.T) {
	d := New()
	for _, v := range samples(t) {
		for n := range v.b {
			text, _, faulty := d.Append(nil, v.What, v.Version, v.b[:n])
			if !faulty || !json.Valid(text) {
				t.Errorf("%s %d cut at %d: %s", v.What, v.Version, n, text)
			}
		}
	}
}

// A consumer protocol of a version that is not known yet is read as the last known one.
func TestLaterConsumerProtocol(t *testing.T) {
	d := New()
	for _, v := range samples(t) {
		if v.Family != "consumer-protocol" || v.Version != 3 {
			continue
		}
		b := append(bytes.Clone(v.b), 1, 2, 3)
		b[1] = 7
		text, f, faulty := d.Append(nil, v.What, -1, b)
		var got any
		if err := unmarshal(text, &got); err != nil || faulty || !reflect.DeepEqual(got, v.JSON) {
			t.Errorf("%s: %v %s", v.What, f, text)
		}
	}
}

// written is the body of a message that is given as hex, as frames write it.
func written(t *testing.T, message string, version int16, body string) string {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(body, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	var m *schema.Message
	for _, a := range schema.APIs {
		if a.Request.Name == message {
			m = a.Request
		} else if a.Response.Name == message {
			m = a.Response
		}
	}
	var tree decode.Tree
	tree.DecodeMessage(decode.Whole(b), 0, m, version)
	if f, faulty := tree.Fault(); faulty {
		t.Fatalf("%s: %v", message, f)
	}
	d := New()
	j := decode.JSON{Redact: decode.Secret, Inner: d.Inner}
	return string(j.Append(nil, tree.Body()))
}

func TestGroups(t *testing.T) {
	subscription := "0000000d" + "0000 00000001 0001 74 ffffffff" // topic t, no user data
	connect := "00000014" + "0001 0004 68747470 ffffffffffffffff ffffffff"
	for _, c := range []struct {
		message string
		version int16
		body    string
		want    []string
	}{
		{"JoinGroupRequest", 0, "0001 67 00000064 0000 0008 636f6e73756d6572 00000001 0001 72" + subscription,
			[]string{`"metadataDecoded":{"topics":["t"],"userData":null}`}},
		{"JoinGroupRequest", 0, "0001 67 00000064 0000 0007 636f6e6e656374 00000001 0001 72" + connect,
			[]string{`"metadataDecoded":{"url":"http","configOffset":-1,"currentAssignment":null}`}},
		{"JoinGroupRequest", 0, "0001 67 00000064 0000 0005 6f74686572 00000001 0001 72" + subscription, nil},
		{"SyncGroupResponse", 0, "0000 00000019 0000 00000001 0001 74 00000002 00000000 00000001 ffffffff",
			[]string{`"assignmentDecoded":{"assignedPartitions":[{"topic":"t","partitions":[0,1]}],"userData":null}`}},
		{"SyncGroupResponse", 0, "0000 00000027 0000 0000 0001 6c 0001 75 0000000000000005 00000001 0001 63 00000002 ffffffff 00000000 0000",
			nil}, // two bytes too many for Connect's
		{"SyncGroupResponse", 0, "0000 00000025 0000 0000 0001 6c 0001 75 0000000000000005 00000001 0001 63 00000002 ffffffff 00000000",
			[]string{`"assignmentDecoded":{"error":0,"leader":"l","leaderUrl":"u","configOffset":5,"assignment":[{"connector":"c","tasks":[-1,0]}]}`}},
	} {
		got := written(t, c.message, c.version, c.body)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %s\nlacks %s", c.message, got, want)
			}
		}
		if c.want == nil && strings.Contains(got, "Decoded") {
			t.Errorf("%s: %s\ntells what cannot be known", c.message, got)
		}
	}
}

// What a Kafka Streams 4 client says of itself and is told, as captured; the fields are those of its classes.
func TestStreamsUserData(t *testing.T) {
	const subscription = "00000071 000300000002000d6c696e65732d636c6173736963002377632d636c61737369632d636f756e74732d73746f72652d7265706172746974696f6e" +
		"000000290000000b0000000bcd13c1f009ab4f64a93d31ad017a4b0a000000000000000001000000000000000000000000ffffffffffff"
	const assignment = "af01 000300000002000d6c696e65732d636c6173736963000000020000000000000001002377632d636c61737369632d636f756e74732d73746f7265" +
		"2d7265706172746974696f6e000000020000000000000001000000580000000b0000000b000000040000000000000000000000000000000000000001000000" +
		"0000000001000000000000000000000001000000010000000000000000000000000000000000000000000000007fffffffffffffff"
	join := func(assignor string) string {
		return written(t, "JoinGroupRequest", 0, "0001 67 00000064 0000 0008 636f6e73756d6572 00000001"+assignor+subscription)
	}
	got := join("0006 73747265616d")
	for _, want := range []string{`"userDataDecoded":{"version":11,"latestSupportedVersion":11,"processId":"zRPB8AmrT2SpPTGtAXpLCg"`, `"uniqueField":1,"errorCode":0`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nlacks %s", got, want)
		}
	}
	if got := join("0006 737469636b79"); !strings.Contains(got, "metadataDecoded") || strings.Contains(got, "userDataDecoded") {
		t.Errorf("user data of another assignor:\n%s", got)
	}
	// SyncGroup names the assignor from version 5 on (KIP-559).
	got = written(t, "SyncGroupResponse", 5, "00000000 0000 09 636f6e73756d6572 07 73747265616d"+assignment+" 00")
	for _, want := range []string{`"userDataDecoded":{"version":11,"commonlySupportedVersion":11,"activeTasks":[{"topicGroupId":0,"partition":0`, `"nextRebalanceMs":9223372036854775807`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nlacks %s", got, want)
		}
	}
}

// An Envelope hides its bytes, and shows the request in it with the request's own secrets hidden.
func TestEnvelope(t *testing.T) {
	// SaslAuthenticate v0, client id c, token "hunter2", in EnvelopeRequest v0.
	inner := "0024 0000 00000007 0001 63 00000007 68756e74657232"
	got := written(t, "EnvelopeRequest", 0, "17"+inner+"00 05 7f000001 00")
	for _, want := range []string{`"requestData":"(redacted)"`, `"api":"SaslAuthenticate","key":36,"version":0`, `"correlationId":7`, `"authBytes":"(redacted)"`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nlacks %s", got, want)
		}
	}
}

func TestSecrets(t *testing.T) {
	str := func(s string) string {
		return hex.EncodeToString([]byte{0, byte(len(s))}) + hex.EncodeToString([]byte(s))
	}
	for _, c := range []struct {
		message string
		version int16
		body    string
		shown   string
	}{
		{"SaslAuthenticateRequest", 0, "00000007 68756e74657232", ""},
		{"SaslAuthenticateResponse", 0, "003a" + str("no hunter2") + "00000007 68756e74657232", `"errorCode":58`},
		{"AlterConfigsRequest", 0, "00000001 02" + str("t") + "00000002" + str("ssl.key.password") + str("hunter2") + str("retention.ms") + str("5") + "00", `"value":"5"`},
		{"DescribeConfigsResponse", 1, "00000000 00000001 0000 ffff 04" + str("1") + "00000001" + str("x.secret") + str("hunter2") + "00 05 00 00000001" + str("x.secret") + str("hunter2") + "05", `"source":5`},
		{"RenewDelegationTokenRequest", 0, "00000007 68756e74657232 0000000000000005", `"renewPeriodMs":5`},
		{"CreateTopicsRequest", 0, "00000001" + str("t") + "00000001 0001 00000000 00000001" + str("a.token") + str("hunter2") + "00000005", `"name":"t"`},
	} {
		got := written(t, c.message, c.version, c.body)
		if strings.Contains(got, "hunter2") || strings.Contains(got, "aHVudGVyM") || !strings.Contains(got, `"(redacted)"`) || !strings.Contains(got, c.shown) {
			t.Errorf("%s: %s", c.message, got)
		}
	}
}

// The records of internal topics are decoded, and raw bytes that hold a secret are not shown.
func TestRecords(t *testing.T) {
	d := New()
	byName := map[string]vector{}
	for _, v := range samples(t) {
		byName[v.What] = v
	}
	offset, _ := d.Record(nil, "consumer-offsets", &records.Record{Key: byName["OffsetCommitKey"].b, Value: byName["OffsetCommitValue"].b})
	if s := string(offset); !strings.HasPrefix(s, `,"keyDecoded":{"OffsetCommitKey":{`) || !strings.Contains(s, `,"valueDecoded":{"OffsetCommitValue":{`) {
		t.Errorf("%s", s)
	}
	tombstone, _ := d.Record(nil, "consumer-offsets", &records.Record{Key: byName["OffsetCommitKey"].b})
	if s := string(tombstone); strings.Contains(s, "valueDecoded") || !json.Valid([]byte("{"+s[1:]+"}")) {
		t.Errorf("%s", s)
	}
	for _, what := range []string{"UserScramCredentialRecord", "TopicRecord"} {
		out, secret := d.Record(nil, "metadata", &records.Record{Value: byName[what].b})
		if !strings.HasPrefix(string(out), `,"valueDecoded":{"`+what+`":{`) || secret != (what == "UserScramCredentialRecord") {
			t.Errorf("%s: secret %v: %s", what, secret, out)
		}
	}
}

func FuzzInner(f *testing.F) {
	for _, v := range samples(f) {
		f.Add(v.What, v.Version, v.b)
	}
	d := New()
	f.Fuzz(func(t *testing.T, what string, version int16, b []byte) {
		if text, _, _ := d.Append(nil, what, version, b); !json.Valid(text) {
			t.Errorf("no JSON: %s", text)
		}
		for _, family := range families {
			d.Record(nil, family, &records.Record{Key: b, Value: b})
		}
		for typ := range int16(8) {
			d.Control(nil, typ, b)
		}
	})
}

// Control values of Apache's record vectors, as its classes read them.
func TestControlValues(t *testing.T) {
	all, err := os.ReadFile("../records/testdata/samples.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	d, n := New(), 0
	for line := range bytes.SplitSeq(all, []byte("\n")) {
		var v struct {
			Hex     string           `json:"hex"`
			Records []map[string]any `json:"records"`
		}
		if len(line) == 0 || unmarshal(line, &v) != nil {
			continue
		}
		set, _ := hex.DecodeString(v.Hex)
		j := records.JSON{Payload: true, Control: d.Control}
		text, _, _ := j.AppendLists([]byte("{"), set)
		var got struct {
			Records []map[string]any `json:"records"`
		}
		if err := unmarshal(append(text, '}'), &got); err != nil {
			t.Fatal(err)
		}
		for i, want := range v.Records {
			if want["control_type"] == nil {
				continue
			}
			n++
			if !reflect.DeepEqual(got.Records[i]["control_value"], want["control_value"]) {
				t.Errorf("%v: %v, want %v", want["control_type"], got.Records[i]["control_value"], want["control_value"])
			}
		}
	}
	if n < 8 {
		t.Errorf("only %d control records in the samples", n)
	}
}
