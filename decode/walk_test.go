package decode

import (
	"encoding/json"
	"fmt"
	"testing"
)

// loose says where the nodes do not tile the frame, "" where they do: prefix, then children one after the
// other, then nothing. Where the decoding stopped in a node, its children may end before it.
func loose(t *Tree) string {
	at := 0
	for _, top := range []int32{t.header, t.body} {
		if top < 0 {
			continue
		}
		if n := t.Nodes[top]; int(n.Offset) != at {
			return fmt.Sprintf("%s begins at %d, want %d", t.At(top).Path(), n.Offset, at)
		}
		if s := looseNode(t, top); s != "" {
			return s
		}
		at += int(t.Nodes[top].Length)
	}
	if t.Whole() && at+t.Trailing != t.frame.Length {
		return fmt.Sprintf("the nodes end at %d, %d are left over of %d", at, t.Trailing, t.frame.Length)
	}
	return ""
}

func looseNode(t *Tree, i int32) string {
	n := t.Nodes[i]
	at, end := n.Offset+int32(n.Prefix), n.Offset+n.Length
	if at > end || int(end) > t.frame.Length {
		return fmt.Sprintf("%s has a prefix of %d in %d bytes at %d", t.At(i).Path(), n.Prefix, n.Length, n.Offset)
	}
	children := 0
	for c := t.At(i).first(); c > 0; c = t.Nodes[c].Next {
		child := t.Nodes[c]
		if child.Parent != i || child.Offset != at {
			return fmt.Sprintf("%s begins at %d, want %d", t.At(c).Path(), child.Offset, at)
		}
		if s := looseNode(t, c); s != "" {
			return s
		}
		at += child.Length
		children++
	}
	if children > 0 && at != end && t.Whole() {
		return fmt.Sprintf("%s ends at %d, its children at %d", t.At(i).Path(), end, at)
	}
	return ""
}

func TestNodesTile(t *testing.T) {
	var tree Tree
	for _, v := range vectors(t) {
		tree.Decode(Whole(v.bytes(t)), v.Key, v.Version, v.kind())
		if s := loose(&tree); s != "" {
			t.Errorf("%s %s v%d: %s", v.API, v.Kind, v.Version, s)
		}
	}
}

// TestEveryTruncation cuts each frame after each byte. As a frame of its own it is broken; as the beginning
// of a longer one it is incomplete, unless only record bytes are missing.
func TestEveryTruncation(t *testing.T) {
	var tree Tree
	for _, v := range vectors(t) {
		body := v.bytes(t)
		for n := range body {
			name := fmt.Sprintf("%s %s v%d cut at %d", v.API, v.Kind, v.Version, n)
			tree.Decode(Whole(body[:n]), v.Key, v.Version, v.kind())
			f, _ := tree.Fault()
			if body := tree.top[1].message; tree.Whole() && body != tree.API.Request && body != tree.API.Response {
				continue // the rest happens to be a whole message in the early-access form
			}
			if tree.Whole() || f.Class != Broken || f.Offset > n || f.Path(&tree) == "" || f.Message() == "" {
				t.Fatalf("%s: fault %+v", name, f)
			}
			if s := loose(&tree); s != "" {
				t.Fatalf("%s: %s", name, s)
			}
			nodes := len(tree.Nodes)
			tree.Decode(Frame{Length: len(body), Runs: []Run{{0, body[:n]}}, Missing: true}, v.Key, v.Version, v.kind())
			f, bad := tree.Fault()
			if !bad && tree.At(int32(len(tree.Nodes)-1)).Kind() == RecordSet {
				continue
			}
			if tree.Whole() || f.Class != Incomplete || f.Code != Truncated || f.Offset+f.Need <= n {
				t.Fatalf("%s: as the beginning of %d bytes: fault %+v", name, len(body), f)
			}
			if len(tree.Nodes) < nodes {
				t.Fatalf("%s: %d nodes as a beginning, %d as a frame", name, len(tree.Nodes), nodes)
			}
		}
	}
}

// TestEveryByteChanged damages each byte of each frame: nothing panics, the tree stays small and its JSON
// valid, and what is whole tiles.
func TestEveryByteChanged(t *testing.T) {
	var tree Tree
	var text []byte
	for _, v := range sample(t) {
		body := v.bytes(t)
		if len(body) > 3000 {
			continue
		}
		for at, old := range body {
			for _, b := range []byte{0, 0xff, old ^ 0x40} {
				body[at] = b
				tree.Decode(Whole(body), v.Key, v.Version, v.kind())
				if s := loose(&tree); s != "" {
					t.Fatalf("%s %s v%d, %02x at %d: %s", v.API, v.Kind, v.Version, b, at, s)
				}
				if len(tree.Nodes) > 4*len(body)+64 {
					t.Fatalf("%s %s v%d, %02x at %d: %d nodes for %d bytes", v.API, v.Kind, v.Version, b, at, len(tree.Nodes), len(body))
				}
				if b == 0xff && at%5 == 0 {
					text = (&JSON{}).Append(text[:0], tree.Body())
					if tree.Body().OK() && !json.Valid(text) {
						t.Fatalf("%s %s v%d, %02x at %d: not JSON: %s", v.API, v.Kind, v.Version, b, at, text)
					}
				}
			}
			body[at] = old
		}
	}
}

// TestNoAllocation decodes all frames again with a tree that has seen them.
func TestNoAllocation(t *testing.T) {
	var tree Tree
	all := sample(t)
	frames := make([]Frame, len(all))
	for i := range all {
		frames[i] = Whole(all[i].bytes(t))
	}
	n := testing.AllocsPerRun(3, func() {
		for i := range all {
			tree.Decode(frames[i], all[i].Key, all[i].Version, all[i].kind())
		}
	})
	if n != 0 {
		t.Errorf("%v allocations for %d frames, want none", n, len(all))
	}
}

// TestHeaderTable compares the table of header versions with the ranges that it was made of.
func TestHeaderTable(t *testing.T) {
	for key := int16(-2); key < 140; key++ {
		for version := int16(-2); version < 40; version++ {
			for _, kind := range []Kind{Request, Response} {
				if got, want := headerVersion(key, version, kind), headerByRange(key, version, kind); got != want {
					t.Fatalf("%d v%d %s: %d, want %d", key, version, kind, got, want)
				}
			}
		}
	}
}

// TestPlainHeaders compares the quick readings of headers with the others, whole, cut and changed.
func TestPlainHeaders(t *testing.T) {
	took := 0
	compare := func(body []byte, key, version int16, kind Kind) {
		if kind == Request {
			k, v, correlation, client, n := PlainRequestHeader(body)
			h, need, fault := ParseRequestHeader(body)
			if n == 0 {
				return
			}
			took++
			if need > 0 || fault.Code != 0 || h.Key != k || h.Version != v || h.CorrelationID != correlation || h.Length != n ||
				string(h.ClientID) != string(client) || (h.ClientID == nil) != (client == nil) {
				t.Fatalf("% x: %d %d %d %q %d, want %+v", body, k, v, correlation, client, n, h)
			}
			return
		}
		n := PlainResponseHeader(body, key, version)
		if n == 0 {
			return
		}
		took++
		if h, need, fault := ParseResponseHeader(body, key, version); need > 0 || fault.Code != 0 || h.Length != n {
			t.Fatalf("% x: %d, want %+v", body, n, h)
		}
	}
	for _, v := range sample(t) {
		body := v.bytes(t)
		head := body[:min(len(body), v.HeaderBytes+3)]
		for n := range len(head) + 1 {
			compare(head[:n], v.Key, v.Version, v.kind())
		}
		for i := range head {
			old := head[i]
			for _, b := range []byte{0, 1, 0x7f, 0x80, 0xff} {
				head[i] = b
				compare(head, v.Key, v.Version, v.kind())
			}
			head[i] = old
		}
	}
	if took < 1000 {
		t.Errorf("only %d headers were read", took)
	}
}
