package decode

import (
	"encoding/json"
	"testing"
)

// read goes to every field in every way.
func read(t *testing.T, r Ref) {
	r.Int()
	r.Bool()
	r.Float()
	r.Bytes()
	_ = r.String()
	r.UUID()
	r.IsNull()
	if x := r.Records(); x.Length >= 0 {
		x.Bytes()
	}
	if f := r.Schema(); f != nil && r.Offset() >= 0 && r.Offset()+r.Length() > r.t.frame.Length {
		t.Fatalf("%s ends behind the frame", r.Path())
	}
	for _, f := range r.fields() {
		if r.Kind() == Struct && !r.IsElement() {
			r.Field(f.Name).Int()
		}
	}
	for c := range r.Children() {
		read(t, c)
	}
}

func FuzzWalker(f *testing.F) {
	for _, v := range sample(f) {
		if b := v.bytes(f); len(b) < 2000 {
			f.Add(v.Key, v.Version, v.Kind == "response", b, uint16(0), uint16(0))
		}
	}
	var tree Tree
	f.Fuzz(func(t *testing.T, key, version int16, response bool, body []byte, hole, width uint16) {
		kind := Request
		if response {
			kind = Response
		}
		frame := Whole(body)
		if from := int(hole); width > 0 && from+int(width) <= len(body) {
			frame.Runs = []Run{{0, body[:from]}, {from + int(width), body[from+int(width):]}}
		}
		tree.Decode(frame, key, version, kind)
		if s := loose(&tree); s != "" {
			t.Fatal(s)
		}
		if len(tree.Nodes) > 4*len(body)+64 {
			t.Fatalf("%d nodes for %d bytes", len(tree.Nodes), len(body))
		}
		for _, fault := range tree.Faults {
			if fault.Path(&tree) == "" && fault.Node >= 0 || fault.Message() == "" {
				t.Fatalf("fault %+v without path or message", fault)
			}
			if len(frame.Runs) == 1 && fault.Class == Incomplete {
				t.Fatalf("%+v, but nothing is missing", fault)
			}
		}
		for _, top := range []Ref{tree.Header(), tree.Body()} {
			read(t, top)
			if text := (&JSON{}).Append(nil, top); !json.Valid(text) {
				t.Fatalf("not JSON: %q", text)
			}
		}
	})
}

func FuzzView(f *testing.F) {
	for _, v := range sample(f) {
		if b := v.bytes(f); len(b) < 4000 && (v.Key == 0 || v.Key == 1 || v.Key == 78) {
			f.Add(v.Key, v.Version, v.Kind == "response", b[v.HeaderBytes:])
		}
	}
	var tree Tree
	var view View
	f.Fuzz(func(t *testing.T, key, version int16, response bool, message []byte) {
		kind, header := Request, []byte{byte(key >> 8), byte(key), byte(version >> 8), byte(version), 0, 0, 0, 1, 0xff, 0xff, 0}
		if response {
			kind, header = Response, []byte{0, 0, 0, 1, 0}
		}
		if key != 0 && key != 1 && key != 78 {
			return
		}
		switch headerVersion(key, version, kind) {
		case -1:
			return
		case 0, 1:
			if !response || headerVersion(key, version, kind) == 0 {
				header = header[:len(header)-1]
			}
		}
		body := append(header, message...)
		tree.Decode(Whole(body), key, version, kind)
		compareView(t, "fuzzed", &tree, &view, body)
	})
}
