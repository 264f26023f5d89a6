package decode

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"
)

func unhex(t testing.TB, text string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The layouts below were written by hand from the protocol's definition: Metadata 1 has an int32 count of
// strings; Metadata 9 is flexible: compact arrays and strings, tagged fields at the end of each struct.
const (
	metadata1 = "0003 0001 00000007 0001 63"    // header 1: client id "c"
	metadata9 = "0003 0009 00000007 0001 63 00" // header 2
)

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name, hex string
		key, ver  int16
		want      Fault // without Node
		path      string
	}{
		{"array of -2", metadata1 + "fffffffe", 3, 1,
			Fault{Code: BadCount, Class: Broken, Offset: 11, Need: -1, Have: -2, Tolerated: true}, "MetadataRequest.Topics"},
		{"more elements than bytes", metadata1 + "00000003 0000", 3, 1,
			Fault{Code: BadCount, Class: Broken, Offset: 15, Need: 3, Have: 1}, "MetadataRequest.Topics"},
		{"null array in version 0", "0003 0000 00000007 0001 63 ffffffff", 3, 0,
			Fault{Code: NullNotAllowed, Class: Broken, Offset: 11, Have: -1, Tolerated: true}, "MetadataRequest.Topics"},
		{"null string", metadata1 + "00000001 ffff", 3, 1,
			Fault{Code: NullNotAllowed, Class: Broken, Offset: 15, Have: -1, Tolerated: true}, "MetadataRequest.Topics[0].Name"},
		{"string of -3", metadata1 + "00000001 fffd", 3, 1,
			Fault{Code: BadLength, Class: Broken, Offset: 15, Need: -1, Have: -3, Tolerated: true}, "MetadataRequest.Topics[0].Name"},
		{"string past the end", metadata1 + "00000001 0005 6162", 3, 1,
			Fault{Code: Truncated, Class: Broken, Offset: 17, Need: 5, Have: 2}, "MetadataRequest.Topics[0].Name"},
		{"not UTF-8", metadata1 + "00000002 0001 61 0003 62ff63", 3, 1,
			Fault{Code: InvalidUTF8, Class: Broken, Offset: 21, Need: 3, Have: 1, Tolerated: true}, "MetadataRequest.Topics[1].Name"},
		{"left over", metadata1 + "00000000 0102", 3, 1,
			Fault{Code: TrailingBytes, Class: Broken, Offset: 15, Have: 2, Tolerated: true}, "MetadataRequest"},
		{"length 2 in three bytes", metadata9 + "02 838000 6162 00 00 00 00 00", 3, 9,
			Fault{Code: VarintNotMinimal, Class: Broken, Offset: 13, Need: 1, Have: 3, Tolerated: true}, "MetadataRequest.Topics[0].Name"},
		{"varint without end", metadata9 + "ffffffffffff", 3, 9,
			Fault{Code: VarintOverflow, Class: Broken, Offset: 12, Need: 32, Have: 255}, "MetadataRequest.Topics"},
		{"tags 5, 2", metadata9 + "01 00 00 00 02 0500 020161", 3, 9,
			Fault{Code: TagOrder, Class: Broken, Offset: 19, Need: 5, Have: 2, Tolerated: true}, "MetadataRequest"},
		{"tag past the end", metadata9 + "01 00 00 00 01 0509", 3, 9,
			Fault{Code: Truncated, Class: Broken, Offset: 19, Need: 9}, "MetadataRequest"},
		{"more tags than bytes", metadata9 + "01 00 00 00 05 0509", 3, 9,
			Fault{Code: BadCount, Class: Broken, Offset: 17, Need: 5, Have: 1}, "MetadataRequest"},
		{"unknown key", "03e7 0001 00000007 0001 63", 999, 1,
			Fault{Code: UnknownKey, Class: Unknown, Offset: 0, Have: 999}, "RequestHeader.RequestApiKey"},
		{"unknown version", "0003 0063 00000007 0001 63", 3, 99,
			Fault{Code: UnknownVersion, Class: Unknown, Offset: 2, Need: 13, Have: 99}, "RequestHeader.RequestApiVersion"},
		{"header cut", "0003 0001 00000007", 3, 1,
			Fault{Code: Truncated, Class: Broken, Offset: 8, Need: 2}, "RequestHeader.ClientId"},
	} {
		var tree Tree
		tree.Decode(Whole(unhex(t, c.hex)), c.key, c.ver, Request)
		f, _ := tree.Fault()
		path := f.Path(&tree)
		f.Node = 0
		if f != c.want || path != c.path {
			t.Errorf("%s: %+v in %q, want %+v in %q", c.name, f, path, c.want, c.path)
		}
		if tree.Whole() != c.want.Tolerated {
			t.Errorf("%s: whole is %v", c.name, tree.Whole())
		}
		if f.Message() == "" || strings.Contains(f.Message(), "needed 0, had 0") {
			t.Errorf("%s: message %q", c.name, f.Message())
		}
	}
}

// TestPartialTree reads what came before a fault.
func TestPartialTree(t *testing.T) {
	var tree Tree
	tree.Decode(Whole(unhex(t, metadata1+"00000003 0001 61 0001 62 0005 63")), 3, 1, Request)
	if tree.Whole() {
		t.Fatal("want a fault")
	}
	var names []string
	for topic := range tree.Body().Field("Topics").Elements() {
		names = append(names, topic.Field("Name").String())
	}
	if got := strings.Join(names, ","); got != "a,b," {
		t.Errorf("names %q", got)
	}
	if got := string((&JSON{}).Append(nil, tree.Body())); got != `{"topics":[{"name":"a"},{"name":"b"},{}]}` {
		t.Errorf("JSON %s", got)
	}
	if got := tree.Header().Field("ClientId").String(); got != "c" {
		t.Errorf("client id %q", got)
	}
}

// TestHoles decodes a Produce 3 request of two partitions whose record bytes are not there.
func TestHoles(t *testing.T) {
	body := unhex(t, "0000 0003 00000001 ffff"+ // header 1, client id null
		"ffff ffff 00007530 00000001 0001 74 00000002"+ // transactional id, acks, timeout, topic "t", 2 partitions
		"00000005 00000064"+strings.Repeat("aa", 100)+ // partition 5, 100 record bytes
		"00000006 00000032"+strings.Repeat("bb", 50))
	first := 10 + 2 + 2 + 4 + 4 + 3 + 4 + 8 // records of partition 5
	second := first + 100 + 8
	frame := Frame{Length: len(body), Runs: []Run{{0, body[:first+10]}, {first + 90, body[first+90 : second]}}}
	var tree Tree
	for _, missing := range []bool{false, true} {
		frame.Missing = missing
		tree.Decode(frame, 0, 3, Request)
		if f, bad := tree.Fault(); bad || !tree.Whole() {
			t.Fatalf("fault %+v", f)
		}
		var offsets, lengths []int
		for topic := range tree.Body().Field("TopicData").Elements() {
			for p := range topic.Field("PartitionData").Elements() {
				x := p.Field("Records").Records()
				offsets, lengths = append(offsets, x.Offset), append(lengths, x.Length)
				if _, whole := x.Bytes(); whole {
					t.Error("record bytes are said to be there")
				}
			}
		}
		if offsets[0] != first || offsets[1] != second || lengths[0] != 100 || lengths[1] != 50 {
			t.Errorf("records at %v of %v bytes, want %d and %d", offsets, lengths, first, second)
		}
	}
	// A hole in the fields between the two is incomplete, not broken.
	frame.Runs = []Run{{0, body[:first+10]}, {first + 104, body[first+104:]}}
	tree.Decode(frame, 0, 3, Request)
	f, _ := tree.Fault()
	if f.Class != Incomplete || f.Offset != first+100 || f.Path(&tree) != "ProduceRequest.TopicData[0].PartitionData[1].Index" {
		t.Errorf("fault %+v in %s", f, f.Path(&tree))
	}
}

// TestRepeatedTag: the last one counts, as in Kafka's reader.
func TestRepeatedTag(t *testing.T) {
	// Fetch 12: tag 0 is ClusterId.
	body := unhex(t, "0001 000c 00000001 ffff 00"+
		"ffffffff 00000001 00000001 00000001 00 00000000 ffffffff 01 01 01"+ // replica … epoch, topics, forgotten, rack
		"02 0002 0261 0002 0262") // twice tag 0, 2 bytes: "a", "b"
	var tree Tree
	tree.Decode(Whole(body), 1, 12, Request)
	if f, _ := tree.Fault(); f.Code != TagOrder || !tree.Whole() {
		t.Fatalf("fault %+v", f)
	}
	if got := tree.Body().Field("ClusterId").String(); got != "b" {
		t.Errorf("cluster id %q, want b", got)
	}
	if text := (&JSON{}).Append(nil, tree.Body()); bytes.Count(text, []byte("clusterId")) != 1 {
		t.Errorf("clusterId is not there once: %s", text)
	}
}

// TestDefaults reads fields that are not on the wire.
func TestDefaults(t *testing.T) {
	var tree Tree
	// Fetch 15 without tagged fields: no ReplicaState, no ClusterId.
	tree.Decode(Whole(unhex(t, "0001 000f 00000001 ffff 00"+
		"00000001 00000001 00000001 00 00000000 ffffffff 01 01 01 00")), 1, 15, Request)
	if f, bad := tree.Fault(); bad {
		t.Fatalf("fault %+v", f)
	}
	body := tree.Body()
	state := body.Field("ReplicaState")
	if !state.OK() || state.OnWire() || state.Field("ReplicaId").Int() != -1 || state.Field("ReplicaEpoch").Int() != -1 {
		t.Error("ReplicaState is not at its default")
	}
	if id := body.Field("ClusterId"); !id.OK() || !id.IsNull() || id.String() != "" {
		t.Error("ClusterId is not null")
	}
	if old := body.Field("ReplicaId"); old.OK() || old.Int() != -1 {
		t.Error("ReplicaId is not in version 15; its default is -1")
	}
	if none := body.Field("Nonsense"); none.OK() || none.Int() != 0 || none.Path() != "" || none.Field("X").OK() {
		t.Error("a field that no version has")
	}
	if got := body.Field("MaxBytes").Path(); got != "FetchRequest.MaxBytes" {
		t.Errorf("path %s", got)
	}
}

// TestApiVersionsRefused: a broker answers a version that it does not know in the form of version 0 (KIP-511).
func TestApiVersionsRefused(t *testing.T) {
	var tree Tree
	tree.Decode(Whole(unhex(t, "00000007 0023 00000001 0012 0000 0004")), 18, 4, Response)
	if f, bad := tree.Fault(); bad || tree.BodyVersion != 0 || tree.Version != 4 {
		t.Fatalf("version %d, fault %+v", tree.BodyVersion, f)
	}
	for key := range tree.Body().Field("ApiKeys").Elements() {
		if key.Field("ApiKey").Int() != 18 || key.Field("MaxVersion").Int() != 4 {
			t.Error("wrong key or version")
		}
	}
}

// TestNodeLimit stops a tree that grows too large.
func TestNodeLimit(t *testing.T) {
	tree := Tree{MaxNodes: 20}
	tree.Decode(Whole(unhex(t, metadata1+"00000020"+strings.Repeat("0000", 32))), 3, 1, Request)
	if f, _ := tree.Fault(); f.Code != TooManyNodes || f.Class != Limit || len(tree.Nodes) > 25 {
		t.Errorf("fault %+v, %d nodes", f, len(tree.Nodes))
	}
}
